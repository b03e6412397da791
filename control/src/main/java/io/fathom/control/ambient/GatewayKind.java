package io.fathom.control.ambient;

import io.fathom.wire.kube.GatewayClassManifest;
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
    static GatewayKind of(String className, Optional<GatewayClassManifest> manifest) {
        if (className.equals(REMOTE_CLASS)) {
            return REMOTE;
        }
        return switch (manifest.map(GatewayClassManifest::controllerName).orElse(className)) {
            case "istio.io/gateway-controller", "istio" -> INGRESS;
            case "istio.io/unmanaged-gateway" -> REMOTE;
            case "istio.io/eastwest-controller", "istio-east-west", "istio-eastwest" -> EAST_WEST;
            default -> WAYPOINT;
        };
    }

    /// Why such a Gateway is no waypoint.
    Optional<String> objection() {
        return switch (this) {
            case WAYPOINT -> Optional.empty();
            case INGRESS -> Optional.of("is an ingress gateway, not a waypoint");
            case REMOTE -> Optional.of("stands for the gateway of another network, not for a waypoint");
            case EAST_WEST -> Optional.of("is an east-west gateway, not a waypoint");
        };
    }
}
