// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.pki.AlternativeNames;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
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

/// A waypoint whose pod has Envoy in it and nothing else, with the arguments that its Deployment would have. The tests
/// build on one another.
@Tag("slow")
@Tag("interop")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init")
class EnvoyOnlyIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    @TempDir
    static Path folder;

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab(
                new LabAuthority(),
                Map.of("FATHOM_TOKENS_DIR", folder.resolve("tokens").toString(), "DEFAULT_WORKLOAD_CERT_TTL", "10s"));
        lab.gateway("annotations: {fathom.io/proxy: envoy-only}");
        lab.service("echo", 1, "[{name: http, port: 80, targetPort: 8080}]");
        lab.pod("echo-1", "{app: echo}");
        Files.writeString(folder.resolve("token"), "not a token");
        envoy = lab.startAlone(folder.resolve("token"));
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        CLIENT.close();
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    @Order(1)
    void givenATokenThatIsNoGood_thenNotReady_andTheStatusPortIsClosed_case2() {
        Awaitility.await().atMost(PATIENCE).until(() -> envoy.log().contains("authentication failure"));
        assertThat(isOpen(15021)).isFalse();
        assertThat(isOpen(15008)).isFalse();
    }

    @Test
    @Order(2)
    void whenTheTokenIsReplaced_thenTheNewOneIsUsed_andTheProxyIsReady_case3() throws IOException {
        var token = folder.resolve("tokens/shop/waypoint-1/istio-token");
        Awaitility.await().atMost(PATIENCE).until(() -> Files.exists(token));
        var draft = Files.copy(token, folder.resolve("token.new"));
        Files.move(draft, folder.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions() // it is closed at first
                .untilAsserted(() ->
                        assertThat(get(15021, "/healthz/ready").statusCode()).isEqualTo(200));
        assertThat(lab.fathomd().text("/debug/connections")).contains("waypoint-1.shop");
    }

    @Test
    @Order(3)
    void givenACaller_thenRequestsGoThroughIt_byTheIdentityOfItsAccount() {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(caller.get(lab.vip(1) + ":80", "/"))
                        .startsWith("HTTP/1.1 200")
                        .contains("echo-1"));
    }

    @Test
    @Order(4)
    void whenEnvoyFailsItsHealthCheck_then503_untilItIsFineAgain_case2() throws Exception {
        envoy.post("/healthcheck/fail");
        assertThat(get(15021, "/healthz/ready").statusCode()).isEqualTo(503);
        envoy.post("/healthcheck/ok");
        assertThat(get(15021, "/healthz/ready").statusCode()).isEqualTo(200);
    }

    @Test
    @Order(5)
    void whenTheCertificateIsRenewed_thenEnvoyServesTheNewOne_andStillServes_case4() throws Exception {
        assertThat(AlternativeNames.of(served())).containsExactly(WaypointLab.WAYPOINT.uri());
        Set<Object> serials = new HashSet<>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            serials.add(served().getSerialNumber());
            return serials.size() >= 3; // it lives for seconds here
        });
        assertThat(lab.caller("another").get(lab.vip(1) + ":80", "/")).startsWith("HTTP/1.1 200");
    }

    @Test
    @Order(6)
    void givenRequests_thenTheirMetricsHaveTheRightNames_case89() {
        for (var port : new int[] {15020, 15090}) {
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                var text = get(port, "/stats/prometheus").body();
                assertThat(text)
                        .contains("\nistio_requests_total{")
                        .contains("reporter=\"waypoint\"")
                        .doesNotContain("envoy_istio_");
                assertThat(text).contains("# TYPE istio_requests_total counter");
            });
        }
    }

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        var uri = URI.create("http://" + lab.proxy() + ":" + port + path);
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static boolean isOpen(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(lab.proxy(), port), 5_000);
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// What Envoy shows to its clients now. It wants to see a certificate, too, but shows its own first.
    private static X509Certificate served() throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new Trusting()}, null);
        try (var socket = (SSLSocket) context.getSocketFactory().createSocket(lab.proxy(), 15008)) {
            socket.setSoTimeout(10_000);
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
