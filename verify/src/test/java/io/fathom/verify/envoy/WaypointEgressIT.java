// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A waypoint as the way out of the mesh: ServiceEntries with a waypoint, a stock Envoy, and hosts outside that are
/// played by this process.
@Tag("slow")
@Tag("interop")
class WaypointEgressIT {
    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        var outside = lab.address();
        lab.keep(IngressLab.answer(HttpServer.create(new InetSocketAddress(outside, 80), 0), "plain"));
        lab.keep(IngressLab.encrypted("encrypted", outside, lab.authority()));
        lab.name("a.wild.example", outside);
        lab.name("elsewhere.example", outside);
        lab.write("wild", """
                apiVersion: networking.istio.io/v1
                kind: ServiceEntry
                metadata: {name: wild, namespace: shop}
                spec:
                  hosts: ["*.wild.example"]
                  addresses: [%s]
                  location: MESH_EXTERNAL
                  resolution: DYNAMIC_DNS
                  ports:
                  - {number: 80, name: http, protocol: HTTP}
                  - {number: 443, name: tls, protocol: TLS, targetPort: 8443}
                  - {number: 8080, name: web, protocol: HTTP, targetPort: 80}
                """.formatted(lab.vip(1)));
        lab.write("api", """
                apiVersion: networking.istio.io/v1
                kind: ServiceEntry
                metadata: {name: api, namespace: shop, annotations: {istio.io/connect-strategy: RACE_FIRST_TCP_CONNECT}}
                spec:
                  hosts: [api.example]
                  addresses: [%s]
                  location: MESH_EXTERNAL
                  resolution: DNS
                  endpoints: [{address: %s}]
                  ports:
                  - {number: 80, name: http, protocol: HTTP}
                  - {number: 443, name: https, protocol: HTTPS, targetPort: 8443}
                """.formatted(lab.vip(2), outside));
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    /// A request whose host is that, to a port of the wildcard.
    private static String wild(int port, String host) {
        return caller.open(lab.vip(1) + ":" + port)
                .say("GET / HTTP/1.1\r\nhost: " + host + "\r\nconnection: close\r\n\r\n")
                .all();
    }

    @Test
    void givenAWildcard_whenAHostOfItIsAskedFor_thenItIsLookedUpAndAnswers() {
        soon().untilAsserted(() -> assertThat(wild(80, "a.wild.example")).contains("x-pod: plain"));
        assertThat(wild(80, "a.wild.example:80")).contains("x-pod: plain");
        assertThat(wild(8080, "a.wild.example:8080"))
                .describedAs("its target port is that of the protocol")
                .contains("x-pod: plain");
    }

    @Test
    void givenAWildcard_whenAnotherHostOrPortIsAskedFor_thenNobodyGetsThere() {
        soon().untilAsserted(() -> assertThat(wild(80, "a.wild.example")).contains("x-pod: plain"));
        assertThat(wild(80, "elsewhere.example")).startsWith("HTTP/1.1 404");
        assertThat(wild(80, "a.wild.example:8443")).startsWith("HTTP/1.1 404");
    }

    /// Begins to speak TLS with that server.
    private static Caller.Conversation greet(String server) throws Exception {
        var engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        var parameters = engine.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(server)));
        engine.setSSLParameters(parameters);
        var hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        assertThat(engine.wrap(ByteBuffer.allocate(0), hello).bytesProduced()).isPositive();
        var words = new String(hello.array(), 0, hello.position(), StandardCharsets.ISO_8859_1);
        return caller.open(lab.vip(1) + ":443").say(words);
    }

    @Test
    void givenAWildcard_whenAServerOfItIsAskedForByTls_thenItAnswersAndNoOther() throws Exception {
        greet("a.wild.example").expect("\u0016").cancel();
        assertThat(greet("elsewhere.example").all()).isEmpty();
    }

    @Test
    void givenARouteToAPortForTls_whenTlsIsOriginated_thenItIsReached() {
        lab.write("route", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: upgraded, namespace: shop}
                spec:
                  parentRefs: [{group: networking.istio.io, kind: ServiceEntry, name: api, port: 80}]
                  rules:
                  - backendRefs: [{group: networking.istio.io, kind: Hostname, name: api.example, port: 443}]
                ---
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: origination, namespace: shop}
                spec: {host: api.example, trafficPolicy: {tls: {mode: SIMPLE, insecureSkipVerify: true}}}
                """);
        soon().untilAsserted(
                        () -> assertThat(caller.get(lab.vip(2) + ":80", "/")).contains("x-pod: encrypted"));
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isZero();
        assertThat(envoy.stat("listener_manager.lds.update_rejected")).isZero();
    }
}
