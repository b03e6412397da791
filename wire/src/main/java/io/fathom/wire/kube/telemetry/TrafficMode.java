// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.telemetry;

/// Which side of traffic a setting is for. A gateway is the client of what it forwards; a waypoint is a server.
public enum TrafficMode {
    CLIENT_AND_SERVER,
    CLIENT,
    SERVER;

    /// Whether a setting for this covers a proxy that is `side`.
    public boolean covers(TrafficMode side) {
        return this == CLIENT_AND_SERVER || this == side;
    }
}
