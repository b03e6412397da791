package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.waypoint.HttpSlots;
import io.fathom.control.envoy.waypoint.ServiceChains;
import io.fathom.control.envoy.waypoint.WaypointListeners;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.ObjectKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// All tables, put together in the order in which they settle. Reads from top to bottom like a recipe.
final class EnvoyTables {
    private final MeshFlow mesh;
    private final Members members;
    private final WaypointParts parts;
    private final Groups groups;
    private final List<Table<ResourceKey, Message>> messages;
    private final Table<ResourceKey, Encoded> endpoints;

    EnvoyTables(MeshFlow mesh) {
        this.mesh = mesh;
        var flow = mesh.flow();

        // what there is
        var services = new MeshServices(mesh);
        members = new Members(mesh);
        groups = new Groups(mesh, members);

        // what services add to their waypoints
        parts = new WaypointParts(mesh, groups, services);

        // what proxies need
        Table<ResourceKey, Message> listeners = flow.deriveMany("envoy/listeners", groups.table(), this::listeners);
        Table<ResourceKey, Message> fixed = flow.deriveMany("envoy/fixed-clusters", groups.table(), this::fixed);
        var uses = flow.deriveMany("envoy/uses", parts.table(), (fetch, part) -> part.uses());
        var backends = new Backends(mesh, groups, services, members, uses);
        messages = List.of(backends.clusters(), fixed, listeners);
        endpoints = backends.endpoints();
    }

    /// Resources by group, type and name.
    List<Table<ResourceKey, Message>> messages() {
        return messages;
    }

    /// Likewise; encoded already, and the same bytes for many groups.
    Table<ResourceKey, Encoded> endpoints() {
        return endpoints;
    }

    Table<ObjectKey, Group> groups() {
        return groups.table();
    }

    private Map<ResourceKey, Message> listeners(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, Message>();
        if (group.proxies().role() == ProxyRole.WAYPOINT) {
            var settings = group.settings();
            var direct = new ServiceChains(settings).direct(HttpSlots.of(List.of()), ServiceChains.directTcp());
            WaypointListeners.of(settings, parts.of(fetch, group.key()), workloads(fetch, group), direct)
                    .forEach(listener -> result.put(ResourceKey.listener(group.key(), listener.getName()), listener));
        }
        return result;
    }

    private List<Ip> workloads(Fetch<ObjectKey> fetch, Group group) {
        return fetch.own(mesh.gateways())
                .flatMap(site -> site.address())
                .map(address -> members.behind(fetch, address, group.proxies().network()))
                .orElse(List.of());
    }

    private Map<ResourceKey, Message> fixed(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, Message>();
        if (group.proxies().role() == ProxyRole.WAYPOINT) {
            PlainClusters.fixed(group.settings().trustDomains())
                    .forEach(cluster -> result.put(ResourceKey.cluster(group.key(), cluster.getName()), cluster));
        }
        return result;
    }
}
