// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.IngressListeners;
import io.fathom.control.envoy.ingress.IngressProxy;
import io.fathom.control.envoy.ingress.IngressServer;
import io.fathom.control.envoy.ingress.Misdirected;
import io.fathom.control.envoy.ingress.PortPlan;
import io.fathom.control.envoy.ingress.ServerNames;
import io.fathom.control.envoy.ingress.StreamRoute;
import io.fathom.control.envoy.ingress.Topology;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.refusal.Quarantine;
import io.fathom.control.envoy.route.GatewayRoutes;
import io.fathom.control.envoy.route.RequestPort;
import io.fathom.control.envoy.route.RouteContext;
import io.fathom.control.envoy.route.TcpRoutes;
import io.fathom.control.envoy.route.TcpTarget;
import io.fathom.control.envoy.telemetry.GatewayBaggage;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ConnectOriginate;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// What ingress proxies are configured with: a row for each port, each route table and each certificate, made again
/// when something that it looked at changes. A route that changes does not touch listeners, unless it needs a filter.
final class IngressParts {
    /// A port of a group.
    private record PortKey(ObjectKey group, String bind, int port) implements Comparable<PortKey> {
        private static final Comparator<PortKey> ORDER = Comparator.comparing(PortKey::group)
                .thenComparing(PortKey::bind)
                .thenComparingInt(PortKey::port);

        @Override
        public int compareTo(PortKey other) {
            return ORDER.compare(this, other);
        }
    }

    private static final String ALL = "";
    /// Where east-west gateways take the TLS of sidecars.
    private static final int SIDECARS = 15443;

    private record Port(Group group, PortPlan plan) {}

    /// A route table and those who share it.
    ///
    /// @param elsewhere hosts of other listeners on its port
    private record RouteTable(Group group, RequestPort port, List<IngressServer> servers, List<String> elsewhere) {}

    private record BuiltListener(Ingredients.Made made, Optional<Listener> listener) {}

    /// @param byServer where connections go
    private record Streams(Map<IngressServer, List<StreamRoute>> byServer, Map<ResourceKey, ClusterUse> uses) {}

    private final MeshServices services;
    private final Rulebook rulebook;
    private final IngressEntrances entrances;
    private final IngressExtras extras;
    private final FarEndpoints far;
    private final Table<ResourceKey, RouteRow> routes;
    private final Table<PortKey, Streams> streams;
    private final Table<ResourceKey, Message> listeners;
    private final Table<ResourceKey, Message> tables;
    private final Table<ResourceKey, ClusterUse> uses;
    private final Quarantine quarantine;
    private final Index<String, String, MeshService> shared;
    private final Table<ResourceKey, Ingredients.Made> made;

    IngressParts(
            MeshFlow mesh,
            Groups groups,
            MeshServices services,
            Rulebook rulebook,
            IngressEntrances entrances,
            FarEndpoints far,
            Quarantine quarantine) {
        this.quarantine = quarantine;
        this.services = services;
        this.rulebook = rulebook;
        this.entrances = entrances;
        this.far = far;
        var flow = mesh.flow();
        shared = flow.index(
                "envoy/services-by-server-name",
                flow.derive(
                        "envoy/services-with-server-names",
                        services.table(),
                        (fetch, service) -> Optional.of(service)
                                .filter(own -> own.resolution() == Resolution.ENDPOINTS
                                        && fetch.own(mesh.globalServices()).isPresent())),
                _ -> Set.of(ALL));
        Table<PortKey, Port> ports = flow.deriveMany("envoy/ingress-ports", groups.table(), this::ports);
        Table<ResourceKey, RouteTable> wanted =
                flow.deriveMany("envoy/ingress-route-tables", groups.table(), this::routeTables);
        extras = new IngressExtras(mesh, groups, services, rulebook);
        routes = flow.derive("envoy/ingress-routes", wanted, this::routes);
        streams = flow.derive("envoy/ingress-streams", ports, this::streams);
        tables = flow.derive("envoy/ingress-route-messages", routes, (fetch, row) -> Optional.of(row.table()));
        var built = flow.derive("envoy/ingress-built-listeners", ports, this::listener);
        Table<ResourceKey, BuiltListener> all = flow.join(
                "envoy/ingress-all-listeners",
                List.of(
                        flow.deriveMany(
                                "envoy/ingress-listeners-of-ports",
                                built,
                                (_, row) -> Map.of(row.made().resource(), row)),
                        flow.deriveMany("envoy/ingress-listeners-of-groups", groups.table(), this::tunnels)));
        listeners = flow.derive(
                "envoy/ingress-listeners", all, (_, row) -> row.listener().map(own -> own));
        made = flow.join(
                "envoy/ingress-made",
                List.of(
                        flow.derive("envoy/ingress-made-tables", routes, (_, row) -> Optional.of(row.made())),
                        flow.derive("envoy/ingress-made-listeners", all, (_, row) -> Optional.of(row.made()))));
        uses = flow.join(
                "envoy/ingress-uses",
                List.of(
                        extras.uses(),
                        flow.deriveMany("envoy/ingress-uses-of-routes", routes, (fetch, row) -> row.uses()),
                        flow.deriveMany("envoy/ingress-uses-of-streams", streams, (fetch, row) -> row.uses())));
    }

