// SPDX-License-Identifier: Apache-2.0
/// The Telemetry kind: metrics, traces and access logs of some workloads.
///
/// Entry: [io.fathom.wire.kube.telemetry.TelemetryManifest]. Immutable; the reader runs on the thread of the source.
/// Knows nothing about providers, which are part of the mesh configuration.
@NullMarked
package io.fathom.wire.kube.telemetry;

import org.jspecify.annotations.NullMarked;
