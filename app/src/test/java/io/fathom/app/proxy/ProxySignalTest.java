// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A companion and a real Envoy as a kubelet ends them: a code other than 0 makes the pod `Failed`.
@Tag("slow")
@Timeout(120)
class ProxySignalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void whenToldToStop_thenItDrainsAndExitsWithZero() throws Exception {
        ProxyStage.envoy();
        Files.createDirectories(folder.resolve("manifests"));
        var ports = ProxyStage.freePorts(7);
        try (var _ = ProxyStage.controlPlane(folder, ports.get(6))) {
            var companion = ProxyStage.process(folder, ports);
            try {
                Awaitility.await("Envoy and the companion")
                        .atMost(PATIENCE)
                        .until(() -> !companion.isAlive() || log().contains("Envoy started"));
                var envoy = companion.children().findFirst().orElseThrow();

                companion.destroy();

                assertThat(companion.onExit().join().exitValue()).as(log()).isZero();
                assertThat(log()).contains("draining");
                assertThat(envoy.isAlive()).isFalse();
            } finally {
                companion.descendants().forEach(ProcessHandle::destroyForcibly);
                companion.destroyForcibly();
            }
        }
    }

    private String log() throws Exception {
        return Files.readString(folder.resolve("companion.log"));
    }
}
