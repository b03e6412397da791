// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction.ClusterNotFoundResponseCode;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster.ClusterWeight;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceRoutesTest {
    private static final String WEB = "web.shop.svc.cluster.local";

    private final Shop shop = new Shop()
            .with("shop", "web", 80, 81)
            .with("shop", "v1", 80)
            .with("shop", "v2", 80)
            .with("other", "far", 80);

    @Test
    void givenNoRoutes_thenEverythingGoesToTheService() {
        var route = only(plan("", ""));

        assertThat(route.getName()).isEqualTo("default");
        assertThat(route.getMatch().getPrefix()).isEqualTo("/");
        assertThat(route.getRoute().getCluster()).isEqualTo("inbound-vip|80|http|" + WEB);
        assertThat(route.getRoute().hasTimeout()).isTrue();
        assertThat(route.getRoute().getTimeout().getSeconds()).isZero();
        assertThat(route.getRoute().getRetryPolicy().getNumRetries().getValue()).isEqualTo(2);
        assertThat(route.getDecorator().getOperation()).isEqualTo(WEB + ":80/*");
    }

    @Test
    void givenARouteOfTheService_thenItTakesThePlaceOfTheDefault() {
        var route = only(plan(http("shop", "split", "{path: {value: /a}}", "{name: v1, port: 80}"), ""));

        assertThat(route.getName()).isEqualTo("shop.split.0");
        assertThat(route.getMatch().getPathSeparatedPrefix()).isEqualTo("/a");
        assertThat(route.getRoute().getCluster()).isEqualTo("inbound-vip|80|http|v1.shop.svc.cluster.local");
        assertThat(route.getRoute().getClusterNotFoundResponseCode())
                .isEqualTo(ClusterNotFoundResponseCode.INTERNAL_SERVER_ERROR);
        assertThat(route.getMetadata()
                        .getFilterMetadataOrThrow("istio")
                        .getFieldsOrThrow("config")
                        .getStringValue())
                .isEqualTo("/apis/gateway.networking.k8s.io/v1/namespaces/shop/http-route/split");
        assertThat(route.getDecorator().getOperation()).isEqualTo("v1.shop.svc.cluster.local:80/a/*");
    }

    @Test
    void givenAServiceThatIsNotOurs_thenTheClusterIsOutbound() {
        var route = only(plan(http("shop", "r", "{}", "{name: far, namespace: other, port: 80}"), ""));
        assertThat(route.getRoute().getCluster()).isEqualTo("outbound|80||far.other.svc.cluster.local");
    }

    @Test
    void givenWeights_thenNothingIsLeftForZero() {
        var split = only(plan(
                http(
                        "shop",
                        "r",
                        "{}",
                        "{name: v1, port: 80, weight: 90}, {name: v2, port: 80, weight: 10}, "
                                + "{name: web, port: 80, weight: 0}, {name: gone, port: 80}"),
                ""));
        assertThat(split.getRoute().getWeightedClusters().getClustersList())
                .extracting(ClusterWeight::getName)
                .containsExactly(
                        "inbound-vip|80|http|v1.shop.svc.cluster.local",
                        "inbound-vip|80|http|v2.shop.svc.cluster.local",
                        "UnknownService");
        assertThat(split.getDecorator().getOperation()).isEqualTo("r:80/*");

        var none = only(plan(http("shop", "r", "{}", "{name: v1, port: 80, weight: 0}"), ""));
        assertThat(none.getDirectResponse().getStatus()).isEqualTo(500);
    }

    @Test
    void givenRoutesOfSeveralObjects_thenTheMostSpecificIsFirst() {
        var yaml = http("shop", "a", "{path: {value: /}}", "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "b", "{path: {value: /long/prefix}}", "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "c", "{path: {value: /x, type: Exact}}", "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "d", "{path: {value: /long/pre.*, type: RegularExpression}}", "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "e", "{path: {value: /long}, method: GET}", "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "f", "{path: {value: /long}, headers: [{name: a, value: b}]}", "{name: v1, port: 80}")
                + "---\n"
                + http(
                        "shop",
                        "g",
                        "{path: {value: /long}, queryParams: [{name: a, value: b}]}",
                        "{name: v1, port: 80}")
                + "---\n"
                + http("shop", "h", "{path: {value: /long}}", "{name: v1, port: 80}");

        assertThat(plan(yaml, "").routes())
                .extracting(Route::getName)
                .containsExactly(
                        "shop.c.0", "shop.b.0", "shop.e.0", "shop.f.0", "shop.g.0", "shop.h.0", "shop.d.0", "shop.a.0");
    }

    @Test
    void givenVirtualServices_thenTheirRulesFollowEachOtherAndCatchAllsAreLast() {
        var yaml = virtual("one", "web", "- {name: all, route: [{destination: {host: v1}}]}")
                + "---\n"
                + virtual("two", WEB, """
                        - match: [{uri: {prefix: /b}, port: 80}, {uri: {prefix: /c}, port: 81}]
                          name: b
                          route: [{destination: {host: v2, subset: s}}]
                        - match: [{uri: {prefix: /d}, sourceLabels: {app: x}}]
                          name: d
                          route: [{destination: {host: v2}}]
                        """);

        var routes = plan("", yaml).routes();

        assertThat(routes).extracting(Route::getName).containsExactly("b", "all");
        assertThat(routes.getFirst().getMatch().getPrefix()).isEqualTo("/b");
        assertThat(routes.getFirst().getRoute().getCluster())
                .isEqualTo("inbound-vip|80|http/s|v2.shop.svc.cluster.local");
        assertThat(routes.getFirst().getRoute().getClusterNotFoundResponseCode())
                .isEqualTo(ClusterNotFoundResponseCode.SERVICE_UNAVAILABLE);
    }

    @Test
    void givenVirtualServicesOfOthers_thenTheyDoNotCount() {
        var foreign = """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: elsewhere}
                spec: {hosts: [%s], http: [{route: [{destination: {host: far.other.svc.cluster.local}}]}]}
                """.formatted(WEB);
        var atGateway = """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec: {hosts: [web], gateways: [edge], http: [{route: [{destination: {host: v1}}]}]}
                """;
        var hidden = """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec: {hosts: [web], exportTo: ["."], http: [{route: [{destination: {host: v1}}]}]}
                """;
        for (var yaml : List.of(foreign, atGateway, hidden)) {
            assertThat(only(plan("", yaml)).getName()).isEqualTo("default");
        }
    }

    @Test
    void givenADelegate_thenItsRulesAreNarrowed() {
        var yaml = virtual("root", "web", """
                - match: [{uri: {prefix: /api}}]
                  name: root
                  timeout: 3s
                  delegate: {name: part}
                """) + "---\n" + """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: part, namespace: shop}
                spec:
                  http:
                  - match: [{uri: {prefix: /api/v2}}, {uri: {prefix: /other}}]
                    name: two
                    route: [{destination: {host: v2}}]
                  - route: [{destination: {host: v1}}]
                """;

        var routes = plan("", yaml).routes();

        assertThat(routes)
                .extracting(Route::getName, route -> route.getMatch().getPrefix())
                .containsExactly(tuple("root-two", "/api/v2"), tuple("root", "/api"));
        assertThat(routes.getFirst().getRoute().getTimeout().getSeconds()).isEqualTo(3);
    }

    @Test
    void givenAClaim_thenMetadataOfTheTokenAreMatched() {
        var yaml = virtual("v", "web", """
                - match: [{headers: {"@request.auth.claims[a][b]": {exact: x}, plain: {regex: "*"}}}]
                  route: [{destination: {host: v1}}]
                """);

        RouteMatch match = plan("", yaml).routes().getFirst().getMatch();

        var claim = match.getDynamicMetadata(0);
        assertThat(claim.getFilter()).isEqualTo("envoy.filters.http.jwt_authn");
        assertThat(claim.getPathList()).extracting(step -> step.getKey()).containsExactly("payload", "a", "b");
        assertThat(claim.getValue().getOrMatch().getValueMatchersCount()).isEqualTo(2);
        assertThat(match.getHeadersList()).hasSize(1);
        assertThat(match.getHeaders(0).getPresentMatch()).isTrue();
    }

    @Test
    void givenAnUnknownExtensionOrAuthorizer_thenRequestsFail() {
        for (var filter : List.of(
                "{type: ExtensionRef, extensionRef: {group: g, kind: K, name: n}}",
                "{type: ExternalAuth, externalAuth: {protocol: HTTP, backendRef: {name: gone, port: 80}}}")) {
            var yaml = http("shop", "r", "{}", "{name: v1, port: 80}")
                    .replace("rules: [{", "rules: [{filters: [" + filter + "], ");
            assertThat(only(plan(yaml, "")).getDirectResponse().getStatus()).isEqualTo(500);
        }
    }

    @Test
    void givenAGrpcRouteWithoutBackend_thenItIsUnavailable() {
        var yaml = """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GRPCRoute
                metadata: {name: g, namespace: shop}
                spec:
                  parentRefs: [{group: "", kind: Service, name: web}]
                  rules: [{name: calls, matches: [{method: {service: s.S}}]}]
                """;
        var route = only(plan(yaml, ""));
        assertThat(route.getDirectResponse().getStatus()).isEqualTo(503);
        assertThat(route.getName()).isEqualTo("calls");
        assertThat(route.getMatch().getPrefix()).isEqualTo("/s.S/");
    }

    private RoutePlan plan(String routes, String virtualServices) {
        var service = shop.get("shop", "web");
        return ServiceRoutes.http(
                RouteContext.inMesh(shop),
                "infra",
                service,
                new ServicePort(80, "http-80", service.ports().getFirst().protocol()),
                Shop.routes(routes),
                Shop.virtualServices(virtualServices));
    }

    private static Route only(RoutePlan plan) {
        assertThat(plan.routes()).hasSize(1);
        return plan.routes().getFirst();
    }

    private static String http(String namespace, String name, String match, String backends) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s, namespace: %s}
                spec:
                  parentRefs: [{group: "", kind: Service, name: web, namespace: shop}]
                  rules: [{matches: [%s], backendRefs: [%s]}]
                """.formatted(name, namespace, match, backends);
    }

    private static String virtual(String name, String host, String rules) {
        return """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: %s, namespace: shop}
                spec:
                  hosts: [%s]
                  http:
                %s
                """.formatted(name, host, rules.indent(2).stripTrailing());
    }
}
