// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.wire.zds.ZdsRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/// A stock ztunnel as client of our side of the agent's protocol: what it does is what the protocol means.
@Tag("slow")
@EnabledIfEnvironmentVariable(named = "ZTUNNEL_BIN", matches = ".+")
class StockZtunnelTest {
    @TempDir
    Path folder;

    @Test
    void givenStockProxy_whenPodsComeAndGo_thenItListensInThem() throws Exception {
        var path = folder.resolve("ztunnel.sock");
        try (var agent = new FakeAgent(path);
                var home = TestNamespace.create();
                var pod = TestNamespace.create();
                var other = TestNamespace.create()) {
            var process = ztunnel(home, path);
            try {
                var proxy = agent.proxy();
                assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
                assertThat(FakeAgent.add(proxy, "1", pod)).describedAs("again").isEmpty();
                assertThat(proxy.send(new ZdsRequest.SnapshotSent())).isEmpty();
                assertThat(FakeAgent.add(proxy, "2", other)).isEmpty();
                assertThat(isListening(pod)).isTrue();
                assertThat(isListening(other)).isTrue();
                assertThat(proxy.isAlive()).isTrue();

                assertThat(proxy.send(new ZdsRequest.Delete("2"))).isEmpty();
                await().until(() -> !isListening(other));

                proxy.close();
                try (var again = agent.proxy()) {
                    assertThat(isListening(pod))
                            .describedAs("while the agent was away")
                            .isTrue();
                    assertThat(again.send(new ZdsRequest.Keep("1"))).isEmpty();
                    assertThat(again.send(new ZdsRequest.SnapshotSent())).isEmpty();
                    assertThat(isListening(pod)).isTrue();
                }
                try (var third = agent.proxy()) {
                    assertThat(third.send(new ZdsRequest.SnapshotSent())).isEmpty();
                    await("a snapshot without the pod").until(() -> !isListening(pod));
                }
            } finally {
                process.destroyForcibly();
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private Process ztunnel(TestNamespace home, Path path) throws Exception {
        var builder = new ProcessBuilder(
                        "ip",
                        "netns",
                        "exec",
                        home.name(),
                        Objects.requireNonNull(System.getenv("ZTUNNEL_BIN")),
                        "proxy")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Files.createFile(folder.resolve("ztunnel.log")).toFile());
        var environment = builder.environment();
        environment.put("XDS_ADDRESS", "");
        environment.put("LOCAL_XDS", "{}");
        environment.put("CA_ADDRESS", "https://127.0.0.1:1");
        environment.put("INPOD_UDS", path.toString());
        return builder.start();
    }

    /// On the port of HBONE, `3aa0` in the kernel's table.
    private static boolean isListening(TestNamespace namespace) {
        return namespace.run("cat", "/proc/net/tcp6").contains(":3AA0 ");
    }
}
