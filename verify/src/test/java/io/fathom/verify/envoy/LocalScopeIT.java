// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.ConnectHeaders.TunnelOrigin;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a client of another network gets that forges the tunnel inside the tunnel. In front of the services stands a
/// waypoint, in front of that an east-west gateway; both are stock Envoys. The client has the key of a workload and
/// asks in the inner tunnel for whatever it likes.
@Tag("slow")
@Tag("interop")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocalScopeIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity CLIENT = new Identity("cluster.local", "shop", "client");
    private static final Set<Identity> WAYPOINT = Set.of(WaypointLab.WAYPOINT);
    private static final String SHARED = "shared.shop.svc.cluster.local:80";
    private static final String KEPT = "GET / HTTP/1.1\r\nhost: shop\r\n\r\n";
    private static final String REQUEST = "GET / HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n";
    private static final String GATEWAY_POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: edge, labels: {gateway.networking.k8s.io/gateway-name: eastwest}}
            spec: {nodeName: node, serviceAccountName: eastwest, containers: [{name: main, image: none}]}
            status: {phase: Running, podIP: %s, conditions: [{type: Ready, status: "True"}]}
            """;

    private static final LabAuthority authority = new LabAuthority();
    private static WaypointLab lab;
    private static LabLink beside;
    private static EchoPod own;
    private static LabEnvoy waypoint;
    private static Caller far;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab(authority, Map.of());
        beside = lab.keep(new LabLink());
        var secrets = lab.keep(new SecretServer(beside.host(), authority.of(EastWestLab.GATEWAY)));
        lab.gateway("labels: {istio.io/waypoint-for: all}");
        lab.write("system", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: east}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: eastwest, namespace: edge}
                spec:
                  gatewayClassName: istio-east-west
                  listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate}}]
                """);
        lab.write("pod-eastwest", GATEWAY_POD.formatted("eastwest-1", beside.proxy()));
        service("shared", 1, "{istio.io/global: \"true\"}");
        service("own", 2, "{}");
        lab.pod("shared-1", "{app: shared, istio.io/use-waypoint: none}");
        own = lab.pod("own-1", "{app: own}");
        waypoint = lab.start().ready();
        var _ = lab.start(
                        beside,
                        "eastwest-1",
                        new LabEnvoy.Start(
                                "waypoint",
                                "edge",
                                "eastwest",
                                "eastwest",
                                lab.fathomd().plaintextPort(),
                                secrets.port(),
                                ""))
                .ready();
        var hop = IpPort.parse(beside.proxy() + ":15008").orElseThrow();
        far = lab.keep(new Caller(
                CLIENT, EastWestLab.GATEWAY, hop, authority, lab.loops().next()));
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static void service(String name, int vip, String labels) {
        lab.write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: %3$s}
                spec: {clusterIP: %2$s, selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(name, lab.vip(vip), labels));
    }

    private static String authority(String target) {
        return target.replace("VIP1", lab.vip(1)).replace("VIP2", lab.vip(2)).replace("POD", own.ip());
    }

    private static String answering(Caller.Conversation tunnel) {
        return answering(tunnel, REQUEST);
    }

    private static String answering(Caller.Conversation tunnel, String request) {
        return WaypointIT.pod(tunnel.say(request).expect("\r\n\r\n").soFar());
    }

    @Order(1)
    @ParameterizedTest(name = "asked for {0}")
    @CsvSource({SHARED, "shared.shop.mesh.internal:80", "VIP1:80"})
    void givenTunnelThroughTheGateway_whenItAsksForAServiceOfAllClusters_thenItIsAnswered(String target) {
        assertThat(answering(far.inside(ConnectHeaders.to(SHARED), ConnectHeaders.to(authority(target)), WAYPOINT)))
                .isEqualTo("shared-1");
    }

    @Order(2)
    @ParameterizedTest(name = "asked for {0}")
    @CsvSource({
        "own.shop.svc.cluster.local:80, a service that is local",
        "VIP2:80,                       its address",
        "POD:8080,                      its pod",
        "shared.shop.svc.cluster.local:8080, a port that the service does not have",
        "VIP1:8080,                     the same by its address",
        "BlackHoleCluster,              a name out of the configuration",
    })
    void givenTunnelThroughTheGateway_whenItAsksForAnythingElse_thenItIsRefused(String target, String what) {
        var wanted = authority(target);
        for (var inner : new ConnectHeaders[] {
            ConnectHeaders.to(wanted), // nothing says where it comes from
            new ConnectHeaders(
                    wanted,
                    Optional.empty(),
                    Optional.of("for=\"" + lab.host() + ":7\""),
                    Optional.empty(),
                    Optional.of("east"), // as if it were from here
                    Optional.of("waypoint"),
                    TunnelOrigin.BEARER),
            ConnectHeaders.plainText(wanted, "for=\"" + lab.host() + ":7\"", "")
        }) {
            assertThat(far.attempt(ConnectHeaders.to(SHARED), CLIENT, inner, WAYPOINT)
                            .isRefused(REQUEST))
                    .as(what)
                    .isTrue();
        }
        assertThat(own.tunnels()).isEmpty();
    }

    @Test
    @Order(3)
    void givenTheSame_thenTheWaypointSaysWhatItRefused() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> waypoint.log().contains("not served here: authority=own.shop.svc.cluster.local:80"));
    }

    /// Case 96 for what tells visitors from the others.
    @Test
    @Order(3)
    void givenDump_whenUpstreamsToolReadsIt_thenListenersArePrinted() throws IOException {
        assertThat(ProxyToolsIT.tool(waypoint, "listeners"))
                .contains("Route: inbound-vip|80|http|own.shop.svc.cluster.local")
                .contains("Route: inbound-vip|80|http|shared.shop.svc.cluster.local");
    }

    @Order(4)
    @ParameterizedTest(name = "asked for {0}")
    @CsvSource({"own.shop.svc.cluster.local:80", "VIP2:80", "POD:8080"})
    void givenClientOfThisNetwork_whenItAsksTheSameWaypoint_thenItIsAnswered(String target) {
        assertThat(answering(lab.caller("client").open(authority(target)))).isEqualTo("own-1");
    }

    /// The gateway passes TLS on to what its own routes say. Here it is played: from its address, with its key.
    @Test
    @Order(5)
    void givenTheGatewayItself_whenItAsksForALocalService_thenItIsAnswered_andNobodyElseFromItsAddress() {
        var gateway = lab.caller(EastWestLab.GATEWAY);
        var visitor = lab.caller("client");
        var open = visitor.open(authority("VIP2:80"));
        assertThat(answering(open, KEPT)).isEqualTo("own-1");
        lab.write("pod-second", GATEWAY_POD.formatted("eastwest-2", lab.host()));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> visitor.attempt(authority("VIP2:80")).isRefused(REQUEST));
        assertThat(answering(gateway.open(authority("VIP2:80")))).isEqualTo("own-1");
        assertThat(answering(visitor.open(SHARED))).isEqualTo("shared-1");
        lab.remove("pod-second");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !visitor.attempt(authority("VIP2:80")).isRefused(REQUEST));
        var before = open.soFar().length();
        open.say(KEPT);
        Awaitility.await("what was open")
                .atMost(PATIENCE)
                .until(() -> open.soFar().substring(before).contains("x-pod: own-1"));
    }
}
