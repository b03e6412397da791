// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.CaHelperProcess;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.peers.Vault;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The CA helper between a real Vault and control planes that read plugged certificates from its folder: a stock istiod
/// and ours. grpcurl asks them for certificates, openssl verifies what comes back with Vault's root.
@Tag("interop")
@Tag("slow")
@Timeout(300)
class CaHelperIT {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/shop/sa/payments";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /// Renewed after about 20 s, long before its end.
    private static final Map<String, String> SHORT = Map.of(
            "FATHOM_VAULT_TTL", "2m",
            "FATHOM_VAULT_RENEW_AFTER", "0.2",
            "FATHOM_VAULT_CHECK_EVERY", "1s",
            "FATHOM_VAULT_ROOT_OVERLAP", "5s");

    private static @Nullable Vault vault;
    private static @Nullable KubeApiServer cluster;
    private static String vaultToken = "";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @BeforeAll
    static void start() {
        StockProgram.GRPCURL.require();
        StockProgram.ISTIOD.require();
        vault = Vault.start();
        vaultToken = CaHelperProcess.prepare(vault);
        cluster = KubeApiServer.start(InstantSource.system());
        apply("{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}");
        apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
        apply(LocalNodeProxy.pod(LocalNodeProxy.POD, "istio-system", "ztunnel", "10.88.0.1"));
        apply(LocalNodeProxy.pod("payments-1", "shop", "payments", "10.88.0.2"));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (vault != null) {
            vault.close();
        }
    }

    @Test
    void givenAStockIstiod_whenTheIntermediateIsRenewed_thenItSignsWithTheNewOneWithoutARestart() throws Exception {
        var folder = temporary.resolve("cacerts");
        try (var helper = helper(folder).awaitReady();
                var istiod = Istiod.startWithCertificates(cluster(), Map.of("ROOT_CA_DIR", folder.toString()));
                var ours = ours(folder, Map.of())) {
            var callers = callers(istiod, ours);
            for (var caller : callers) {
                assertThat(caller.verify(caller.chain())).contains("leaf.pem: OK");
            }
            var first = intermediate(folder);

            await().atMost(PATIENCE).until(() -> !intermediate(folder).equals(first));

            for (var caller : callers) {
                await().atMost(PATIENCE).until(() -> !caller.chain().get(1).equals(first));
                assertThat(caller.verify(caller.chain())).contains("leaf.pem: OK");
            }
            assertThat(helper.page("/metrics"))
                    .contains("fathom_cacerts_alarm 0", "fathom_vault_up 1")
                    .contains("fathom_cacerts_expiry_timestamp_seconds ");
            assertThat(helper.stop()).as("exit code after SIGTERM").isZero();
            assertThat(intermediate(folder).getNotAfter()).isAfter(first.getNotAfter());
        }
    }

    @Test
    void givenSeveralRoots_whenVaultGetsANewOne_thenBothAreTrustedAndTheNewOneSigns() throws Exception {
        var folder = temporary.resolve("cacerts");
        var several = Map.of("ROOT_CA_DIR", folder.toString(), "ISTIO_MULTIROOT_MESH", "true");
        try (var helper = helper(folder).awaitReady();
                var istiod = Istiod.startWithCertificates(cluster(), several);
                var ours = ours(folder, several)) {
            var callers = callers(istiod, ours);
            var before = new ArrayList<List<X509Certificate>>();
            for (var caller : callers) {
                before.add(caller.chain());
            }
            var old = before.getFirst().getLast();
            vault().tell("""
                    vault write pki/root/generate/internal common_name="Next root" key_type=ec ttl=87600h issuer_name=next
                    vault write pki/config/issuers default=next
                    """);
            for (var caller : callers) {
                await().atMost(PATIENCE)
                        .until(() -> caller.chain()
                                .get(1)
                                .getIssuerX500Principal()
                                .getName()
                                .equals("CN=Next root"));
                var chain = caller.chain();
                assertThat(chain.subList(2, chain.size()))
                        .as("what clients are told to trust")
                        .hasSize(2)
                        .contains(old);
            }
            // a certificate from before is good for clients that have been told of both
            Files.writeString(temporary.resolve("root.pem"), Files.readString(folder.resolve("root-cert.pem")));
            for (var caller : callers) {
                assertThat(caller.verify(before.getFirst())).contains("leaf.pem: OK");
                assertThat(caller.verify(caller.chain())).contains("leaf.pem: OK");
            }
            assertThat(helper.page("/ready")).startsWith("200 ");
        }
    }

