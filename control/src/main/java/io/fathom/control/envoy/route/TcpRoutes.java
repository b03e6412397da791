// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.gateway.Hostnames;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ConnectionRule;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Callers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Where connections go that nobody looks into. What chooses by server name counts before what takes every connection;
/// of equals, the oldest.
public final class TcpRoutes {
    private TcpRoutes() {}

    /// Connections for some server names.
    ///
    /// @param names most specific first; `*` or none for all
    public record ByServerName(List<String> names, TcpTarget target) {
        public ByServerName {
            names = List.copyOf(names);
        }
    }

    /// For a port of a service behind a waypoint. There is no choice by server name there, so routes for TLS count only
    /// when they are for all names, or for that of the service alone.
    ///
    /// @param proxyNamespace that of the waypoint
    /// @param routes of the Gateway API that are in effect there
    /// @param virtualServices that may be about the service, oldest first; those that are not are left out
    public static TcpTarget service(
            RouteContext context,
            String proxyNamespace,
            MeshService service,
            ServicePort port,
            List<? extends RouteManifest> routes,
            List<VirtualServiceManifest> virtualServices) {
        var bound = Attached.virtualServices(proxyNamespace, service, virtualServices);
        var number = port.number();
        return tlsRoutes(routes)
                .findFirst()
                .map(route -> target(context, route, route.rules()))
                .or(() -> bound.stream()
                        .flatMap(owner -> owner.tls().stream()
                                .filter(rule -> rule.matches().stream()
                                        .anyMatch(match -> match.serverNames().equals(List.of(service.hostname()))
                                                && isForUs(owner, match.port(), match.callers(), number)))
                                .map(rule -> target(context, owner, rule.to(), number)))
                        .findFirst())
                .or(() -> tcpRoutes(routes).findFirst().map(route -> target(context, route, route.rules())))
                .or(() -> tcp(context, Viewpoint.MESH, bound, number))
                .orElseGet(() -> new TcpTarget(List.of(new TcpTarget.Share(
                        context.destinations()
                                .cluster(service, number, ClusterLayer.TCP, "")
                                .toString(),
                        1,
                        Optional.of(service),
                        number,
                        ""))));
    }

    private static boolean isForUs(VirtualServiceManifest owner, int wanted, Callers callers, int port) {
        return (wanted == 0 || wanted == port)
                && callers.sourceNamespace().isEmpty()
                && Viewpoint.MESH.sees(owner, callers);
    }

    /// For a gateway's port that takes every connection; empty when nobody wants them.
    public static Optional<TcpTarget> plain(RouteContext context, RequestPort port, Entrance entrance) {
        return tcpRoutes(
                        entrance.routes().stream().map(Entrance.Attached::route).toList())
                .findFirst()
                .map(route -> target(context, route, route.rules()))
                .or(() -> {
                    var viewpoint = new Viewpoint(entrance.gateway());
                    var bound = entrance.virtualServices().stream()
                            .filter(viewpoint::sees)
                            .toList();
                    return tcp(context, viewpoint, bound, port.number());
                });
    }

    /// For a gateway's port that ends TLS: what chooses by server name, then what takes every other connection. No name
    /// is in two of them, and at most the last one has none, which means all.
    public static List<ByServerName> terminated(RouteContext context, RequestPort port, Entrance entrance) {
        return Stream.concat(
                        // rules of VirtualServices for TLS are for TLS that nobody ends
                        entrance.isListener() ? passthrough(context, port, entrance).stream() : Stream.empty(),
                        plain(context, port, entrance).map(target -> new ByServerName(List.of(), target)).stream())
                .toList();
    }