    /// Those of ports, and the ones into tunnels.
    Table<ResourceKey, Message> listeners() {
        return listeners;
    }

    Table<ResourceKey, Message> routeTables() {
        return tables;
    }

    /// What route tables and listeners are made from.
    Table<ResourceKey, Ingredients.Made> made() {
        return made;
    }

    /// The clusters that routes lead to.
    Table<ResourceKey, ClusterUse> uses() {
        return uses;
    }

    private Map<PortKey, Port> ports(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<PortKey, Port>();
        for (var plan : plans(fetch, group)) {
            result.put(new PortKey(group.key(), plan.bind(), plan.port()), new Port(group, plan));
        }
        return result;
    }

    private Map<ResourceKey, RouteTable> routeTables(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, RouteTable>();
        for (var plan : plans(fetch, group)) {
            plan.routeTables()
                    .forEach((name, servers) -> result.put(
                            new ResourceKey(group.key(), XdsType.ROUTES, name),
                            new RouteTable(
                                    group,
                                    port(servers.getFirst()),
                                    servers,
                                    Misdirected.others(plan, servers.getFirst()))));
        }
        return result;
    }

    private List<PortPlan> plans(Fetch<ObjectKey> fetch, Group group) {
        return switch (group.proxies().role()) {
            case INGRESS -> PortPlan.of(entrances.servers(fetch, group)).plans();
            case EAST_WEST -> PortPlan.of(passthrough(fetch, group)).plans();
            case WAYPOINT -> List.of();
        };
    }

    /// What other networks may send without tunnels: TLS that ends at the backends.
    private List<IngressServer> passthrough(Fetch<ObjectKey> fetch, Group group) {
        return entrances.servers(fetch, group).stream()
                .filter(server -> server.traffic().isPassedThrough())
                .map(server -> server.port() == SIDECARS ? server.choosingServices() : server)
                .toList();
    }

    private static RequestPort port(IngressServer server) {
        return new RequestPort(
                server.port(),
                server.traffic() == IngressServer.ServerTraffic.HTTPS
                        ? RequestPort.Scheme.HTTPS
                        : RequestPort.Scheme.HTTP);
    }

    private Optional<RouteRow> routes(Fetch<ResourceKey> fetch, RouteTable table) {
        var group = table.group();
        var destinations = destinations(fetch, group);
        var first = table.servers().getFirst();
        var port = table.port().number();
        var all = table.servers().stream()
                .map(server -> entrances.entrance(fetch, group, server))
                .toList();
        var parts = new Ingredients(new ResourceKey(group.key(), XdsType.ROUTES, first.routeTable()));
        parts.addRoutes(all);
        parts.addFilters(rulebook.users().filters(fetch, group.proxies()));
        parts.admit(fetch, quarantine);
        var plan = GatewayRoutes.hosts(context(fetch, group, destinations), table.port(), parts.entrances(all));
        var hosts = new Misdirected(port, first.hostnames(), table.elsewhere()).guard(plan.hosts());
        var routes = IngressListeners.routes(first.routeTable(), port, hosts);
        return Optional.of(new RouteRow(
                parts.made(),
                rulebook.users().patches(fetch, group, parts).routes(routes),
                plan.filters(),
                destinations.uses()));
    }

    private RecordedDestinations destinations(Fetch<?> fetch, Group group) {
        return new RecordedDestinations(fetch, group.key(), services, _ -> false);
    }

    private RouteContext context(Fetch<?> fetch, Group group, RecordedDestinations destinations) {
        var hashes = rulebook.inMesh(fetch, group.proxies(), destinations).hashes();
        return RouteContext.atGateway(destinations, entrances.grants(fetch), hashes)
                .withRetries(group.settings().traffic().retries());
    }

    private Optional<Streams> streams(Fetch<PortKey> fetch, Port port) {
        var byServer = new HashMap<IngressServer, List<StreamRoute>>();
        var destinations = destinations(fetch, port.group());
        for (var claim : port.plan().claims()) {
            var server = claim.server();
            if (!server.traffic().isHttp()) {
                byServer.put(server, streams(fetch, port.group(), destinations, server));
            }
        }
        return byServer.isEmpty() ? Optional.empty() : Optional.of(new Streams(byServer, destinations.uses()));
    }

