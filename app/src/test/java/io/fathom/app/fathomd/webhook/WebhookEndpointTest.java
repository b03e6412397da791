// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ca.MemoryRootStore;
import io.fathom.control.ca.RootPolicy;
import io.fathom.control.ca.SelfSignedAuthority;
import io.fathom.control.ca.ServingCertificates;
import io.fathom.control.webhook.AdmissionObserver;
import io.fathom.control.webhook.AdmissionReview;
import io.fathom.control.webhook.Validation;
import io.fathom.wire.pki.TlsIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebhookEndpointTest {
    private static final String REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u",
             "resource": {"group": "security.istio.io", "version": "v1", "resource": "authorizationpolicies"},
             "operation": "CREATE", "object": {"apiVersion": "security.istio.io/v1", "kind": "AuthorizationPolicy",
             "metadata": {"name": "p", "namespace": "shop"},
             "spec": {"rules": [{"to": [{"operation": {"ports": ["PORT"]}}]}]}}}}""";

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final AtomicReference<TlsIdentity> identity = new AtomicReference<>(identity());
    private WebhookEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        var observer = new AdmissionObserver() {
            @Override
            public void passed(AdmissionReview review) {
                heard.add("passed " + review.resource());
            }

            @Override
            public void refused(AdmissionReview review) {
                heard.add("refused " + review.resource());
            }

            @Override
            public void misunderstood(int status) {
                heard.add("misunderstood " + status);
            }
        };
        endpoint = WebhookEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                identity::get,
                new Validation(AmbientConfig.defaults()),
                observer);
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void givenAReview_thenTheAnswerSaysWhetherTheObjectMayBeStored() throws Exception {
        try (var client = client()) {
            assertThat(response(post(client, "/validate", REVIEW.replace("PORT", "80")))
                            .path("allowed")
                            .asBoolean())
                    .isTrue();
            var refused = response(post(client, "/validate/anything", REVIEW.replace("PORT", "http")));
            assertThat(refused.path("allowed").asBoolean()).isFalse();
            assertThat(refused.path("uid").asText()).isEqualTo("u");
            assertThat(refused.at("/status/message").asText())
                    .startsWith("AuthorizationPolicy shop/p: spec.rules[0].to[0].operation.ports[0]: is \"http\"");
            assertThat(response(post(client, "/inject/cluster/c", REVIEW.replace("PORT", "http")))
                            .path("allowed")
                            .asBoolean())
                    .as("no sidecars here: as it is")
                    .isTrue();
        }
        assertThat(heard)
                .containsExactly(
                        "passed authorizationpolicies",
                        "refused authorizationpolicies",
                        "passed authorizationpolicies");
    }

    @Test
    void givenSomethingElse_thenTheStatusSaysSo() throws Exception {
        try (var client = client()) {
            assertThat(post(client, "/validate", "{}").statusCode()).isEqualTo(400);
            assertThat(post(client, "/validate", "no json").statusCode()).isEqualTo(400);
            assertThat(get(client, "/validate").statusCode()).isEqualTo(405);
            assertThat(get(client, "/ready").statusCode()).isEqualTo(200);
            assertThat(get(client, "/elsewhere").statusCode()).isEqualTo(404);
        }
        assertThat(heard).containsExactly("misunderstood 400", "misunderstood 400");
    }

    @Test
    void whenTheCertificateChanges_thenTheNextConnectionSeesTheNewOne() throws Exception {
        try (var client = client()) {
            assertThat(serial(get(client, "/ready"))).isEqualTo(serial(identity.get()));
        }
        identity.set(identity());
        try (var client = client()) {
            assertThat(serial(get(client, "/ready"))).isEqualTo(serial(identity.get()));
        }
    }

    @Test
    void givenTwoThousandClientsThatStallInTheHandshake_thenOthersAreAnswered() throws Exception {
        var alone = new ArrayList<Duration>();
        for (int i = 0; i < 8; i++) {
            alone.add(timeReady());
        }
        var beside = new ArrayList<Duration>();
        var stalled = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 2000; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
                stalled.add(socket);
                socket.getOutputStream().write(i % 2 == 0 ? new byte[] {0x16, 3, 1} : new byte[0]);
                if (i % 250 == 249) {
                    beside.add(timeReady());
                }
            }
        } finally {
            for (var socket : stalled) {
                socket.close();
            }
        }
        assertThat(median(beside))
                .as("%s, alone %s", beside, alone)
                .isLessThan(median(alone).multipliedBy(2).plusMillis(100)); // handshakes: all of a busy machine counts
    }

    private Duration timeReady() throws Exception {
        try (var client = client()) {
            var before = System.nanoTime();
            assertThat(get(client, "/ready").statusCode()).isEqualTo(200);
            return Duration.ofNanos(System.nanoTime() - before);
        }
    }

    private static Duration median(List<Duration> all) {
        return all.stream().sorted().toList().get(all.size() / 2);
    }

    private static String serial(TlsIdentity identity) {
        return identity.leaf().getSerialNumber().toString(16);
    }

    private static String serial(HttpResponse<String> response) throws SSLPeerUnverifiedException {
        var certificate = response.sslSession().orElseThrow().getPeerCertificates()[0];
        return ((X509Certificate) certificate).getSerialNumber().toString(16);
    }

    private static TlsIdentity identity() {
        var authority = SelfSignedAuthority.open(
                new MemoryRootStore(), RootPolicy.DEFAULT, "cluster.local", InstantSource.system());
        try (var serving = new ServingCertificates(
                authority, List.of("localhost", "127.0.0.1"), Duration.ofHours(1), InstantSource.system())) {
            return serving.current();
        }
    }

    private HttpClient client() throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("root", identity.get().roots().getFirst());
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(tls).build();
    }

    private static JsonNode response(HttpResponse<String> reply) throws Exception {
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        return new ObjectMapper().readTree(reply.body()).path("response");
    }

    private HttpResponse<String> post(HttpClient client, String path, String body) throws Exception {
        return client.send(request(path).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(HttpClient client, String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + endpoint.port() + path));
    }
}
