// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.hbone.HboneFailure;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What goes through a waypoint, and what does not.
@Tag("slow")
@Tag("interop")
class WaypointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;
    private static EchoPod one;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.service("echo", 1, """
                [{name: http, port: 80, targetPort: 8080}, {name: tcp-db, port: 9000}, {name: any, port: 7000},
                 {name: http-udp, port: 53, protocol: UDP}]""");
        lab.service("mixed", 2, "[{name: tcp, port: 80, targetPort: 8080}]");
        lab.write("service-headless", """
                apiVersion: v1
                kind: Service
                metadata: {name: headless, namespace: shop}
                spec: {clusterIP: None, selector: {app: echo}, ports: [{name: http, port: 80}]}
                """);
        one = lab.pod("echo-1", "{app: echo}");
        lab.pod("echo-2", "{app: echo}");
        lab.pod("mixed-1", "{app: mixed}");
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 11.
    @Test
    void givenTwoPods_whenTheirServiceIsCalled_thenBothAnswer() {
        var seen = new HashSet<String>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            seen.add(pod(caller.get(lab.vip(1) + ":80", "/")));
            return seen.equals(Set.of("echo-1", "echo-2"));
        });
        assertThat(one.tunnels()).allSatisfy(tunnel -> {
            assertThat(tunnel.headers().authority()).startsWith(one.ip() + ":");
            assertThat(tunnel.tls().toString()).contains("spiffe://cluster.local/ns/shop/sa/waypoint");
        });
    }

    /// Case 12.
    @Test
    void givenHostName_whenCalled_thenItsServiceAnswers() {
        assertThat(pod(caller.get("echo.shop.svc.cluster.local:80", "/"))).startsWith("echo-");
    }

    /// Case 14.
    @Test
    void givenUnknownAddressOrPort_whenCalled_thenTunnelIsRefusedAndLogged() {
        assertThat(status(caller.refusal(lab.vip(99) + ":9000"))).isEqualTo(503);
        assertThat(status(caller.refusal(lab.vip(2) + ":9000"))).isEqualTo(503);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.log().contains("not served here: authority=" + lab.vip(99) + ":9000"));
    }

    /// Case 15.
    @Test
    void givenForeignTrustDomain_whenCalled_thenHandshakeFails() {
        var stranger = lab.caller(new Identity("elsewhere.example", "shop", "client"));
        assertThat(stranger.refusal(lab.vip(1) + ":80"))
                .isInstanceOfAny(HboneFailure.TlsFailed.class, HboneFailure.Http2Failed.class);
    }

    /// Case 15: nobody gets in without a certificate.
    @Test
    void givenNoCertificate_whenCalled_thenHandshakeFails() {
        var refused = envoy.stat("listener.0.0.0.0_15008.ssl.fail_verify_no_cert");
        assertThat(lab.outsider().secure(15008, "echo.shop.svc.cluster.local")).isEmpty();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.stat("listener.0.0.0.0_15008.ssl.fail_verify_no_cert") > refused);
    }

    /// Case 16.
    @Test
    void givenUnnamedPort_whenClientsSpeakDifferentProtocols_thenEachIsFoundOut() {
        assertThat(pod(caller.get(lab.vip(1) + ":7000", "/"))).startsWith("echo-");
        caller.open(lab.vip(1) + ":7000")
                .say("\u0016binary")
                .expect(":\u0016binary")
                .finish();
        // The proxy itself answers a client of HTTP/2, with a frame of settings.
        var settings = "\0\0\0\4\0\0\0\0\0";
        var talk = caller.open(lab.vip(1) + ":7000").say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings);
        assertThat(talk.expect("\4").soFar()).doesNotContain("PRI");
        talk.cancel();
    }

    /// Case 18.
    @Test
    void givenServiceWithoutAddress_whenCalledByName_thenTunnelIsRefused() {
        assertThat(status(caller.refusal("headless.shop.svc.cluster.local:80"))).isEqualTo(503);
    }

    /// Case 19: one service has HTTP on the port, another one bytes.
    @Test
    void givenMixedProtocolsOnAPort_whenCalled_thenEachServiceGetsItsOwn() {
        assertThat(pod(caller.get(lab.vip(1) + ":80", "/"))).startsWith("echo-");
        caller.open(lab.vip(2) + ":80")
                .say("\u0003raw")
                .expect("mixed-1:\u0003raw")
                .finish();
    }

    /// Case 19: ports on which all services speak the same are left alone.
    @Test
    void givenPortWithOneProtocol_whenConfigured_thenNobodyLooksAtItsBytes() {
        assertThat(envoy.admin("/config_dump?resource=dynamic_listeners"))
                .contains("http_inspector")
                .contains("\"start\": 9000")
                .doesNotContain("\"start\": 80,")
                .doesNotContain("\"start\": 7000");
    }

    /// Case 21.
    @Test
    void givenPortForDatagrams_whenConfigured_thenThereIsNoChainForIt() {
        assertThat(envoy.admin("/config_dump?resource=dynamic_listeners")).doesNotContain("inbound-vip|53|");
    }

    /// Case 23.
    @Test
    void givenManyTunnels_whenOpenAtOnce_thenAllWorkOverFewConnections() {
        var talks = IntStream.range(0, 120)
                .mapToObj(i -> caller.open(lab.vip(1) + ":9000").say("hello " + i))
                .toList();
        for (int i = 0; i < talks.size(); i++) {
            talks.get(i).expect(":hello " + i);
        }
        talks.forEach(Caller.Conversation::finish);
    }

    /// Case 24.
    @Test
    void givenBackendThatClosesAfterItsAnswer_whenCalled_thenTheAnswerIsWhole() throws Exception {
        var ip = lab.address();
        lab.writePod("once", ip, "{app: once}", "{}");
        lab.service("once", 3, "[{name: tcp, port: 9000}]");
        try (var server = new ServerSocket(9000, 10, InetAddress.ofLiteral(ip))) {
            var serving = CompletableFuture.runAsync(() -> answerOnce(server));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> envoy.admin("/clusters").contains(ip + ":9000"));
            assertThat(caller.open(lab.vip(3) + ":9000").all()).isEqualTo("bye".repeat(10_000));
            serving.join();
        }
    }

    private static void answerOnce(ServerSocket server) {
        try (var socket = server.accept()) {
            socket.getOutputStream().write("bye".repeat(10_000).getBytes(StandardCharsets.UTF_8));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Case 25.
    @Test
    void givenCancelledTunnels_whenAnotherPeerCalls_thenItIsNeverTakenForThem() {
        lab.gateway("annotations: {ambient.istio.io/xfcc-include-client-identity: \"true\"}");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.get(lab.vip(1) + ":80", "/").contains("sa/client"));
        var other = lab.caller("other");
        for (int i = 0; i < 20; i++) {
            caller.open(lab.vip(1) + ":80").cancel();
            assertThat(other.get(lab.vip(1) + ":80", "/"))
                    .contains("URI=spiffe://cluster.local/ns/shop/sa/other")
                    .doesNotContain("sa/client");
        }
    }

    /// Case 30.
    @Test
    void givenForgedIdentity_whenIdentitiesAreTold_thenItIsReplacedElseRemoved() {
        var forged = "x-forwarded-client-cert: By=me;URI=spiffe://cluster.local/ns/shop/sa/root";
        lab.gateway("");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !caller.get(lab.vip(1) + ":80", "/", forged).contains("x-forwarded-client-cert"));
        lab.gateway("annotations: {ambient.istio.io/xfcc-include-client-identity: \"True\"}");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.get(lab.vip(1) + ":80", "/", forged)
                        .contains("x-forwarded-client-cert: By=spiffe://cluster.local/ns/shop/sa/waypoint;"
                                + "URI=spiffe://cluster.local/ns/shop/sa/client\n"));
    }

    /// Case 26.
    @Test
    void givenPodOutsideTheMesh_whenBesideOneInside_thenBothAnswer() throws Exception {
        var ip = lab.address();
        lab.writePod("plain", ip, "{app: both}", "{}");
        lab.service("both", 4, "[{name: tcp, port: 9000}]");
        lab.pod("inside", "{app: both}");
        try (var server = new ServerSocket(9000, 50, InetAddress.ofLiteral(ip))) {
            var _ = CompletableFuture.runAsync(() -> {
                while (!server.isClosed()) {
                    try (var socket = server.accept()) {
                        socket.getOutputStream().write("plain:".getBytes(StandardCharsets.UTF_8));
                    } catch (java.io.IOException e) {
                        return;
                    }
                }
            });
            var seen = new HashSet<String>();
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                var talk = caller.open(lab.vip(4) + ":9000").say("x").expect(":");
                seen.add(talk.soFar().substring(0, talk.soFar().indexOf(':')));
                talk.cancel();
                return seen.equals(Set.of("plain", "inside"));
            });
        }
    }

    private static int status(HboneFailure failure) {
        assertThat(failure).isInstanceOf(HboneFailure.Refused.class);
        return ((HboneFailure.Refused) failure).status();
    }

    static String pod(String answer) {
        assertThat(answer).startsWith("HTTP/1.1 200");
        return answer.lines()
                .filter(line -> line.startsWith("x-pod: "))
                .map(line -> line.substring(7))
                .findFirst()
                .orElseThrow();
    }
}
