package io.fathom.control.ambient;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.wire.kube.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.ObjectKey;
import java.util.Map;
import java.util.Optional;

/// A Gateway seen as something that traffic can be sent through. Every Gateway has a row; only one with an address
/// can be attached to.
///
/// @param serves the value of `istio.io/waypoint-for`
/// @param objection why it can never be a waypoint, in words for its users
/// @param binding how its own pods take traffic
record Waypoint(
        ObjectKey key,
        Optional<GatewayAddress> address,
        String serves,
        AllowedRoutes allowedRoutes,
        Optional<String> objection,
        Optional<ApplicationTunnel> binding) {

    static final int HBONE_PORT = 15008;

    /// The two kinds of things that have waypoints.
    enum Traffic {
        SERVICE("service"),
        WORKLOAD("workload");

        private final String word;

        Traffic(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /// Spelled exactly: any other word serves nothing.
    boolean serves(Traffic traffic) {
        return serves.equals("all") || serves.equals(traffic.word());
    }

    /// Whether objects of a namespace may attach. A selector looks at the waypoint's own namespace, too.
    ///
    /// @param labels of the namespace; empty when there is no such object
    boolean admits(String namespace, Optional<Map<String, String>> labels) {
        return switch (allowedRoutes.from()) {
            case ALL -> true;
            case SAME -> namespace.equals(key.namespace());
            case SELECTOR -> labels.filter(allowedRoutes.selector()::matches).isPresent();
            case NONE -> false;
        };
    }

    /// Whether [#admits] looks at labels.
    boolean admitsBySelector() {
        return allowedRoutes.from() == AllowedRoutes.From.SELECTOR;
    }
}
