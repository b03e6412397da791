// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.fathom.wire.dial.ServerConfig;
import java.time.Duration;

/// Whom to ask, as whom, and for what.
///
/// @param patience how long somebody waits for a resource on demand
public record XdsClientConfig(ServerConfig server, NodeDescription node, Scope scope, Duration patience) {
    /// Which workloads and services are asked for; policies always all.
    public enum Scope {
        ALL,
        /// Those of the own node, which the server sends unasked, and those that somebody demanded.
        ON_DEMAND
    }
}
