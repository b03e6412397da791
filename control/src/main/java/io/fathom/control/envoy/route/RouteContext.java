package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.Destinations;
import java.util.List;

/// What routes of one proxy refer to.
///
/// @param destinations where they may lead
/// @param grants which backends of other namespaces they may name
/// @param hashes how a destination picks its members by properties of requests
public record RouteContext(Destinations destinations, Grants grants, Hashing hashes, SessionLabels labels) {
    /// What becomes of `istio.io/persistent-session` labels of services.
    public enum SessionLabels {
        /// As at gateways.
        HONOURED,
        /// As at waypoints.
        IGNORED
    }

    /// Inside the mesh: clients could call other namespaces themselves, so no grant is needed.
    public static RouteContext inMesh(Destinations destinations) {
        return inMesh(destinations, (_, _, _) -> List.of());
    }

    public static RouteContext inMesh(Destinations destinations, Hashing hashes) {
        return new RouteContext(destinations, (_, _) -> true, hashes, SessionLabels.IGNORED);
    }

    public static RouteContext atGateway(Destinations destinations, Grants grants, Hashing hashes) {
        return new RouteContext(destinations, grants, hashes, SessionLabels.HONOURED);
    }
}
