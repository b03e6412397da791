// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import java.util.Locale;

/// The name of a cluster as tools and EnvoyFilters know it: `direction|port|subset|host`, always with three bars.
///
/// @param subset of the service, for a waypoint's own services after `http` or `tcp` and a slash; may be empty
public record ClusterName(Direction direction, int port, String subset, String host) {
    /// Which way its connections go.
    public enum Direction {
        OUTBOUND,
        INBOUND,
        INBOUND_VIP;

        private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Which half of a waypoint's port it serves.
    public enum ClusterLayer {
        HTTP,
        TCP;

        private final String word = name().toLowerCase(Locale.ROOT);
    }

    /// To a service that the proxy does not stand in front of.
    public static ClusterName outbound(int port, String subset, String host) {
        return new ClusterName(Direction.OUTBOUND, port, subset, host);
    }

    /// To a service that this waypoint stands in front of.
    public static ClusterName behindWaypoint(int port, ClusterLayer layer, String subset, String host) {
        return new ClusterName(
                Direction.INBOUND_VIP, port, subset.isEmpty() ? layer.word : layer.word + "/" + subset, host);
    }

    @Override
    public String toString() {
        return direction.word + "|" + port + "|" + subset + "|" + host;
    }
}
