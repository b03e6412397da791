// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Tag("alone")
@Timeout(300)
class LocalMeshEndIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void givenAKilledEngine_whenTakenDown_thenNothingIsLeft() {
        var before = Machine.now();
        try (var mesh = LocalMesh.create()) {
            var started = mesh.start();
            assertThat(started.code()).as(started.out()).isZero();
            assertThat(Machine.now().links()).isNotEqualTo(before.links());

            engine(mesh).destroyForcibly();

            Awaitility.await("all processes end with it")
                    .atMost(PATIENCE)
                    .until(() -> Machine.processes(mesh.run()).findAny().isEmpty());
            assertThat(mesh.up("status").out()).contains("ended unexpectedly");
            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertThat(mesh.run()).doesNotExist();
            assertThat(Machine.hasMounts(mesh.run())).isFalse();
            assertThat(Machine.now()).isEqualTo(before);
            assertThat(mesh.up("down").out()).as("again").contains("No mesh runs");
        }
    }

    @Test
    void givenTwoClustersThatReadEachOther_whenTheEngineIsKilled_thenNothingIsLeft() {
        var before = Machine.now();
        try (var mesh = LocalMesh.create()) {
            var started = mesh.start("--clusters", "2", "--link", "secrets");
            assertThat(started.code()).as(started.out()).isZero();
            Awaitility.await("a request crosses")
                    .atMost(PATIENCE)
                    .until(() -> mesh.exec("cluster-1/visitor", "curl", "-sm", "5", "http://cart.shop/items")
                            .out()
                            .contains("\"cart-"));
            assertThat(mesh.up("fathomctl", "multicluster", "check").code()).isZero();
            assertThat(Machine.now().links()).hasSize(before.links().size() + 2);

            engine(mesh).destroyForcibly();

            Awaitility.await("all processes end with it")
                    .atMost(PATIENCE)
                    .until(() -> Machine.processes(mesh.run()).findAny().isEmpty());
            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertThat(mesh.run()).doesNotExist();
            assertThat(Machine.hasMounts(mesh.run())).isFalse();
            assertThat(Machine.now()).isEqualTo(before);
        }
    }

    @Test
    void givenKilledPrograms_whenTakenDown_thenNothingIsLeft() {
        var before = Machine.now();
        try (var mesh = LocalMesh.create()) {
            var started = mesh.start();
            assertThat(started.code()).as(started.out()).isZero();
            mesh.kill("fathom-cni-node-1");
            mesh.kill("ztunnel-node-2");

            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertThat(mesh.run()).doesNotExist();
            assertThat(Machine.hasMounts(mesh.run())).isFalse();
            assertThat(Machine.processes(mesh.run())).isEmpty();
            assertThat(Machine.now()).isEqualTo(before);
        }
    }

    @Test
    void whenTheStartIsInterrupted_thenNothingIsLeft() {
        var before = Machine.now();
        try (var mesh = LocalMesh.create();
                var start = mesh.beginStart()) {
            Awaitility.await("the network is there")
                    .atMost(PATIENCE)
                    .until(() -> Files.exists(mesh.run().resolve("link")));
            // A terminal would tell all of its processes. A shell alone may pass over it while it waits for a command.
            Awaitility.await("the start to end").atMost(PATIENCE).until(() -> {
                start.interrupt();
                return !start.isAlive();
            });

            assertThat(start.result().code()).isEqualTo(130);
            assertThat(mesh.run()).doesNotExist();
            assertThat(Machine.processes(mesh.run())).isEmpty();
            assertThat(Machine.now()).isEqualTo(before);
        }
    }

    @Test
    void givenAFolderOfSomebodyElse_whenTakenDown_thenItIsLeftAlone() throws IOException {
        try (var mesh = LocalMesh.create()) {
            Files.createDirectory(mesh.run());
            Files.writeString(mesh.run().resolve("precious"), "mine");

            assertThat(mesh.up("down").code()).isEqualTo(1);
            assertThat(mesh.run().resolve("precious")).exists();
        }
    }

    private static ProcessHandle engine(LocalMesh mesh) {
        return Machine.processes(mesh.run())
                .filter(process -> process.info().command().orElse("").endsWith("java")
                        && Machine.commandLine(process).contains("UpMain"))
                .findFirst()
                .orElseThrow();
    }
}
