// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.VirtualHost.TlsRequirementType;
import io.fathom.control.gateway.Hostnames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// How an ingress gateway routes requests at one of its ports.
///
/// Every host has its routes in one virtual host; hosts with the same routes share one. A request that nobody has a
/// route for is answered with 404. The domains have no ports: the route configuration has to ignore them.
public final class GatewayRoutes {
    private GatewayRoutes() {}

    /// Never without a host.
    ///
    /// @param entrances everything that listens at this port and shares a route configuration
    public static HostPlan hosts(RouteContext context, RequestPort port, List<Entrance> entrances) {
        var needs = new FilterNeeds();
        var byRoutes = new LinkedHashMap<Content, List<String>>();
        for (var host : HostTable.of(context, entrances).entrySet()) {
            var content = content(context, port, needs, host.getValue());
            byRoutes.computeIfAbsent(content, _ -> new ArrayList<>()).add(host.getKey());
        }
        if (byRoutes.isEmpty()) {
            return new HostPlan(List.of(blackHole(port)), needs.filters());
        }
        var hosts = byRoutes.entrySet().stream()
                .map(entry -> virtualHost(port, entry.getValue(), entry.getKey()))
                .toList();
        return new HostPlan(hosts, needs.filters());
    }

    /// What a virtual host consists of, besides its names.
    private record Content(List<Route> routes, Entrance.PlainRequests plainRequests) {}

    private static Content content(RouteContext context, RequestPort port, FilterNeeds needs, HostTable.Row row) {
        var routes = new ArrayList<>(new GatewayApiRoutes(context, port, needs).translate(row.routes()));
        for (var bound : row.virtualServices()) {
            var viewpoint = new Viewpoint(bound.gateway());
            routes.addAll(new VirtualServiceRoutes(context, port, needs, viewpoint)
                    .translate(List.of(bound.manifest()), bound.others()));
        }
        return new Content(RouteOrder.catchAllLast(routes), row.plainRequests());
    }

    private static VirtualHost virtualHost(RequestPort port, List<String> domains, Content content) {
        var host = VirtualHost.newBuilder()
                .setName(domains.getFirst() + ":" + port.number())
                .addAllDomains(domains)
                .addAllRoutes(content.routes())
                .setIncludeRequestAttemptCount(true);
        return content.plainRequests() == Entrance.PlainRequests.REDIRECTED
                ? host.setRequireTls(TlsRequirementType.ALL).build()
                : host.build();
    }

    private static VirtualHost blackHole(RequestPort port) {
        return VirtualHost.newBuilder()
                .setName("blackhole:" + port.number())
                .addDomains(Hostnames.ALL)
                .build();
    }
}