    private List<StreamRoute> streams(
            Fetch<?> fetch, Group group, RecordedDestinations destinations, IngressServer server) {
        var context = context(fetch, group, destinations);
        var entrance = entrances.entrance(fetch, group, server);
        var named = server.traffic() == IngressServer.ServerTraffic.AUTO_PASSTHROUGH
                ? ServerNames.routes(server, fetch.all(shared, ALL), destinations)
                : List.<StreamRoute>of();
        var routes = switch (server.traffic()) {
            case AUTO_PASSTHROUGH ->
                server.origin() != IngressServer.ServerOrigin.ISTIO
                        ? TcpRoutes.passthrough(context, port(server), entrance)
                        : List.<TcpRoutes.ByServerName>of();
            case PASSTHROUGH -> TcpRoutes.passthrough(context, port(server), entrance);
            case TLS -> TcpRoutes.terminated(context, port(server), entrance);
            case TCP, HTTP, HTTPS ->
                TcpRoutes.plain(context, port(server), entrance)
                        .map(target -> List.of(new TcpRoutes.ByServerName(List.of(), target)))
                        .orElse(List.of());
        };
        return Stream.concat(
                        named.stream(), routes.stream().map(route -> stream(server, route.names(), route.target())))
                .toList();
    }

    private static StreamRoute stream(IngressServer server, List<String> names, TcpTarget target) {
        var shares = target.shares().stream()
                .map(share -> new StreamRoute.Share(share.cluster(), share.weight()))
                .toList();
        return new StreamRoute(server.name() + (names.isEmpty() ? "" : "." + names.getFirst()), names, shares);
    }

    private Optional<BuiltListener> listener(Fetch<PortKey> fetch, Port port) {
        var group = port.group();
        var filters = new ArrayList<HttpFilter>();
        for (var name : port.plan().routeTables().keySet()) {
            fetch.one(routes, new ResourceKey(group.key(), XdsType.ROUTES, name))
                    .ifPresent(row -> row.filters().stream()
                            .filter(filter -> !filters.contains(filter))
                            .forEach(filters::add));
        }
        var byServer = fetch.own(streams).map(Streams::byServer).orElse(Map.of());
        var writer = new IngressListeners(
                proxy(group), extras.of(fetch, group, port.plan().port(), filters));
        var parts = new Ingredients(ResourceKey.listener(group.key(), writer.name(port.plan())));
        parts.addServers(port.plan());
        parts.addFilters(rulebook.users().filters(fetch, group.proxies()));
        parts.admit(fetch, quarantine);
        var listener = writer.listener(parts.plan(port.plan()), server -> byServer.getOrDefault(server, List.of()))
                .flatMap(rulebook.users().patches(fetch, group, parts)::listener);
        return Optional.of(new BuiltListener(parts.made(), listener));
    }

    private Map<ResourceKey, BuiltListener> tunnels(Fetch<ObjectKey> fetch, Group group) {
        var result = new LinkedHashMap<ResourceKey, BuiltListener>();
        if (group.proxies().role() == ProxyRole.INGRESS) {
            var filters = rulebook.users().filters(fetch, group.proxies());
            var tunnels = ConnectOriginate.listener(GatewayBaggage.of(group.proxies()));
            Stream.concat(Stream.of(tunnels), far.listeners(fetch, group).stream())
                    .forEach(tunnel -> {
                        var parts = new Ingredients(ResourceKey.listener(group.key(), tunnel.getName()));
                        parts.addFilters(filters);
                        parts.admit(fetch, quarantine);
                        var patches = rulebook.users().patches(fetch, group, parts);
                        result.put(parts.made().resource(), new BuiltListener(parts.made(), patches.listener(tunnel)));
                    });
        }
        return result;
    }

    private static IngressProxy proxy(Group group) {
        var addresses = new ArrayList<String>();
        if (group.settings().families().contains(Ip.Family.V4)) {
            addresses.add("0.0.0.0");
        }
        if (group.settings().families().contains(Ip.Family.V6)) {
            addresses.add("::");
        }
        return new IngressProxy(
                group.proxies(),
                addresses,
                group.settings().trustDomains(),
                group.settings().secrets(),
                topology(group.gateway()),
                group.settings().traffic().paths(),
                IngressProxy.Ports.ALL,
                group.settings().keyExchange());
    }

    private static Topology topology(GatewayManifest gateway) {
        var annotations = new HashMap<>(gateway.annotations());
        gateway.infrastructure().annotations().ifPresent(annotations::putAll);
        return Topology.of(annotations);
    }
}