    @Test
    void whenVaultRefuses_thenThePageAndTheLogSayWhyAndWhatIsThereStays() throws Exception {
        var folder = temporary.resolve("cacerts");
        var refused = vault().tell("vault token create -policy=default -field=token");
        try (var helper = CaHelperProcess.start(cluster().workspace(), vault(), refused, SHORT, "--folder=" + folder)) {
            await().atMost(PATIENCE).until(() -> helper.page("/ready").contains("pki/root/sign-intermediate"));
            assertThat(helper.page("/ready")).startsWith("503 ").contains("there is no usable intermediate", "fix:");
            assertThat(helper.page("/metrics")).contains("fathom_cacerts_alarm 2", "fathom_vault_up 0");
            assertThat(helper.log()).contains("vault-denied");
            assertThat(folder).doesNotExist();
        }
    }

    private static CaHelperProcess helper(Path folder) {
        return CaHelperProcess.start(cluster().workspace(), vault(), vaultToken, SHORT, "--folder=" + folder);
    }

    private RunningFathomd ours(Path folder, Map<String, String> more) throws IOException {
        var manifests = Files.createDirectories(temporary.resolve("mesh"));
        LocalNodeProxy.writePod(manifests);
        Files.writeString(
                manifests.resolve("payments.yaml"), LocalNodeProxy.pod("payments-1", "shop", "payments", "10.88.0.2"));
        var settings = new HashMap<>(LocalNodeProxy.environment(temporary.resolve("tokens")));
        settings.putAll(Map.of("FATHOM_CA", "cacerts", "ROOT_CA_DIR", folder.toString()));
        settings.putAll(more);
        return RunningFathomd.on(manifests, settings);
    }

    /// Of the stock control plane first. Both are verified with Vault's root.
    private List<Caller> callers(Istiod istiod, RunningFathomd ours) throws Exception {
        Files.writeString(temporary.resolve("root.pem"), vault().tell("vault read -field=certificate pki/cert/ca"));
        var caller = new CertificateCaller(temporary);
        caller.run("openssl req -new -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout key.pem -out csr.pem"
                + " -subj / -addext subjectAltName=critical,URI:" + PAYMENTS);
        var theirToken = cluster().client().podToken("istio-system", "ztunnel", LocalNodeProxy.POD, "istio-ca");
        var ourToken = Files.readString(LocalNodeProxy.token(temporary.resolve("tokens")));
        return List.of(new Caller(caller, istiod.tlsPort(), theirToken), new Caller(caller, ours.tlsPort(), ourToken));
    }

    /// A node proxy of one control plane.
    private final class Caller {
        private final CertificateCaller caller;
        private final int port;
        private final String token;

        private Caller(CertificateCaller caller, int port, String token) {
            this.caller = caller;
            this.port = port;
            this.token = token;
        }

        /// A new certificate, its intermediate, and the roots.
        private List<X509Certificate> chain() throws Exception {
            var answer = caller.ask(StockProgram.GRPCURL.require() + " -insecure", port, token, PAYMENTS);
            assertThat(answer).startsWith("{");
            var text = new StringBuilder();
            new ObjectMapper().readTree(answer).path("certChain").forEach(part -> text.append(part.asText()));
            return Pem.certificates(text.toString());
        }

        private String verify(List<X509Certificate> chain) throws Exception {
            Files.writeString(temporary.resolve("leaf.pem"), Pem.encode(chain.getFirst()));
            Files.writeString(temporary.resolve("rest.pem"), Pem.encode(chain.get(1)));
            return caller.run("openssl verify -purpose sslclient -CAfile root.pem -untrusted rest.pem leaf.pem");
        }
    }

    private static X509Certificate intermediate(Path folder) throws IOException {
        return Pem.certificates(Files.readString(folder.resolve("ca-cert.pem"))).getFirst();
    }

    private static void apply(String yaml) {
        var content = ManifestDocument.parse(yaml).orElseThrow().content();
        cluster().client().apply(new ObjectMapper().valueToTree(content));
    }

    private static Vault vault() {
        return Objects.requireNonNull(vault);
    }

    private static KubeApiServer cluster() {
        return Objects.requireNonNull(cluster);
    }
}
