// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.sds.SecretServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The secrets alone, with a real Envoy as their client.
@Tag("slow")
@Timeout(180)
class SecretRotationTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void whenAnotherCertificateIsPublished_thenEnvoyServesIt_case4() throws Exception {
        var ports = ProxyStage.freePorts(1);
        var config = Files.writeString(
                folder.resolve("envoy.yaml"),
                """
                node: {id: a, cluster: b}
                static_resources:
                  clusters:
                  - name: sds-grpc
                    type: STATIC
                    typed_extension_protocol_options:
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                        explicit_http_config: {http2_protocol_options: {}}
                    load_assignment:
                      cluster_name: sds-grpc
                      endpoints: [{lb_endpoints: [{endpoint: {address: {pipe: {path: "%s"}}}}]}]
                  listeners:
                """.formatted(folder.resolve("s")) + ServedCertificate.listener(ports.getFirst()));
        var process = new ProcessBuilder(
                        ProxyStage.envoy().toString(),
                        "-c",
                        config.toString(),
                        "--disable-hot-restart",
                        "--concurrency",
                        "1")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("envoy.log").toFile())
                .start();
        try (var server = SecretServer.start(folder.resolve("s"))) {
            for (var account : List.of("a", "b", "c")) {
                server.publish(identity(account));
                Awaitility.await("certificate of " + account)
                        .atMost(Duration.ofSeconds(60))
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(AlternativeNames.of(ServedCertificate.at(ports.getFirst())))
                                .containsExactly("spiffe://cluster.local/ns/shop/sa/" + account));
            }
        } finally {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    private static TlsIdentity identity(String account) {
        var now = InstantSource.system().instant();
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "test", now.minusSeconds(60), Duration.ofDays(1));
        var own = KeyAlgorithm.P256.generate();
        var leaf = new Issuer(new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root)))
                .sign(
                        new Leaf(
                                SubjectKey.of(own.getPublic()),
                                List.of(new Identity("cluster.local", "shop", account).uri()),
                                Leaf.Subject.EMPTY,
                                Duration.ofHours(1)),
                        now);
        return new TlsIdentity(own.getPrivate(), List.of(leaf.certificate()), List.of(root));
    }
}