    /// For a gateway's port that chooses by server name and leaves TLS alone. No name is in two of them.
    public static List<ByServerName> passthrough(RouteContext context, RequestPort port, Entrance entrance) {
        Map<String, TcpTarget> byName = new TreeMap<>(Hostnames.MOST_SPECIFIC_FIRST);
        for (var attached : entrance.routes()) {
            if (attached.route() instanceof TlsRouteManifest route) {
                var target = target(context, route, route.rules());
                attached.hosts().forEach(host -> byName.putIfAbsent(host, target));
            }
        }
        if (!entrance.isListener()) {
            addVirtualServices(context, port, entrance, byName);
        }
        var grouped = new TreeMap<String, ByServerName>(Hostnames.MOST_SPECIFIC_FIRST);
        byName.forEach((name, target) -> {
            var same = grouped.values().stream()
                    .filter(each -> each.target().equals(target))
                    .findFirst();
            same.ifPresentOrElse(
                    each -> grouped.put(
                            each.names().getFirst(),
                            new ByServerName(
                                    Stream.concat(each.names().stream(), Stream.of(name))
                                            .toList(),
                                    target)),
                    () -> grouped.put(name, new ByServerName(List.of(name), target)));
        });
        return List.copyOf(grouped.values());
    }

    private static void addVirtualServices(
            RouteContext context, RequestPort port, Entrance entrance, Map<String, TcpTarget> byName) {
        var viewpoint = new Viewpoint(entrance.gateway());
        var namespace = entrance.gateway().substring(0, entrance.gateway().indexOf('/'));
        for (var owner : entrance.virtualServices()) {
            if (viewpoint.sees(owner)) {
                var servers = HostTable.serverHosts(entrance, namespace, owner.namespace());
                for (var rule : owner.tls()) {
                    var target = target(context, owner, rule.to(), port.number());
                    rule.matches().stream()
                            .filter(match -> (match.port() == 0 || match.port() == port.number())
                                    && viewpoint.sees(owner, match.callers()))
                            .flatMap(match -> match.serverNames().stream())
                            .map(name -> name.toLowerCase(Locale.ROOT))
                            .forEach(name -> servers.forEach(server ->
                                    Hostnames.both(server, name).ifPresent(both -> byName.putIfAbsent(both, target))));
                }
            }
        }
    }

    private static Stream<TlsRouteManifest> tlsRoutes(List<? extends RouteManifest> routes) {
        return routes.stream().filter(TlsRouteManifest.class::isInstance).map(TlsRouteManifest.class::cast);
    }

    private static Stream<TcpRouteManifest> tcpRoutes(List<? extends RouteManifest> routes) {
        return routes.stream().filter(TcpRouteManifest.class::isInstance).map(TcpRouteManifest.class::cast);
    }

    private static Optional<TcpTarget> tcp(
            RouteContext context, Viewpoint viewpoint, List<VirtualServiceManifest> bound, int port) {
        return bound.stream()
                .flatMap(owner -> owner.tcp().stream()
                        .filter(rule -> rule.matches().isEmpty()
                                || rule.matches().stream()
                                        .anyMatch(match -> (match.port() == 0 || match.port() == port)
                                                && match.callers()
                                                        .sourceNamespace()
                                                        .isEmpty()
                                                && viewpoint.sees(owner, match.callers())))
                        .map(rule -> target(context, owner, rule.to(), port)))
                .findFirst();
    }

    /// Rules have no matches, so that only the first counts.
    private static TcpTarget target(RouteContext context, RouteManifest route, List<ConnectionRule> rules) {
        return rules.stream()
                .findFirst()
                .map(rule -> target(rule.backends().stream()
                        .map(backend -> share(
                                Backend.of(context, route, backend.target(), ClusterLayer.TCP), backend.weight()))))
                .orElseGet(TcpTarget::nowhere);
    }

    private static TcpTarget target(
            RouteContext context, VirtualServiceManifest owner, List<Destination> to, int port) {
        return target(to.stream()
                .map(each -> share(
                        Backend.of(context, owner, each, port, ClusterLayer.TCP), to.size() == 1 ? 1 : each.weight())));
    }

    private static TcpTarget target(Stream<TcpTarget.Share> all) {
        var shares = all.filter(share -> share.weight() > 0).toList();
        return shares.isEmpty() ? TcpTarget.nowhere() : new TcpTarget(shares);
    }

    private static TcpTarget.Share share(Backend backend, int weight) {
        return new TcpTarget.Share(backend.cluster(), weight, backend.service(), backend.port(), backend.subset());
    }
}
