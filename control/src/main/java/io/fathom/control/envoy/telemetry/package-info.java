// SPDX-License-Identifier: Apache-2.0
/// What proxies log, trace and measure: Telemetries and MeshConfig to Envoy's access loggers and tracers. The entry is
/// [io.fathom.control.envoy.telemetry.TelemetryScope]; what tunnels tell about their peers is kept by
/// [io.fathom.control.envoy.telemetry.PeerState]. Pure, on any thread; nothing here knows who is told.
@NullMarked
package io.fathom.control.envoy.telemetry;

import org.jspecify.annotations.NullMarked;
