// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.refusal.PartKey;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.XdsType;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// What waypoints are told to serve, as of the latest cut: for whoever has to know when they do. Any thread may ask.
public final class WaypointOffers {

    private final Flow flow;
    private final Groups groups;
    private final Table<PartKey, Ownership.Owned> owned;
    private final Table<PartKey, WaypointParts.WaypointPart> parts;
    private final Table<ResourceKey, Made> made;

    WaypointOffers(
            MeshFlow mesh, Groups groups, Ownership ownership, WaypointParts parts, Table<ResourceKey, Made> made) {
        this.flow = mesh.flow();
        this.groups = groups;
        this.owned = ownership.table();
        this.parts = parts.table();
        this.made = made;
    }

    /// The waypoints behind these addresses that are to serve it. Empty for those that are not ours to configure.
    public Set<ObjectKey> waypoints(Address address, Set<GatewayAddress> waypoints) {
        var cut = flow.cut();
        var result = new LinkedHashSet<ObjectKey>();
        for (var waypoint : waypoints) {
            cut.of(groups.waypoints()).find(waypoint).orElse(List.of()).stream()
                    .filter(group -> cut.of(groups.table()).containsKey(group))
                    .filter(group -> !(address instanceof Service service)
                            || cut.of(owned).containsKey(PartKey.ofService(group, service.key())))
                    .forEach(result::add);
        }
        return result;
    }

    /// Whether the waypoint is told to serve it: not if its proxies refuse that.
    public boolean offers(ObjectKey waypoint, Address address) {
        return switch (address) {
            case Service service ->
                listener(flow.cut(), waypoint).containsKey(PartKey.ofService(waypoint, service.key()));
            default -> true; // all workloads are in one list
        };
    }

    private Map<PartKey, ?> listener(Cut cut, ObjectKey waypoint) {
        return cut.of(made)
                .find(ResourceKey.listener(waypoint, PartKey.SHARED_LISTENER))
                .map(Made::admitted)
                .orElse(Map.of());
    }

    /// What a proxy of the waypoint has to have for them.
    public Map<XdsType, Set<String>> resources(ObjectKey waypoint, Collection<Address> addresses) {
        var cut = flow.cut();
        var result = new HashMap<XdsType, Set<String>>();
        result.put(XdsType.LISTENER, Set.of(PartKey.SHARED_LISTENER));
        var routes = new HashSet<String>();
        var clusters = new HashSet<String>();
        for (var address : addresses) {
            if (address instanceof Service service) {
                var key = PartKey.ofService(waypoint, service.key());
                cut.of(owned).find(key).ifPresent(own -> routes.addAll(WaypointRoutes.names(own)));
                cut.of(parts)
                        .find(key)
                        .ifPresent(part -> part.uses().keySet().forEach(use -> clusters.add(use.name())));
            }
        }
        result.put(XdsType.ROUTES, routes);
        result.put(XdsType.CLUSTER, clusters);
        return result;
    }

    /// The pods that its proxies run in, as `name.namespace`, as far as they are known.
    public Set<String> pods(ObjectKey waypoint) {
        return flow.cut().of(groups.vantages()).find(waypoint).orElse(Map.of()).keySet().stream()
                .map(uid -> uid.split("/", -1))
                .filter(words -> words.length == 5 && words[2].equals("Pod"))
                .map(words -> words[4] + "." + words[3])
                .collect(Collectors.toSet());
    }
}
