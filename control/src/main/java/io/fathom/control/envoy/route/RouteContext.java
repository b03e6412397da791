// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.Destinations;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import java.util.List;
import java.util.Optional;

/// What routes of one proxy refer to.
///
/// @param destinations where they may lead
/// @param grants which backends of other namespaces they may name
/// @param hashes how a destination picks its members by properties of requests
/// @param retries where a route says nothing of them; without, upstream's usual ones
public record RouteContext(
        Destinations destinations, Grants grants, Hashing hashes, SessionLabels labels, Optional<Retries> retries) {
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
        return new RouteContext(destinations, (_, _) -> true, hashes, SessionLabels.IGNORED, Optional.empty());
    }

    public static RouteContext atGateway(Destinations destinations, Grants grants, Hashing hashes) {
        return new RouteContext(destinations, grants, hashes, SessionLabels.HONOURED, Optional.empty());
    }

    public RouteContext withRetries(Optional<Retries> usual) {
        return new RouteContext(destinations, grants, hashes, labels, usual);
    }
}
