// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Two clusters on two networks: `east` with an east-west gateway, `west` with a waypoint. Both are stock Envoys.
@Tag("slow")
@Tag("interop")
class EastWestIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity CLIENT = new Identity("cluster.local", "shop", "client");
    private static final String WEST =
            "{apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}";
    private static final Set<Identity> ANSWERING = Set.of(EastWestLab.SERVER, WaypointLab.WAYPOINT);

    private static final LabAuthority authority = new LabAuthority();
    private static EastWestLab east;
    private static LabEnvoy gateway;
    private static WaypointLab west;
    private static LabEnvoy waypoint;
    private static Caller inWest;
    private static EchoPod near;
    private static EchoPod far;
    private static PortRelay first;
    private static PortRelay second;

    @BeforeAll
    static void start() throws Exception {
        east = new EastWestLab(authority);
        var global = "istio.io/global: \"true\"";
        east.service("plain", 1, "{" + global + "}");
        east.service("guarded", 2, "{" + global + ", istio.io/use-waypoint: waypoint}");
        east.service(
                "entry",
                3,
                "{" + global + ", istio.io/use-waypoint: waypoint, istio.io/ingress-use-waypoint: \"true\"}");
        east.service("local", 4, "{}");
        for (var name : List.of("plain", "entry", "local")) {
            east.pod(name + "-1", "{app: " + name + "}");
        }
        east.pod("plain-2", "{app: plain}");
        far = east.pod("guarded-1", "{app: guarded}");
        gateway = east.start().ready();

        west = new WaypointLab(authority, Map.of("AMBIENT_ENABLE_MULTI_NETWORK", "true"));
        west.write("mesh", EastWestLab.MESH_CONFIG);
        west.write("network", WEST);
        first = west.keep(new PortRelay(west.address(), 15008, east.proxy(), 15008));
        second = west.keep(new PortRelay(west.address(), 15009, east.proxy(), 15008));
        west.write(
                "remote",
                remote("east-1", first.address(), 15008) + "---\n" + remote("east-2", second.address(), 15009));
        west.write("service-guarded", """
                apiVersion: v1
                kind: Service
                metadata: {name: guarded, namespace: shop, labels: {istio.io/global: "true"}}
                spec:
                  clusterIP: %s
                  selector: {app: guarded}
                  ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 9000}]
                """.formatted(west.vip(1)));
        west.write("entry-guarded", entry("guarded-far", "guarded", "east", 3));
        near = west.pod("guarded-near", "{app: guarded}");
        waypoint = west.start().ready();
        inWest = west.caller("client");
    }

    @AfterAll
    static void stop() {
        try (var _ = west) {
            east.close();
        }
    }

    private static String remote(String name, String ip, int port) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %1$s, namespace: istio-system, labels: {topology.istio.io/network: east}}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: %2$s}]
                  listeners: [{name: cross-network, port: %3$d, protocol: HBONE}]
                status: {addresses: [{type: IPAddress, value: %2$s}]}
                """.formatted(name, ip, port);
    }

    private static String entry(String name, String app, String network, int weight) {
        return """
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: %s, namespace: shop}
                spec: {network: %s, weight: %d, serviceAccount: server, labels: {app: %s}}
                """.formatted(name, network, weight, app);
    }

    private static ConnectHeaders outer(String authority, Optional<String> source) {
        return new ConnectHeaders(
                authority,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                source,
                ConnectHeaders.TunnelOrigin.BEARER);
    }

    private static String host(String service) {
        return service + ".shop.svc.cluster.local:80";
    }

    /// The name of who answers a request in a tunnel in a tunnel for the host name of a service.
    private static String answering(Caller caller, String service, Optional<String> source) {
        return WaypointIT.pod(caller.inside(outer(host(service), source), ConnectHeaders.to(host(service)), ANSWERING)
                .say("GET / HTTP/1.1\r\nhost: shop\r\n\r\n")
                .expect("\r\n\r\n")
                .soFar());
    }

    /// Cases 79 to 82: what the outer tunnel says counts only from those who may say it.
    @ParameterizedTest(name = "{0}: {1} by {2}/{3}, then {4}")
    @CsvSource({
        "guarded, ,         shop, client,   waypoint",
        "guarded, sidecar,  shop, client,   waypoint",
        "guarded, waypoint, shop, waypoint, pod",
        "guarded, waypoint, shop, client,   waypoint",
        "guarded, waypoint, edge, gw-istio, waypoint",
        "guarded, gateway,  edge, gw-istio, pod",
        "guarded, gateway,  shop, client,   waypoint",
        "entry,   ,         shop, client,   waypoint",
        "entry,   waypoint, shop, waypoint, pod",
        "entry,   gateway,  edge, gw-istio, waypoint",
        "plain,   ,         shop, client,   pod",
        "plain,   waypoint, shop, client,   pod",
        "plain,   gateway,  edge, gw-istio, pod"
    })
    void givenSourceOfTunnel_whenItComesIn_thenItGoesToWaypointOrPod(
            String service, String source, String namespace, String account, String want) {
        var caller = east.caller(new Identity("cluster.local", namespace, account));
        assertThat(answering(caller, service, Optional.ofNullable(source)))
                .startsWith(want.equals("waypoint") ? "waypoint-" : service + "-");
    }

    @Test
    void givenTwoPods_whenTunnelsComeIn_thenEachOfThemGetsSome() {
        var caller = east.caller(CLIENT);
        var seen = new HashSet<String>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            seen.add(answering(caller, "plain", Optional.empty()));
            return seen.equals(Set.of("plain-1", "plain-2"));
        });
    }

    /// Case 84: whoever is inside the outer tunnel speaks with the pod itself.
    @Test
    void givenTunnelInATunnel_whenItArrives_thenThePodSeesTheClientAndTheConnectionComesFromTheGateway() {
        var caller = east.caller(WaypointLab.WAYPOINT); // accepts none but the gateway's identity outside
        var inner = new ConnectHeaders(
                host("guarded"), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("west"));
        var before = far.tunnels().size();
        caller.inside(outer(host("guarded"), Optional.of("waypoint")), CLIENT, inner, Set.of(EastWestLab.SERVER))
                .say("\u0001hello")
                .expect("guarded-1:\u0001hello")
                .finish();
        assertThat(far.tunnels().subList(before, far.tunnels().size())).anySatisfy(tunnel -> {
            assertThat(tunnel.tls().toString()).contains(CLIENT.uri());
            assertThat(tunnel.headers().authority()).isEqualTo(host("guarded"));
            assertThat(tunnel.headers().forwardedNetwork()).contains("west");
            assertThat(tunnel.headers().source()).isEmpty();
            assertThat(tunnel.peer().ip()).hasToString(east.proxy());
        });
    }

    /// Case 83, and addresses and ports besides names.
    @Test
    void givenServiceOfThisClusterOnly_whenItIsAskedFor_thenTheTunnelIsRefused() {
        var caller = east.caller(CLIENT);
        assertThat(status(caller.refusal(host("local")))).isEqualTo(503);
        assertThat(status(caller.refusal(east.vip(4) + ":80"))).isEqualTo(503);
        assertThat(status(caller.refusal("plain.shop.svc.cluster.local:81"))).isEqualTo(503);
        assertThat(WaypointIT.pod(caller.inside(
                                outer(east.vip(1) + ":80", Optional.empty()),
                                ConnectHeaders.to(host("plain")),
                                ANSWERING)
                        .say("GET / HTTP/1.1\r\nhost: shop\r\n\r\n")
                        .expect("\r\n\r\n")
                        .soFar()))
                .startsWith("plain-");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> gateway.log().contains("not served here: authority=" + host("local")));
    }

    @Test
    void givenTlsPort_whenCalledWithAServerName_thenItIsPassedThrough() throws Exception {
        east.encrypted("secure-1", "{app: secure}");
        east.write("secure", """
                apiVersion: v1
                kind: Service
                metadata: {name: secure, namespace: shop}
                spec: {clusterIP: %s, selector: {app: secure}, ports: [{name: tls, port: 8443}]}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: TLSRoute
                metadata: {name: secure, namespace: shop}
                spec:
                  parentRefs: [{name: eastwest, namespace: edge, sectionName: through}]
                  hostnames: [a.through.example]
                  rules: [{backendRefs: [{name: secure, port: 8443}]}]
                """.formatted(east.vip(5)));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> east.client().secure(8443, "a.through.example").endsWith("secure-1"));
        assertThat(east.client().secure(8443, "b.elsewhere.example")).isEmpty();
    }

    /// As sidecars of other networks call: with TLS that ends at the pod, and the service in the server name.
    @Test
    void givenServerNameOfAService_whenItIsOfAllClusters_thenItIsPassedThrough_andNoOther() throws Exception {
        var heard = east.listener("sealed-1", "{app: sealed}");
        var service = """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: shop, labels: %s}
                spec: {clusterIP: %s, selector: {app: sealed}, ports: [{name: tls, port: 8443}]}
                """;
        east.write("sealed", service.formatted("sealed", "{istio.io/global: \"true\"}", east.vip(6)));
        east.write("hidden", service.formatted("hidden", "{}", east.vip(7)));
        for (var domain : List.of("svc.cluster.local", "mesh.internal")) {
            var name = "outbound_.8443_._.sealed.shop." + domain;
            Awaitility.await().atMost(PATIENCE).until(() -> {
                var _ = east.client().secure(15443, name);
                return heard.stream().anyMatch(hello -> hello.contains(name));
            });
        }
        heard.clear();
        for (var name : List.of("outbound_.8443_._.hidden.shop.svc.cluster.local", "sealed.shop.svc.cluster.local")) {
            assertThat(east.client().secure(15443, name)).isEmpty();
        }
        assertThat(heard).isEmpty();
    }

    /// Case 96 for what is about other networks.
    @Test
    void givenDumps_whenUpstreamsToolReadsThem_thenListenersArePrinted() throws IOException {
        assertThat(ProxyToolsIT.tool(gateway, "listeners"))
                .contains("Cluster: inbound-vip|80|tcp|guarded.shop.svc.cluster.local")
                .contains("Cluster: inbound-vip|15008|tcp|waypoint.shop.svc.cluster.local")
                .contains("Cluster: forward_inner_connect");
        assertThat(ProxyToolsIT.tool(waypoint, "listeners"))
                .contains("Cluster: inner_connect_originate")
                .contains("Cluster: outer_connect_originate");
    }

    /// Cases 79, 84 and 85 with a real Envoy on either side.
    @Test
    void givenEndpointsOnBothNetworks_whenTheWaypointIsCalled_thenAllGatewaysAndNearPodsGetTheirShare() {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(waypoint.admin("/clusters?filter=inbound-vip.80.http.guarded"))
                        .contains(first.address() + ":15008::weight::3")
                        .contains(second.address() + ":15009::weight::3")
                        .contains(near.ip() + ":8080::weight::2"));
        var seen = new HashSet<String>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            seen.add(WaypointIT.pod(inWest.get(west.vip(1) + ":80", "/")));
            return seen.equals(Set.of("guarded-near", "guarded-1"))
                    && first.connections() > 0
                    && second.connections() > 0;
        });
        // its waypoint in the west has done its work
        assertThat(far.tunnels()).anySatisfy(tunnel -> {
            assertThat(tunnel.tls().toString()).contains(WaypointLab.WAYPOINT.uri());
            assertThat(tunnel.headers().authority()).isEqualTo(host("guarded"));
            assertThat(tunnel.headers().forwardedNetwork()).contains("west");
        });
    }

    /// Case 74 with real Envoys: an ingress gateway of another network need not use the waypoint of this service.
    @Test
    void givenIngressGateway_whenItMayReachOtherNetworks_thenTheFarPodAnswers() throws Exception {
        var settings = Map.of("AMBIENT_ENABLE_MULTI_NETWORK", "true", "AMBIENT_ENABLE_MULTI_NETWORK_INGRESS", "true");
        try (var lab = new IngressLab(authority, settings)) {
            var way = lab.keep(new PortRelay(lab.address(), 15008, east.proxy(), 15008));
            lab.write("mesh", EastWestLab.MESH_CONFIG);
            lab.write("network", WEST);
            lab.write("remote", remote("east-1", way.address(), 15008));
            lab.service(
                    "shop", "guarded", 1, "{istio.io/global: \"true\"}", "{name: http, port: 80, targetPort: 8080}");
            lab.write("entry", entry("guarded-far", "guarded", "east", 1));
            lab.write("gateway", """
                    apiVersion: gateway.networking.k8s.io/v1
                    kind: Gateway
                    metadata: {name: gw, namespace: edge}
                    spec:
                      gatewayClassName: istio
                      listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
                    ---
                    apiVersion: gateway.networking.k8s.io/v1
                    kind: HTTPRoute
                    metadata: {name: guarded, namespace: shop}
                    spec:
                      parentRefs: [{name: gw, namespace: edge}]
                      rules: [{backendRefs: [{name: guarded, port: 80}]}]
                    """);
            lab.start(lab.fathomd().plaintextPort()).ready();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> lab.client().get(80, "shop.example").contains("x-pod: guarded-1"));
            assertThat(far.tunnels()).anySatisfy(tunnel -> {
                assertThat(tunnel.tls().toString()).contains(EastWestLab.INGRESS.uri());
                assertThat(tunnel.headers().authority()).isEqualTo(host("guarded"));
            });
        }
    }

    /// Case 85: nobody is sent where nothing leads, and somebody is told.
    @Test
    void givenNetworkWithoutGateway_whenItHasEndpoints_thenTheyAreLeftOutAndItIsAProblem() {
        west.write("service-lost", """
                apiVersion: v1
                kind: Service
                metadata: {name: lost, namespace: shop, labels: {istio.io/global: "true"}}
                spec: {clusterIP: %s, selector: {app: lost}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(west.vip(2)));
        west.write("entry-lost", entry("lost-far", "lost", "nowhere", 1));
        west.pod("lost-near", "{app: lost}");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(west.fathomd().text("/debug/ambientz"))
                        .contains("network-without-gateway")
                        .contains("lost.shop.svc.cluster.local on network nowhere"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> waypoint.admin("/clusters").contains("inbound-vip|80|http|lost.shop.svc.cluster.local::"));
        for (int i = 0; i < 5; i++) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            WaypointIT.pod(inWest.get(west.vip(2) + ":80", "/")).equals("lost-near"));
        }
        assertThat(waypoint.admin("/clusters?filter=inbound-vip.80.http.lost"))
                .contains("connect_originate")
                .doesNotContain("inner_connect_originate");
    }

    private static int status(HboneFailure failure) {
        assertThat(failure).isInstanceOf(HboneFailure.Refused.class);
        return ((HboneFailure.Refused) failure).status();
    }
}
