// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.model.mesh.AppProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

class TcpRoutesTest {
    private static final String TCP = """
            apiVersion: gateway.networking.k8s.io/v1alpha2
            kind: TCPRoute
            metadata: {name: tcp, namespace: shop}
            spec:
              parentRefs: [{group: "", kind: Service, name: db}]
              rules: [{backendRefs: [{name: plain, port: 5432, weight: 3}, {name: db, port: 5432, weight: 1}]}]
            """;
    private static final String TLS = """
            apiVersion: gateway.networking.k8s.io/v1alpha2
            kind: TLSRoute
            metadata: {name: tls, namespace: shop}
            spec:
              parentRefs: [{group: "", kind: Service, name: db}]
              hostnames: [%s]
              rules: [{backendRefs: [{name: secure, port: 5432}]}]
            """;
    private static final String DB = "db.shop.svc.cluster.local";

    private final Shop shop =
            new Shop().with("shop", "db", 5432).with("shop", "plain", 5432).with("shop", "secure", 5432);
    private final RouteContext context = RouteContext.inMesh(shop);

    @Test
    void givenNoRoutes_thenConnectionsGoToTheService() {
        assertThat(target("", "").first().cluster()).isEqualTo("inbound-vip|5432|tcp|" + DB);
    }

    @Test
    void givenATlsRouteForTheService_thenItComesBeforeATcpRoute() {
        assertThat(target(TCP + "---\n" + TLS.formatted(DB), "").first().cluster())
                .isEqualTo("inbound-vip|5432|tcp|secure.shop.svc.cluster.local");
    }

    @Test
    void givenAVirtualService_thenTlsComesBeforeTcp() {
        var yaml = """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec:
                  hosts: [db]
                  tcp: [{match: [{port: 5432}], route: [{destination: {host: plain}}]}]
                  tls: [{match: [{sniHosts: [%s]}], route: [{destination: {host: secure}}]}]
                """;
        assertThat(target("", yaml.formatted(DB)).first().cluster()).contains("secure");
        assertThat(target("", yaml.formatted("a, b")).first().cluster()).contains("plain");
    }

    @Test
    void givenNothingThatGetsAShare_thenConnectionsGoNowhere() {
        var yaml = TCP.replace("weight: 3", "weight: 0").replace("weight: 1", "weight: 0");
        assertThat(target(yaml, "").first().cluster()).isEqualTo("UnknownService");
    }

    @Test
    void givenAGatewaysPort_thenServerNamesChoose() {
        var routes = Shop.routes(TLS.formatted("a.example.com, b.example.com, c.example.org"));
        var chosen = TcpRoutes.passthrough(context, RequestPort.plain(443), Shop.listener("*.example.com", routes));
        assertThat(chosen).hasSize(1);
        assertThat(chosen.getFirst().names()).containsExactly("a.example.com", "b.example.com");
        assertThat(TcpRoutes.plain(context, RequestPort.plain(5432), Shop.listener("", Shop.routes(TCP))))
                .hasValueSatisfying(target -> assertThat(target.shares()).hasSize(2));
        assertThat(TcpRoutes.plain(context, RequestPort.plain(5432), Shop.listener("", List.of())))
                .isEmpty();
    }

    @Test
    void givenTlsThatEndsHere_thenServerNamesChooseAndTheRestGoesOn() {
        var routes = Shop.routes(TCP + "---\n" + TLS.formatted("a.example.com, c.example.org"));
        var chosen = TcpRoutes.terminated(context, RequestPort.plain(443), Shop.listener("*.example.com", routes));
        assertThat(chosen)
                .extracting(TcpRoutes.ByServerName::names)
                .containsExactly(List.of("a.example.com"), List.of());
        assertThat(chosen.getFirst().target().first().cluster()).contains("secure");
        assertThat(chosen.getLast().target().shares()).hasSize(2);
    }

    @Test
    void givenTlsThatEndsAtAnIstioGateway_thenRulesForTlsDoNotCount() {
        var bound = Shop.virtualServices("""
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec:
                  hosts: ["*"]
                  gateways: [gw]
                  tcp: [{route: [{destination: {host: plain}}]}]
                  tls: [{match: [{sniHosts: [a.example]}], route: [{destination: {host: secure}}]}]
                """);
        var entrance = Entrance.server("shop/gw", List.of("*"), bound, Entrance.PlainRequests.SERVED);
        assertThat(TcpRoutes.terminated(context, RequestPort.plain(443), entrance))
                .singleElement()
                .satisfies(all -> {
                    assertThat(all.names()).isEmpty();
                    assertThat(all.target().first().cluster()).contains("plain");
                });
    }

    private TcpTarget target(String routes, String virtualServices) {
        return TcpRoutes.service(
                context,
                "shop",
                shop.get("shop", "db"),
                new ServicePort(5432, "tcp", AppProtocol.TCP),
                Shop.routes(routes),
                Shop.virtualServices(virtualServices));
    }
}
