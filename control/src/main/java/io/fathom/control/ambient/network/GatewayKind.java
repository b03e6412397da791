// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.control.ambient.input.Markers;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import java.util.Optional;

/// What a Gateway of some class is for.
public enum GatewayKind {
    /// Sits in front of services and workloads. Also every class that somebody else's controller runs.
    WAYPOINT,
    /// Lets traffic into the mesh.
    INGRESS,
    /// Stands in for the gateway of another network; nothing runs behind it here.
    REMOTE,
    /// Lets other networks in.
    EAST_WEST;

    private static final String REMOTE_CLASS = "istio-remote";

    /// By the controller of the class; for a class that is not there, by the names that istiod creates itself.
    public static GatewayKind of(String className, Optional<GatewayClassManifest> manifest) {
        if (className.equals(REMOTE_CLASS)) {
            return REMOTE;
        }
        return GatewayProfile.of(className, manifest.map(GatewayClassManifest::controllerName))
                .map(profile -> switch (profile) {
                    case INGRESS -> INGRESS;
                    case REMOTE -> REMOTE;
                    case EAST_WEST -> EAST_WEST;
                    case WAYPOINT -> WAYPOINT;
                })
                .orElse(WAYPOINT);
    }

    /// Why such a Gateway is no waypoint.
    public Optional<String> objection() {
        return switch (this) {
            case WAYPOINT -> Optional.empty();
            case INGRESS ->
                Optional.of("is an ingress gateway; it can be a waypoint only with label " + Markers.DATAPLANE_MODE
                        + ": ambient and a listener on port 15008");
            case REMOTE -> Optional.of("stands for the gateway of another network, not for a waypoint");
            case EAST_WEST -> Optional.of("is an east-west gateway, not a waypoint");
        };
    }
}
