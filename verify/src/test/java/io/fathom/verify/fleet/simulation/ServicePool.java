// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Services and peers as clusters of a simulation have them, equal ones once: what a thousand clusters hold in a
/// thousand processes is in one here.
final class ServicePool {
    private final Map<Shape, ServiceSummary> services = new HashMap<>();
    private final Map<FleetPeer, FleetPeer> peers = new HashMap<>();

    private record Shape(String namespace, String name, int ready, int port, int region) {}

    /// A service in one of ten regions.
    ServiceSummary service(String namespace, String name, int ready, int port, int region) {
        return services.computeIfAbsent(new Shape(namespace, name, ready, port, region), ServicePool::summary);
    }

    private static ServiceSummary summary(Shape shape) {
        var place = new Locality("region-" + shape.region, "zone-a", "");
        return new ServiceSummary(
                shape.namespace,
                shape.name,
                List.of(new Port(shape.port, 8080, AppProtocol.HTTP11), new Port(9090, 9090, AppProtocol.TCP)),
                shape.ready == 0 ? List.of() : List.of(new ServiceSummary.LocalityShare(place, shape.ready)),
                Math.max(shape.ready, 3),
                List.of(shape.namespace + "/" + shape.name),
                ServiceSummary.NameScope.MESH_NAME,
                "");
    }

    /// An equal one.
    FleetPeer peer(FleetPeer peer) {
        return peers.computeIfAbsent(peer, it -> it);
    }
}
