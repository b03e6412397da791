// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.VirtualHost.TlsRequirementType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatewayRoutesTest {
    private final Shop shop = new Shop().with("shop", "web", 80).with("other", "far", 80);
    private final RouteContext context = RouteContext.atGateway(
            shop,
            (route, ref) -> ref.namespaceFor(route.namespace()).equals(route.namespace()),
            (_, _, _) -> List.of());

    @Test
    void givenNoRoutes_thenThereIsABlackHole() {
        var host = hosts(Shop.listener("", List.of())).getFirst();
        assertThat(host.getName()).isEqualTo("blackhole:80");
        assertThat(host.getDomainsList()).containsExactly("*");
        assertThat(host.getRoutesList()).isEmpty();
    }

    @Test
    void givenHostnames_thenTheIntersectionIsServed() {
        var routes = Shop.routes(route("r", "[a.example.com, '*.example.com', b.example.org]"));
        assertThat(hosts(Shop.listener("*.example.com", routes)))
                .extracting(VirtualHost::getName)
                .containsExactly("a.example.com:80");
        assertThat(hosts(Shop.listener("*.example.com", routes)).getFirst().getDomainsList())
                .containsExactly("a.example.com", "*.example.com");
        assertThat(hosts(Shop.listener("x.example.com", routes)).getFirst().getDomainsList())
                .containsExactly("x.example.com");
        assertThat(hosts(Shop.listener("", Shop.routes(route("r", "[]"))))
                        .getFirst()
                        .getDomainsList())
                .containsExactly("*");
    }

    @Test
    void givenDifferentRoutes_thenHostsAreApartAndTheMostSpecificIsFirst() {
        var routes = Shop.routes(route("one", "['*.example.com']") + "---\n" + route("two", "[a.example.com]"));

        var hosts = hosts(Shop.listener("", routes));

        assertThat(hosts).extracting(VirtualHost::getName).containsExactly("a.example.com:80", "*.example.com:80");
        assertThat(hosts.getFirst().getRoutesList()).extracting(Route::getName).containsExactly("shop.two.0");
    }

    @Test
    void givenAMoreSpecificListener_thenBroaderOnesDoNotTakeItsRequests() {
        var broad = Shop.listener("", Shop.routes(route("all", "[]")));
        var narrow = Shop.listener("*.example.com", Shop.routes(route("own", "[a.example.com]")));

        var hosts = hosts(broad, narrow);

        assertThat(hosts)
                .extracting(VirtualHost::getName)
                .containsExactly("a.example.com:80", "*.example.com:80", "*:80");
        assertThat(hosts.get(1).getRoutesList()).isEmpty();
        assertThat(hosts.get(2).getRoutesList()).extracting(Route::getName).containsExactly("shop.all.0");
    }

    @Test
    void givenABackendThatIsNotGranted_thenItsShareFails() {
        var yaml = route("r", "[]").replace("{name: web, port: 80}", "{name: far, namespace: other, port: 80}");
        var route = hosts(Shop.listener("", Shop.routes(yaml))).getFirst().getRoutes(0);
        assertThat(route.getRoute().getCluster()).isEqualTo("UnknownService");
    }

    @Test
    void givenVirtualServices_thenThoseBoundToTheServerCount() {
        var yaml =
                virtual("bound", "a.example.com", "edge") + "---\n" + virtual("qualified", "b.example.com", "shop/edge")
                        + "---\n" + virtual("not", "c.example.com", "elsewhere/edge") + "---\n"
                        + virtual("outside", "d.example.org", "edge");
        var server = Entrance.server(
                "shop/edge", List.of("*/*.example.com"), Shop.virtualServices(yaml), Entrance.PlainRequests.SERVED);

        assertThat(hosts(server))
                .extracting(VirtualHost::getName)
                .containsExactly("a.example.com:80", "b.example.com:80");
    }

    @Test
    void givenAServerThatRedirects_thenItsHostsRequireTls() {
        var server =
                Entrance.server("shop/edge", List.of("a.example.com"), List.of(), Entrance.PlainRequests.REDIRECTED);
        var host = hosts(server).getFirst();
        assertThat(host.getName()).isEqualTo("a.example.com:80");
        assertThat(host.getRequireTls()).isEqualTo(TlsRequirementType.ALL);
    }

    @Test
    void givenAServerForAnotherNamespace_thenVirtualServicesOfOursDoNotBind() {
        var server = Entrance.server(
                "infra/edge",
                List.of("other/*"),
                Shop.virtualServices(virtual("v", "a.example.com", "infra/edge")),
                Entrance.PlainRequests.SERVED);
        assertThat(hosts(server)).extracting(VirtualHost::getName).containsExactly("blackhole:80");
    }

    @Test
    void givenALabelForSessions_thenGatewaysKeepThem() {
        shop.with("shop", "sticky", Map.of("istio.io/persistent-session", "my-cookie"), 80);
        var yaml = route("r", "[]").replace("name: web", "name: sticky");
        var plan = GatewayRoutes.hosts(context, RequestPort.plain(80), List.of(Shop.listener("", Shop.routes(yaml))));

        assertThat(plan.filters()).extracting(filter -> filter.getName()).containsExactly(Sessions.FILTER);
        assertThat(plan.hosts().getFirst().getRoutes(0).getTypedPerFilterConfigMap())
                .containsKey(Sessions.FILTER);
    }

    private List<VirtualHost> hosts(Entrance... entrances) {
        return GatewayRoutes.hosts(context, RequestPort.plain(80), List.of(entrances))
                .hosts();
    }

    private static String route(String name, String hostnames) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s, namespace: shop}
                spec:
                  parentRefs: [{name: edge}]
                  hostnames: %s
                  rules: [{backendRefs: [{name: web, port: 80}]}]
                """.formatted(name, hostnames);
    }

    private static String virtual(String name, String host, String gateway) {
        return """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: %s, namespace: shop}
                spec: {hosts: [%s], gateways: [%s], http: [{name: %s, route: [{destination: {host: web}}]}]}
                """.formatted(name, host, gateway, name);
    }
}
