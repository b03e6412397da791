// SPDX-License-Identifier: Apache-2.0
/// Kinds that change what proxies run: EnvoyFilter, WasmPlugin, TrafficExtension.
///
/// Entry: [io.fathom.wire.kube.extension.ExtensionManifest], [io.fathom.wire.kube.extension.EnvoyFilterManifest].
/// Immutable; readers run on the thread of the source. Knows nothing about Envoy's messages.
@NullMarked
package io.fathom.wire.kube.extension;

import org.jspecify.annotations.NullMarked;
