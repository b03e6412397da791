// SPDX-License-Identifier: Apache-2.0
/// What operators see of the traffic: the access log and the metrics, with upstream's names. Entry classes:
/// [io.fathom.node.telemetry.Telemetry] for connections, [io.fathom.node.telemetry.NodeMetrics] for everything that is
/// counted. Safe on any thread; never blocks an event loop. Knows nothing of sockets.
@NullMarked
package io.fathom.node.telemetry;

import org.jspecify.annotations.NullMarked;
