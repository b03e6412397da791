// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Age;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A Gateway seen as something that traffic can be sent through. Every Gateway has a row; only one with an address
/// can be attached to.
///
/// @param serves the value of `istio.io/waypoint-for`
/// @param account the service account of its namespace that it serves alone, if it is not for everybody
/// @param objection why it can never be a waypoint, in words for its users
/// @param binding how its own pods take traffic
/// @param bypass whether calls may reach what is behind it without going through it
/// @param controller who configures its pods as a waypoint
public record Waypoint(
        Age age,
        Optional<GatewayAddress> address,
        String serves,
        Optional<String> account,
        AllowedRoutes allowedRoutes,
        Optional<String> objection,
        Optional<ApplicationTunnel> binding,
        Bypass bypass,
        Controller controller) {

    public static final int HBONE_PORT = 15008;

    /// Serves both kinds of traffic.
    static final String EVERYTHING = "all";

    enum Controller {
        OURS,
        FOREIGN
    }

    /// The two kinds of things that have waypoints.
    public enum Traffic {
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

    public ObjectKey key() {
        return age.key();
    }

    /// Spelled exactly: any other word serves nothing.
    public boolean serves(Traffic traffic) {
        return serves.equals(EVERYTHING) || serves.equals(traffic.word());
    }

    /// Whether it is for one of these service accounts of a namespace, or for everybody.
    boolean isFor(String namespace, Set<String> accounts) {
        return account.isEmpty() || (namespace.equals(key().namespace()) && accounts.contains(account.get()));
    }

    /// Whether objects of a namespace may attach. A selector looks at the waypoint's own namespace, too.
    ///
    /// @param labels of the namespace; empty when there is no such object
    boolean admits(String namespace, Optional<Map<String, String>> labels) {
        return switch (allowedRoutes.from()) {
            case ALL -> true;
            case SAME -> namespace.equals(key().namespace());
            case SELECTOR -> labels.filter(allowedRoutes.selector()::matches).isPresent();
            case NONE -> false;
        };
    }

    /// Whether [#admits] looks at labels.
    boolean admitsBySelector() {
        return allowedRoutes.from() == AllowedRoutes.From.SELECTOR;
    }
}
