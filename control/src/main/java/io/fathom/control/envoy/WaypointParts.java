package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What each service adds to its waypoints: a row for each pair of them, made again when the service, or something that
/// its routes, policies or telemetry looked at, changes. Endpoints are no part of it.
final class WaypointParts {
    /// A service that a group stands in front of.
    private record Owned(ObjectKey group, MeshService service) {}

    /// @param uses the clusters that its chains lead to
    record Part(ObjectKey group, ServicePart chains, Map<ResourceKey, ClusterUse> uses) {}

    private final Groups groups;
    private final Table<PartKey, Owned> owned;
    private final Table<PartKey, Part> table;
    private final Index<ObjectKey, PartKey, Part> byGroup;

    WaypointParts(MeshFlow mesh, Groups groups, MeshServices services, Rulebook rulebook) {
        this.groups = groups;
        owned = mesh.flow().deriveMany("envoy/owned", services.table(), this::owners);
        table = mesh.flow()
                .derive(
                        "envoy/parts",
                        owned,
                        (fetch, own) -> fetch.one(groups.table(), own.group()).map(group -> {
                            var destinations = new RecordedDestinations(
                                    fetch, group.key(), services, key -> owns(fetch, group.key(), key));
                            var chains = new ChainWriter(fetch, rulebook, group, destinations).part(own.service());
                            return new Part(group.key(), chains, destinations.uses());
                        }));
        byGroup = mesh.flow().index("envoy/parts-by-group", table, part -> Set.of(part.group()));
    }

    Table<PartKey, Part> table() {
        return table;
    }

    /// All of a group, oldest service first.
    Map<PartKey, ServicePart> of(Fetch<?> fetch, ObjectKey group) {
        return oldestFirst(group, fetch.all(byGroup, group));
    }

    static Map<PartKey, ServicePart> oldestFirst(ObjectKey group, List<Part> parts) {
        var result = new LinkedHashMap<PartKey, ServicePart>();
        parts.stream()
                .map(Part::chains)
                .sorted(Comparator.comparing(part -> part.service().metadata(), Metadata.OLDEST_FIRST))
                .forEach(part -> result.put(
                        PartKey.ofService(group, part.service().service().key()), part));
        return result;
    }

    /// Whether the group stands in front of the service.
    boolean owns(Fetch<?> fetch, ObjectKey group, String service) {
        return fetch.one(owned, PartKey.ofService(group, service)).isPresent();
    }

    private Map<PartKey, Owned> owners(Fetch<String> fetch, MeshService service) {
        if (service.resolution() == Resolution.DYNAMIC_DNS) {
            return Map.of();
        }
        var result = new LinkedHashMap<PartKey, Owned>();
        for (var address : waypoints(service)) {
            for (var group : groups.waypoints(fetch, address)) {
                result.put(PartKey.ofService(group, service.service().key()), new Owned(group, service));
            }
        }
        return result;
    }

    static Set<GatewayAddress> waypoints(MeshService service) {
        var result = new LinkedHashSet<GatewayAddress>();
        service.service().waypoint().ifPresent(result::add);
        service.service().weightedWaypoints().forEach(share -> result.add(share.destination()));
        return result;
    }
}
