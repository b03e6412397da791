// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.verify.deploy.Charts.Case;
import io.fathom.verify.peers.CaHelperProcess;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.peers.Vault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The CA helper on a real API server with what the chart grants it, and a stock istiod that takes the Secret.
@Tag("interop")
@Tag("slow")
@Timeout(300)
class CaHelperSecretIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    void givenTheChartsAccount_thenSecretCacertsIsKeptFreshAndAStockIstiodSignsWithIt() throws Exception {
        StockProgram.HELM.require();
        StockProgram.KUBECTL.require();
        StockProgram.ISTIOD.require();
        try (var vault = Vault.start();
                var cluster = KubeApiServer.start(InstantSource.system(), KubeApiServer.Rights.BY_ROLE)) {
            var token = CaHelperProcess.prepare(vault);
            kubectl(cluster, "", "create", "namespace", "istio-system");
            var objects = Charts.render(new Case("fathomd", "ca-helper"));
            kubectl(cluster, objects, "apply", "--server-side", "-f", "-");
            var settings = Map.of(
                    "FATHOM_VAULT_TTL", "40s",
                    "FATHOM_VAULT_RENEW_AFTER", "0.3",
                    "FATHOM_VAULT_CHECK_EVERY", "1s");
            try (var helper = CaHelperProcess.start(
                            cluster.workspace(), vault, token, settings, "--kubeconfig=" + helpersKubeconfig(cluster))
                    .awaitReady()) {
                var first = secret(cluster, "ca-cert\\.pem");
                assertThat(first).isNotEmpty();
                var folder = temporary.resolve("cacerts");
                try (var istiod = Istiod.startWithCertificates(
                        cluster, Map.of("ROOT_CA_DIR", folder.toString(), "USE_REMOTE_CERTS", "true"))) {
                    assertThat(vault.tell("vault read -field=certificate pki/cert/ca >root.pem; openssl s_client"
                                    + " -verify_return_error -CAfile root.pem -connect 127.0.0.1:" + istiod.tlsPort()
                                    + " </dev/null"))
                            .contains("Verify return code: 0");
                }
                await().atMost(PATIENCE)
                        .until(() -> !secret(cluster, "ca-cert\\.pem").equals(first));
                assertThat(kubectl(cluster, "", "delete", "secret", "cacerts", "-n", "istio-system"))
                        .contains("deleted");
                await().atMost(PATIENCE)
                        .until(() -> !secret(cluster, "ca-key\\.pem").isEmpty());
                assertThat(helper.stop()).isZero();
            }
        }
    }

    private static String secret(KubeApiServer cluster, String key) {
        return kubectl(
                cluster,
                "",
                "get",
                "secret",
                "cacerts",
                "-n",
                "istio-system",
                "--ignore-not-found",
                "-o",
                "jsonpath={.data." + key + "}");
    }

    private Path helpersKubeconfig(KubeApiServer cluster) throws Exception {
        var token = kubectl(cluster, "", "create", "token", "istiod-ca-helper", "-n", "istio-system");
        var text = Files.readString(cluster.kubeconfig()).replaceAll("token: \\w+", "token: " + token.strip());
        return Files.writeString(temporary.resolve("kubeconfig"), text);
    }

    private static String kubectl(KubeApiServer cluster, String input, String... words) {
        var command = new ArrayList<>(List.of("--kubeconfig=" + cluster.kubeconfig()));
        command.addAll(List.of(words));
        var ran = Charts.run(StockProgram.KUBECTL, command, input);
        assertThat(ran.code()).as(ran.text()).isZero();
        return ran.text();
    }
}
