package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.Layer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.waypoint.HttpSlots;
import io.fathom.control.envoy.waypoint.ServiceChains;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.TcpSlots;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What each service adds to its waypoints: a row for each pair of them, made again when the service, or something that
/// its routes, policies or telemetry looked at, changes. Endpoints are no part of it.
final class WaypointParts {
    /// A service that a group stands in front of.
    private record Owned(ObjectKey group, MeshService service) {}

    /// @param uses the clusters that its chains lead to
    record Part(ObjectKey group, ServicePart chains, Map<ResourceKey, ClusterUse> uses) {}

    private final Groups groups;
    private final MeshServices services;
    private final Table<PartKey, Owned> owned;
    private final Table<PartKey, Part> table;
    private final Index<ObjectKey, PartKey, Part> byGroup;

    WaypointParts(MeshFlow mesh, Groups groups, MeshServices services) {
        this.groups = groups;
        this.services = services;
        owned = mesh.flow().deriveMany("envoy/owned", services.table(), this::owners);
        table = mesh.flow()
                .derive(
                        "envoy/parts",
                        owned,
                        (fetch, own) ->
                                fetch.one(groups.table(), own.group()).map(group -> part(fetch, group, own.service())));
        byGroup = mesh.flow().index("envoy/parts-by-group", table, part -> Set.of(part.group()));
    }

    Table<PartKey, Part> table() {
        return table;
    }

    /// All of a group, oldest service first.
    List<ServicePart> of(Fetch<?> fetch, ObjectKey group) {
        return fetch.all(byGroup, group).stream()
                .map(Part::chains)
                .sorted(Comparator.comparing(part -> part.service().metadata(), Metadata.OLDEST_FIRST))
                .toList();
    }

    /// Whether the group stands in front of the service.
    boolean owns(Fetch<?> fetch, ObjectKey group, String service) {
        return fetch.one(owned, new PartKey(group, service)).isPresent();
    }

    private Map<PartKey, Owned> owners(Fetch<String> fetch, MeshService service) {
        if (service.resolution() == Resolution.DYNAMIC_DNS) {
            return Map.of();
        }
        var result = new LinkedHashMap<PartKey, Owned>();
        for (var address : waypoints(service)) {
            for (var group : groups.waypoints(fetch, address)) {
                result.put(new PartKey(group, service.service().key()), new Owned(group, service));
            }
        }
        return result;
    }

    private static Set<GatewayAddress> waypoints(MeshService service) {
        var result = new LinkedHashSet<GatewayAddress>();
        service.service().waypoint().ifPresent(result::add);
        service.service().weightedWaypoints().forEach(share -> result.add(share.destination()));
        return result;
    }

    private Part part(Fetch<PartKey> fetch, Group group, MeshService service) {
        var destinations = new RecordedDestinations(fetch, group.key(), services, key -> owns(fetch, group.key(), key));
        var chains = new ServiceChains(group.settings());
        var ports = new ArrayList<PortPart>();
        for (var port : service.ports()) {
            ports.add(port(destinations, chains, service, port));
        }
        return new Part(group.key(), new ServicePart(service, ports), destinations.uses());
    }

    private static PortPart port(
            RecordedDestinations destinations, ServiceChains chains, MeshService service, ServicePort port) {
        return switch (port.protocol()) {
            case HTTP11, HTTP2, GRPC ->
                new PortPart(
                        port.number(),
                        Optional.of(http(destinations, chains, service, port)),
                        Optional.empty(),
                        PortPart.Encryption.NONE);
            case TCP, TLS ->
                new PortPart(
                        port.number(),
                        Optional.empty(),
                        Optional.of(tcp(destinations, chains, service, port)),
                        port.protocol() == AppProtocol.TLS ? PortPart.Encryption.TLS : PortPart.Encryption.NONE);
            case UNKNOWN ->
                new PortPart(
                        port.number(),
                        Optional.of(http(destinations, chains, service, port)),
                        Optional.of(tcp(destinations, chains, service, port)),
                        PortPart.Encryption.NONE);
        };
    }

    private static FilterChain http(
            RecordedDestinations destinations, ServiceChains chains, MeshService service, ServicePort port) {
        var name = ClusterName.behindWaypoint(port.number(), Layer.HTTP, "", service.hostname());
        var cluster = destinations.cluster(service, port.number(), Layer.HTTP, "");
        var routes = List.of(PlainClusters.defaultRoute(cluster.toString(), service, port.number()));
        return chains.http(name, port, HttpSlots.of(routes));
    }

    private static FilterChain tcp(
            RecordedDestinations destinations, ServiceChains chains, MeshService service, ServicePort port) {
        var name = ClusterName.behindWaypoint(port.number(), Layer.TCP, "", service.hostname());
        var cluster = destinations.cluster(service, port.number(), Layer.TCP, "");
        return chains.tcp(name, TcpSlots.of(cluster.toString()));
    }
}
