// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The samples as people apply and delete them.
@Tag("slow")
@Timeout(180)
class SamplesIT {
    @Test
    void whenTheSamplesAreDeleted_thenTheirNamespacesGoAndTheMeshStays() {
        StockProgram.KUBECTL.require();
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            kubectl(cluster, "create", "namespace", "istio-system");
            var samples = Charts.ROOT.resolve("samples").toString();
            assertThat(kubectl(cluster, "apply", "-R", "-f", samples))
                    .contains("namespace/shop created", "peerauthentication.security.istio.io/default created");

            kubectl(cluster, "delete", "-R", "-f", samples, "--wait=false");

            assertThat(phase(cluster, "shop")).isEqualTo("Terminating");
            assertThat(phase(cluster, "istio-system")).isEqualTo("Active");
            assertThat(kubectl(cluster, "get", "peerauthentication", "-A", "-o", "name"))
                    .as("of the samples nothing is left in it")
                    .doesNotContain("peerauthentication");
        }
    }

    private static String phase(KubeApiServer cluster, String namespace) {
        return kubectl(cluster, "get", "namespace", namespace, "-o", "jsonpath={.status.phase}");
    }

    private static String kubectl(KubeApiServer cluster, String... words) {
        var command = new ArrayList<>(List.of("--kubeconfig=" + cluster.kubeconfig()));
        command.addAll(List.of(words));
        var ran = Charts.run(StockProgram.KUBECTL, command, "");
        assertThat(ran.code()).as(ran.text()).isZero();
        return ran.text();
    }
}
