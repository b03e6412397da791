// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.refusal.PartKey;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What each service adds to its waypoints: a row for each pair of them, made again when the service, or something that
/// its policies or telemetry looked at, changes. Neither routes nor endpoints are part of it.
final class WaypointParts {
    /// @param uses the clusters that its chains lead to
    record WaypointPart(ObjectKey group, ServicePart chains, Map<ResourceKey, ClusterUse> uses) {}

    private final Table<PartKey, WaypointPart> table;
    private final Index<ObjectKey, PartKey, WaypointPart> byGroup;

    WaypointParts(MeshFlow mesh, Groups groups, Ownership ownership, Rulebook rulebook, WaypointRoutes routes) {
        table = mesh.flow()
                .derive(
                        "envoy/parts",
                        ownership.table(),
                        (fetch, own) -> fetch.one(groups.table(), own.group()).map(group -> {
                            var destinations = ownership.destinations(fetch, group.key());
                            var chains = new ChainWriter(fetch, rulebook, group, destinations)
                                    .part(
                                            own.service(),
                                            port -> routes.filters(fetch, group.key(), own.service(), port));
                            var isGlobal = fetch.one(
                                            mesh.globalServices(),
                                            own.service().service().key())
                                    .isPresent();
                            return new WaypointPart(
                                    group.key(),
                                    chains.with(isGlobal ? Scope.GLOBAL : Scope.LOCAL),
                                    destinations.uses());
                        }));
        byGroup = mesh.flow().index("envoy/parts-by-group", table, part -> Set.of(part.group()));
    }

    Table<PartKey, WaypointPart> table() {
        return table;
    }

    /// All of a group, oldest service first.
    Map<PartKey, ServicePart> of(Fetch<?> fetch, ObjectKey group) {
        return oldestFirst(group, fetch.all(byGroup, group));
    }

    static Map<PartKey, ServicePart> oldestFirst(ObjectKey group, List<WaypointPart> parts) {
        var result = new LinkedHashMap<PartKey, ServicePart>();
        parts.stream()
                .map(WaypointPart::chains)
                .sorted(Comparator.comparing(part -> part.service().metadata(), Metadata.OLDEST_FIRST))
                .forEach(part -> result.put(
                        PartKey.ofService(group, part.service().service().key()), part));
        return result;
    }
}
