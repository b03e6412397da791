// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.testkit.TestCommand;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// A Kubernetes of `bin/up --kube` with Fathom and the samples, in a run folder of its own. Closing takes it down; so
/// does the end of this process.
final class KubeMesh implements AutoCloseable {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<StockProgram> PROGRAMS = List.of(
            StockProgram.ETCD,
            StockProgram.KUBE_APISERVER,
            StockProgram.KUBE_CONTROLLER_MANAGER,
            StockProgram.KUBE_SCHEDULER,
            StockProgram.KUBE_PROXY,
            StockProgram.KUBELET,
            StockProgram.KUBECTL,
            StockProgram.COREDNS,
            StockProgram.HELM,
            StockProgram.FORTIO);

    private final Path home;
    private final Path run;

    private KubeMesh(Path home) {
        this.home = home;
        this.run = home.resolve("run");
    }

    /// Nothing runs yet. Skips the test, and says why, on machines that cannot have it.
    static KubeMesh create() {
        require();
        try {
            return new KubeMesh(Files.createTempDirectory("fk"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Skips the test, and says why, on machines that cannot have a Kubernetes.
    static void require() {
        assumeTrue(
                Files.exists(ROOT.resolve("app/target/fathom.jar")),
                "skipped: the programs are not built: run Maven's phase verify, or bin/lib/build");
        assumeTrue(Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")), "skipped: needs root");
        for (var program : List.of("/usr/bin/containerd", "/usr/sbin/runc", "/usr/lib/cni/bridge", "/usr/bin/socat")) {
            assumeTrue(Files.isExecutable(Path.of(program)), () -> "skipped: " + program + " is not installed");
        }
        PROGRAMS.forEach(StockProgram::require);
    }

    /// `bin/up` with its run folder.
    TestCommand.Result up(String... arguments) {
        return TestCommand.of(
                        line(ROOT.resolve("bin/up").toString(), List.of("--run-dir", run.toString()), arguments),
                        environment())
                .run();
    }

    Map<String, String> environment() {
        return Map.of(
                "FATHOM_BUILD",
                "skip",
                "OWNER",
                Long.toString(ProcessHandle.current().pid()));
    }

    /// For files that go with it.
    Path home() {
        return home;
    }

    Path kubeconfig() {
        return state().resolve("kubeconfig");
    }

    /// What the cluster keeps on disk.
    Path state() {
        var lib = ". " + ROOT.resolve("verify/kube/lib") + " && cluster_dir " + number();
        return Path.of(TestCommand.of(List.of("bash", "-c", lib), Map.of())
                .run()
                .expect("verify/kube/lib")
                .strip());
    }

    int number() {
        try {
            return Integer.parseInt(Files.readString(run.resolve("kube")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    TestCommand command(String program, String... arguments) {
        return TestCommand.of(
                line(program, List.of(), arguments),
                Map.of("KUBECONFIG", kubeconfig().toString(), "FATHOM_BUILD", "skip"));
    }

    /// What kubectl prints, if it succeeds.
    String kubectl(String... arguments) {
        return attempt(arguments).expect(List.of(arguments));
    }

    TestCommand.Result attempt(String... arguments) {
        return kubectlCommand(arguments).run();
    }

    TestCommand kubectlCommand(String... arguments) {
        return command(StockProgram.KUBECTL.require().toString(), arguments);
    }

    void apply(String manifest) {
        var _ = kubectlCommand("apply", "-f", "-").reading(manifest).run().expect("kubectl apply");
    }

    JsonNode get(String... arguments) {
        var words = Stream.concat(Stream.of("get", "-o", "json"), Stream.of(arguments));
        return json(kubectl(words.toArray(String[]::new)));
    }

    /// The objects of a list.
    List<JsonNode> list(String... arguments) {
        return StreamSupport.stream(get(arguments).path("items").spliterator(), false)
                .toList();
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    /// A command on a node, 1 or 2.
    TestCommand on(int node, String... command) {
        try {
            var pid =
                    Files.readString(state().resolve("n" + node).resolve("pid")).strip();
            return TestCommand.of(line("nsenter", List.of("-t", pid, "-a", "--"), command), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A command with the network of a container whose command line has that word.
    TestCommand inside(int node, String word, String... command) {
        var pid = on(node, "pgrep", "-of", word).run().expect("pgrep " + word).strip();
        return on(node, line("nsenter", List.of("-t", pid, "-n", "--"), command).toArray(String[]::new));
    }

    private static List<String> line(String program, List<String> first, String... rest) {
        var line = new ArrayList<String>();
        line.add(program);
        line.addAll(first);
        line.addAll(List.of(rest));
        return line;
    }

    @Override
    public void close() {
        var _ = up("down");
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
