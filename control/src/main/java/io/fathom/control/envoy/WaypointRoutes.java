// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.Ownership.Owned;
import io.fathom.control.envoy.cluster.Clusters;
import io.fathom.control.envoy.cluster.DynamicForward;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.refusal.Quarantine;
import io.fathom.control.envoy.route.ServiceRoutes;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ServiceChains;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.XdsType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The route tables of waypoints: one for each port with requests of each service, made again when something that it
/// looked at changes. A route that changes does not touch the listener, unless it needs a filter: connections stay.
final class WaypointRoutes {
    private record Wanted(ObjectKey group, MeshService service, ServicePort port) {}

    private final Groups groups;
    private final Ownership ownership;
    private final Rulebook rulebook;
    private final Quarantine quarantine;
    private final Table<ResourceKey, List<HttpFilter>> filters;
    private final Table<ResourceKey, Message> tables;
    private final Table<ResourceKey, Made> made;
    private final Table<ResourceKey, ClusterUse> uses;

    WaypointRoutes(MeshFlow mesh, Groups groups, Ownership ownership, Rulebook rulebook, Quarantine quarantine) {
        this.groups = groups;
        this.ownership = ownership;
        this.rulebook = rulebook;
        this.quarantine = quarantine;
        var flow = mesh.flow();
        Table<ResourceKey, Wanted> wanted =
                flow.deriveMany("envoy/waypoint-route-tables", ownership.table(), (_, own) -> wanted(own));
        var rows = flow.derive("envoy/waypoint-routes", wanted, this::row);
        tables = flow.derive("envoy/waypoint-route-messages", rows, (_, row) -> Optional.of(row.table()));
        made = flow.derive("envoy/waypoint-made-tables", rows, (_, row) -> Optional.of(row.made()));
        filters = flow.derive(
                "envoy/waypoint-route-filters",
                rows,
                (_, row) -> row.filters().isEmpty() ? Optional.empty() : Optional.of(row.filters()));
        uses = flow.deriveMany("envoy/uses-of-waypoint-routes", rows, (_, row) -> row.uses());
    }

    Table<ResourceKey, Message> tables() {
        return tables;
    }

    /// What tables are made from.
    Table<ResourceKey, Made> made() {
        return made;
    }

    /// The clusters that routes lead to.
    Table<ResourceKey, ClusterUse> uses() {
        return uses;
    }

    /// What the routes of a service's port count on in its chain.
    List<HttpFilter> filters(Fetch<?> fetch, ObjectKey group, MeshService service, ServicePort port) {
        return fetch.one(filters, key(group, service, port)).orElse(List.of());
    }

    private static ResourceKey key(ObjectKey group, MeshService service, ServicePort port) {
        var name = ClusterName.behindWaypoint(port.number(), ClusterLayer.HTTP, "", service.hostname());
        return new ResourceKey(group, XdsType.ROUTES, name.toString());
    }

    /// The names of the tables of a service.
    static Set<String> names(Owned own) {
        return wanted(own).keySet().stream().map(ResourceKey::name).collect(Collectors.toSet());
    }

    private static Map<ResourceKey, Wanted> wanted(Owned own) {
        var result = new LinkedHashMap<ResourceKey, Wanted>();
        for (var port : own.service().ports()) {
            if (Clusters.layers(port).contains(ClusterLayer.HTTP)) {
                result.put(key(own.group(), own.service(), port), new Wanted(own.group(), own.service(), port));
            }
        }
        return result;
    }

    private Optional<RouteRow> row(Fetch<ResourceKey> fetch, Wanted wanted) {
        return fetch.one(groups.table(), wanted.group()).map(group -> row(fetch, group, wanted));
    }

    private RouteRow row(Fetch<ResourceKey> fetch, Group group, Wanted wanted) {
        var service = wanted.service();
        var key = key(group.key(), service, wanted.port());
        var routes = rulebook.routes(fetch, group.key(), service, wanted.port());
        var virtualServices = rulebook.virtualServices(fetch, service);
        var parts = new Ingredients(key);
        parts.addRoutes(routes, virtualServices);
        parts.addFilters(rulebook.users().filters(fetch, group.proxies()));
        parts.admit(fetch, quarantine);
        var destinations = ownership.destinations(fetch, group.key());
        var plan = ServiceRoutes.http(
                rulebook.inMesh(fetch, group.proxies(), destinations),
                group.proxies().namespace(),
                service,
                wanted.port(),
                parts.routes(routes),
                parts.virtualServices(virtualServices));
        var port = wanted.port().number();
        var table = ServiceChains.routes(key.name(), port, DynamicForward.domains(service, port), plan.routes());
        return new RouteRow(
                parts.made(),
                rulebook.users().patches(fetch, group, parts).routes(table),
                plan.filters(),
                destinations.uses());
    }
}
