// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Timeouts;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Translates HTTPRoutes and GRPCRoutes that share a host. The most specific match of all comes first; of equals, that
/// of the older route, and within a route the earlier one.
final class GatewayApiRoutes {
    private final RouteContext context;
    private final RequestPort port;
    private final FilterNeeds needs;

    GatewayApiRoutes(RouteContext context, RequestPort port, FilterNeeds needs) {
        this.context = context;
        this.port = port;
        this.needs = needs;
    }

    /// @param routes oldest first; of kinds for connections nothing is taken
    List<Route> translate(List<? extends RouteManifest> routes) {
        var all = new ArrayList<Route>();
        for (var route : routes) {
            switch (route) {
                case HttpRouteManifest http -> addHttp(http, all);
                case GrpcRouteManifest grpc -> addGrpc(grpc, all);
                case TcpRouteManifest _, TlsRouteManifest _ -> {}
            }
        }
        all.sort(RouteOrder.MOST_SPECIFIC_FIRST); // stable
        return RouteOrder.catchAllLast(all);
    }

    private void addHttp(HttpRouteManifest route, List<Route> all) {
        for (var i = 0; i < route.rules().size(); i++) {
            var rule = route.rules().get(i);
            var common = new RuleRoute.RouteRule(
                    route,
                    rule.name().isEmpty() ? nameless(route, i) : rule.name(),
                    rule.filters(),
                    rule.backends(),
                    rule.timeouts(),
                    rule.retry(),
                    rule.persistence());
            for (var match : rule.matches()) {
                all.add(new RuleRoute(context, port, needs, common).build(Matches.of(match), match.path()));
            }
        }
    }

    private void addGrpc(GrpcRouteManifest route, List<Route> all) {
        for (var i = 0; i < route.rules().size(); i++) {
            var rule = route.rules().get(i);
            var common = new RuleRoute.RouteRule(
                    route,
                    rule.name().isEmpty() ? nameless(route, i) : rule.name(),
                    rule.filters(),
                    rule.backends(),
                    Timeouts.NONE,
                    Optional.empty(),
                    rule.persistence());
            var matches = rule.matches().isEmpty()
                    ? List.of(new GrpcRouteManifest.GrpcMatch(Optional.empty(), List.of()))
                    : rule.matches();
            for (var match : matches) {
                all.add(new RuleRoute(context, port, needs, common).build(Matches.of(match), PathMatch.ALL));
            }
        }
    }

    private static String nameless(RouteManifest route, int index) {
        return route.namespace() + "." + route.name() + "." + index;
    }
}
