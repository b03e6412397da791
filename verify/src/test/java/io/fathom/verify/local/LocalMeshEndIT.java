package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(300)
class LocalMeshEndIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void givenAKilledEngine_whenTakenDown_thenNothingIsLeft() throws IOException {
        var links = links();
        try (var mesh = LocalMesh.create()) {
            assertThat(mesh.start().code()).isZero();
            assertThat(processes(mesh.run())).isNotEmpty();
            assertThat(links()).isNotEqualTo(links);

            engine(mesh.run()).destroyForcibly();

            Awaitility.await("all processes end with it")
                    .atMost(PATIENCE)
                    .until(() -> processes(mesh.run()).isEmpty());
            assertThat(mesh.up("status").out()).contains("ended unexpectedly");
            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertNothingIsLeft(mesh.run(), links);
            assertThat(mesh.up("down").out()).as("again").contains("No mesh runs");
        }
    }

    @Test
    void givenARunningMesh_whenTakenDown_thenNothingIsLeft() throws IOException {
        var links = links();
        try (var mesh = LocalMesh.create()) {
            assertThat(mesh.start().code()).isZero();
            mesh.kill("fathom-cni-node-1");
            mesh.kill("ztunnel-node-2");

            assertThat(mesh.up("down").out()).contains("nothing is left");
            assertNothingIsLeft(mesh.run(), links);
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

    static void assertNothingIsLeft(Path run, List<String> linksBefore) throws IOException {
        assertThat(run).doesNotExist();
        assertThat(processes(run)).isEmpty();
        assertThat(links()).isEqualTo(linksBefore);
        assertThat(Files.readAllLines(Path.of("/proc/self/mountinfo")))
                .noneMatch(line -> line.contains(run.toString()));
        assertThat(TestNamespace.execute(List.of("ip", "route"))).doesNotContain("198.19.");
        assertThat(TestNamespace.execute(List.of("iptables-save"))).doesNotContain("198.19.");
    }

    static List<String> links() {
        return TestNamespace.execute(List.of("ip", "-br", "link"))
                .lines()
                .map(line -> line.split("[@\\s]", -1)[0])
                .filter(name -> name.startsWith("fathom"))
                .sorted()
                .toList();
    }

    private static ProcessHandle engine(Path run) {
        return processHandles(run)
                .filter(process -> process.info().command().orElse("").endsWith("java")
                        && commandLine(process).contains("UpMain"))
                .findFirst()
                .orElseThrow();
    }

    static List<String> processes(Path run) {
        return processHandles(run).map(LocalMeshEndIT::commandLine).toList();
    }

    private static Stream<ProcessHandle> processHandles(Path run) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).contains(run.toString()));
    }

    private static String commandLine(ProcessHandle process) {
        return process.info().commandLine().orElse("");
    }
}
