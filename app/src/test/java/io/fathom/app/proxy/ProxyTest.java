// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.pki.AlternativeNames;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// One life of a companion and its Envoy, from a pod without a good token to the end. The tests build on one another.
@Tag("slow")
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init")
class ProxyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path folder;

    private static ProxyStage stage;

    @BeforeAll
    static void start() throws IOException {
        stage = ProxyStage.start(folder);
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @Test
    @Order(1)
    void givenATokenThatIsNoGood_thenNotReady_andTheStatusPortIsClosed_case2() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> stage.agent("/stats/prometheus").body().contains("num_failed_outgoing_requests"));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(stage.agent("/healthz/ready").status()).isEqualTo(503));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(stage.agent("/healthz/ready").body()).contains("config not received"));
        assertThat(isOpen(stage.statusPort())).isFalse();
    }

    @Test
    @Order(2)
    void whenTheTokenIsReplaced_thenTheNewOneIsUsed_andEnvoyIsServed_case3() throws IOException {
        stage.giveToken();
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions() // it is closed at first
                .untilAsserted(() ->
                        assertThat(stage.status("/healthz/ready").status()).isEqualTo(200));
        assertThat(stage.agent("/healthz/ready").status()).isEqualTo(200);
        assertThat(stage.admin("/clusters")).contains("xds-grpc::");
        assertThat(stage.connectedProxies()).contains("waypoint-1.shop");
    }

    @Test
    @Order(3)
    void whenEnvoyFailsItsHealthCheck_then503_untilItIsFineAgain_case2() throws IOException {
        stage.adminPost("/healthcheck/fail");
        assertThat(stage.status("/healthz/ready").status()).isEqualTo(503);
        stage.adminPost("/healthcheck/ok");
        assertThat(stage.status("/healthz/ready").status()).isEqualTo(200);
    }

    @Test
    @Order(4)
    void whenTheCertificateIsRenewed_thenEnvoyServesTheNewOne_case4() {
        var first = served();
        assertThat(AlternativeNames.of(first)).containsExactly("spiffe://cluster.local/ns/shop/sa/waypoint");
        Set<Object> serials = new HashSet<>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            serials.add(served().getSerialNumber());
            return serials.size() >= 3; // it lives for seconds here
        });
    }

    @Test
    @Order(5)
    void givenRequests_thenTheirMetricsHaveTheRightNames_case89() throws IOException {
        assertThat(stage.plain("/").status()).isEqualTo(200);
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            for (var text : new String[] {
                stage.agent("/stats/prometheus").body(),
                stage.prometheus("/stats/prometheus").body()
            }) {
                assertThat(text).contains("\nistio_requests_total{").doesNotContain("\nenvoy_istio_");
                assertThat(text).contains("# TYPE istio_requests_total counter");
            }
        });
        assertThat(stage.agent("/stats/prometheus").body()).contains("istio_agent_cert_expiry_seconds");
    }

    @Test
    @Order(6)
    void givenMetricsThatNobodyUses_thenTheyGoAway_case92() throws IOException {
        assertThat(stage.admin("/config_dump?mask=bootstrap.stats_eviction_interval"))
                .contains("\"stats_eviction_interval\": \"5s\"");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(stage.agent("/stats/prometheus").body()).doesNotContain("\nistio_requests_total{"));
    }

    @Test
    @Order(7)
    void whenToldToStop_thenTheListenersCloseFirst_andEnvoyEnds() throws Exception {
        var ended = stage.proxy().ended();
        stage.proxy().drain();
        assertThat(stage.agent("/healthz/ready").status()).isEqualTo(503);
        assertThat(ended).isNotDone();
        stage.proxy().close();
        assertThat(ended).succeedsWithin(PATIENCE);
        Awaitility.await().atMost(PATIENCE).until(() -> !isOpen(stage.agentPort())); // once its thread has noticed
        assertThat(Files.exists(folder.resolve("s"))).isFalse();
    }

    private static X509Certificate served() {
        try {
            return stage.servedCertificate();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isOpen(int port) {
        try (var socket = new java.net.Socket()) {
            socket.connect(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), port), 5_000);
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
