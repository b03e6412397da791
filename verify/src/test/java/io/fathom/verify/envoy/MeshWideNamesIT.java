// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Two clusters that know of each other by Gateways and what their control planes tell each other: `east` with an
/// east-west gateway, `west` with a waypoint, both stock Envoys. Services are called by their mesh-wide names.
@Tag("slow")
@Tag("interop")
class MeshWideNamesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SHARED = "{solo.io/service-scope: global}";
    private static final String PEER = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer
              namespace: edge
              labels: {topology.istio.io/cluster: %1$s}
              annotations: {gateway.istio.io/service-account: eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: %2$s}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE}]
            """;

    private static EastWestLab east;
    private static WaypointLab west;
    private static Caller inWest;
    private static EchoPod near;
    private static EchoPod far;

    @BeforeAll
    static void start() throws Exception {
        var authority = new LabAuthority();
        east = new EastWestLab(authority);
        east.service("db", 1, SHARED);
        east.service("web", 2, SHARED);
        far = east.pod("db-1", "{app: db}");
        east.service("cart", 3, "{}");
        east.pod("cart-far", "{app: cart}");
        east.write("export", """
                apiVersion: multicluster.x-k8s.io/v1beta1
                kind: ServiceExport
                metadata: {name: cart, namespace: shop}
                """);
        east.pod("web-far", "{app: web}");
        east.showControlPlane();
        east.write("peer", PEER.formatted("west", "192.0.2.1"));
        var _ = east.start().ready();

        west = new WaypointLab(authority, Map.of("CLUSTER_ID", "west"));
        west.write(
                "network",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}");
        var way = west.keep(new PortRelay(west.address(), 15008, east.proxy(), 15008));
        west.write("peer", PEER.formatted("Kubernetes", way.address()));
        west.write("service-web", """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, labels: %s}
                spec:
                  clusterIP: %s
                  selector: {app: web}
                  ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 9000}]
                """.formatted(SHARED, west.vip(1)));
        near = west.pod("web-near", "{app: web}");
        west.write("service-cart", """
                apiVersion: v1
                kind: Service
                metadata: {name: cart, namespace: shop}
                spec: {clusterIP: %s, selector: {app: cart}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(west.vip(2)));
        west.pod("cart-near", "{app: cart}");
        var _ = west.startIn("west").ready();
        inWest = west.caller("client");
    }

    @AfterAll
    static void stop() {
        try (var _ = west) {
            east.close();
        }
    }

    @Test
    void givenServiceThatOnlyTheOtherClusterHas_whenItsNameIsCalled_thenAPodThereAnswers() {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> answering("db.shop.mesh.internal").equals("db-1"));

        assertThat(far.tunnels()).anySatisfy(tunnel -> {
            assertThat(tunnel.tls().toString()).contains(WaypointLab.WAYPOINT.uri());
            assertThat(tunnel.headers().authority()).isEqualTo("db.shop.mesh.internal:80");
            assertThat(tunnel.headers().forwardedNetwork()).contains("west");
        });
    }

    /// The cases of the MCS API's suite that need pods which answer: only clusters that export a service are behind its
    /// name, and its name in Kubernetes stays where it is.
    @Test
    void givenServiceThatBothClustersHaveAndOneExports_whenItsNameIsCalled_thenThatOneAnswersAlone() {
        var name = "cart.shop.svc.clusterset.local";
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> answering(name).equals("cart-far"));

        for (int i = 0; i < 10; i++) {
            assertThat(answering(name)).isEqualTo("cart-far");
            assertThat(answering("cart.shop.svc.cluster.local")).isEqualTo("cart-near");
        }
    }

    /// Behind a waypoint, and with a pod that is there but not ready.
    @Test
    void case19_case24_whenPodsHereAreNotReady_thenTheOtherClusterAnswers_andTheyDoAgainOnceTheyAre() {
        for (int i = 0; i < 10; i++) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() ->
                            assertThat(answering("web.shop.mesh.internal")).isEqualTo("web-near"));
        }

        ready("False");
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> answering("web.shop.mesh.internal").equals("web-far"));
        for (int i = 0; i < 10; i++) {
            assertThat(answering("web.shop.mesh.internal")).isEqualTo("web-far");
        }
        assertThat(inWest.get(west.vip(1) + ":80", "/"))
                .describedAs("its name in Kubernetes means this cluster")
                .contains("503");

        ready("True");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> answering("web.shop.mesh.internal").equals("web-near"));
    }

    private static void ready(String state) {
        west.writePod(
                WaypointLab.NAMESPACE,
                "web-near",
                near.ip(),
                "server",
                "{app: web}",
                "{ambient.istio.io/redirection: enabled}",
                state);
    }

    /// The name of the pod that answers at the address that DNS would tell.
    private static String answering(String host) {
        return WaypointIT.pod(inWest.get(address(host) + ":80", "/"));
    }

    private static String address(String host) {
        var address = address(west, host);
        assertThat(address).describedAs(host + " is not known").isNotEmpty();
        return address;
    }

    /// Empty while it is not known.
    static String address(WaypointLab west, String host) {
        for (var service : west.fathomd().json("/debug/ambientz").at("/services")) {
            if (service.at("/hostname").asText().equals(host)) {
                return service.at("/addresses/0/address").asText();
            }
        }
        return "";
    }
}
