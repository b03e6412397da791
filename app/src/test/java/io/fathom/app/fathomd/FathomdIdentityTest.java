// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.config.core.v3.Node;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.ca.GrpcCaClient;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a node proxy of a mesh on one machine gets from the TLS port, and what others do not.
@Timeout(120)
class FathomdIdentityTest {
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: %s}
            spec: {nodeName: %s, serviceAccountName: %s, containers: [{name: main}]}
            status: {phase: Running, podIP: %s}
            """;
    private static final String WEB = "spiffe://cluster.local/ns/shop/sa/web";
    private static final String FAR = "spiffe://cluster.local/ns/shop/sa/far";

    @TempDir
    private Path folder;

    @TempDir
    private Path elsewhere;

    private Fathomd fathomd;

    @BeforeEach
    void start() throws IOException {
        write("web.yaml", POD.formatted("web-1", "shop", "node-1", "web", "10.0.0.1"));
        write("far.yaml", POD.formatted("far-1", "shop", "node-2", "far", "10.0.0.2"));
        write("ztunnel.yaml", POD.formatted("ztunnel-1", "istio-system", "node-1", "ztunnel", "10.0.0.3"));
        fathomd = Fathomd.start(config(Map.of()));
    }

    @AfterEach
    void stop() {
        fathomd.close();
    }

    @Test
    void givenANodeProxy_thenItsTokenOpensTheTlsPort() throws Exception {
        try (var client = TestClient.tls(fathomd.tlsPort(), root(), "istiod.istio-system.svc", token())) {
            assertThat(client.subscribe().next().getResourcesList()).hasSize(3);
        }
        assertThat(get("/debug/root-cert").strip())
                .isEqualTo(Files.readString(root().toPath()).strip());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokenFile())))
                .isEqualTo("rw-------");
    }

    @Test
    void givenStrangers_thenTheTlsPortIsClosedToThem() throws Exception {
        for (var token : List.of("", "made-up")) {
            try (var client = TestClient.tls(fathomd.tlsPort(), root(), "localhost", token)) {
                assertThat(client.subscribe().end()).isEqualTo(Status.Code.UNAUTHENTICATED);
            }
        }
    }

    @Test
    void givenAClientThatSaysItIsAnothersProxy_thenItIsDenied() throws Exception {
        var other = Node.newBuilder()
                .setId("ztunnel~10.0.0.1~web-1.shop~shop.svc.cluster.local")
                .build();
        try (var client = TestClient.tls(fathomd.tlsPort(), root(), "localhost", token())) {
            assertThat(client.subscribe(other).end()).isEqualTo(Status.Code.PERMISSION_DENIED);
        }
    }

    @Test
    void givenANodeProxy_thenItGetsCertificatesForItsNodeOnly() throws Exception {
        var channel = TestClient.channel(fathomd.tlsPort(), root(), "localhost");
        var chain = order(channel, token(), WEB);
        assertThat(AlternativeNames.of(Pem.certificates(chain.getFirst()).getFirst()))
                .containsExactly(WEB);
        assertThat(chain.getLast()).isEqualTo("# trust-domain: cluster.local\n" + Files.readString(root().toPath()));
        assertThatThrownBy(() -> order(channel, token(), FAR))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("UNAUTHENTICATED");
        assertThatThrownBy(() -> order(channel, "", WEB)).hasMessageContaining("UNAUTHENTICATED");

        write("far.yaml", POD.formatted("far-1", "shop", "node-1", "far", "10.0.0.2"));
        await().ignoreExceptions().until(() -> order(channel, token(), FAR).size() == 2);
        channel.shutdownNow();

        assertThat(get("/metrics"))
                .contains("citadel_server_success_cert_issuance_count 2\n")
                .contains("fathom_ca_refusals{reason=\"no-credentials\"} 1\n")
                .containsPattern("fathom_ca_refusals\\{reason=\"node-not-on-node\"\\} [1-9]")
                .containsPattern("citadel_server_root_cert_expiry_seconds 3\\.1\\d+E8|3153\\d+")
                .contains("fathom_ca_state 0\n");
        assertThat(get("/debug/caz")).contains("\"authority\":\"self-signed\"").contains("\"state\":\"READY\"");
    }

    @Test
    void whenTheNodeProxysPodIsDeleted_thenItsTokenIsWorthNothing() throws Exception {
        var token = token();
        Files.delete(folder.resolve("ztunnel.yaml"));
        var channel = TestClient.channel(fathomd.tlsPort(), root(), "localhost");
        await().untilAsserted(() ->
                assertThatThrownBy(() -> order(channel, token, WEB)).isInstanceOf(ProblemException.class));
        await().until(() -> !Files.exists(tokenFile()));
        channel.shutdownNow();
    }

    @Test
    void givenThePlaintextPort_thenThereAreNoCertificates() throws Exception {
        var channel = Grpc.newChannelBuilderForAddress(
                        "127.0.0.1", fathomd.plaintextPort(), InsecureChannelCredentials.create())
                .build();
        assertThatThrownBy(() -> order(channel, token(), WEB)).hasMessageContaining("UNIMPLEMENTED");
        channel.shutdownNow();
    }

    @Test
    void whenRestarted_thenTheRootIsTheSame() throws Exception {
        var before = Files.readString(root().toPath());
        fathomd.close();
        fathomd = Fathomd.start(config(Map.of()));
        assertThat(Files.readString(root().toPath())).isEqualTo(before);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere.resolve("ca.yaml"))))
                .isEqualTo("rw-------");
    }

    @Test
    void whenAuthenticationIsOff_thenEverybodyGetsIn() throws Exception {
        fathomd.close();
        fathomd = Fathomd.start(config(Map.of("XDS_AUTH", "false")));
        try (var client = TestClient.tls(fathomd.tlsPort(), root(), "localhost", "")) {
            assertThat(client.subscribe().next().getResourcesList()).hasSize(3);
        }
    }

    @Test
    void givenPluggedCertificatesThatAreNotThere_thenTheComplaintSaysWhere() {
        assertThatThrownBy(() -> Fathomd.start(config(Map.of("FATHOM_CA", "cacerts", "ROOT_CA_DIR", "/no/such"))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("/no/such");
    }

    private FathomdConfig config(Map<String, String> more) {
        var args = new ArrayList<>(List.of("--manifests", folder.toString(), "--listen-address", "127.0.0.1"));
        for (var flag : List.of("--plaintext-port", "--tls-port", "--http-port")) {
            args.addAll(List.of(flag, "0"));
        }
        args.addAll(List.of("--root-cert-file", root().toString()));
        args.addAll(List.of("--ca-file", elsewhere.resolve("ca.yaml").toString()));
        args.addAll(List.of("--tokens-dir", elsewhere.resolve("tokens").toString()));
        var environment = new HashMap<>(Map.of("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel"));
        environment.putAll(more);
        return FathomdConfig.parse(args.toArray(String[]::new), environment);
    }

    private File root() {
        return elsewhere.resolve("root.pem").toFile();
    }

    private Path tokenFile() {
        return elsewhere.resolve("tokens/istio-system/ztunnel-1/istio-token");
    }

    private String token() throws IOException {
        await().until(() -> Files.exists(tokenFile()));
        return Files.readString(tokenFile());
    }

    private static List<String> order(ManagedChannel channel, String token, String identity) {
        var client = new GrpcCaClient(
                channel,
                () -> Optional.of(token).filter(text -> !text.isEmpty()),
                "Kubernetes",
                Duration.ofSeconds(20));
        return client.create(new CertificateOrder(
                RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(identity)),
                Duration.ZERO,
                Optional.of(identity)));
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    private String get(String path) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + fathomd.httpPort() + path);
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
        }
    }
}
