// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.testkit.TestCommand;
import io.fathom.base.testkit.TestCommand.Result;
import io.fathom.base.testkit.TestCommand.Running;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// A mesh of `bin/up` in a run folder of its own, on a copy of the samples. Closing takes it down.
final class LocalMesh implements AutoCloseable {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path home;
    private final Path run;
    private final Path manifests;
    private final List<String> as;

    private LocalMesh(Path home, Path manifests, List<String> as) {
        this.home = home;
        this.run = home.resolve("run");
        this.manifests = manifests;
        this.as = List.copyOf(as);
    }

    /// Nothing runs yet.
    static LocalMesh create() {
        needPrograms();
        assumeTrue(Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")), "needs root");
        try {
            var home = Files.createTempDirectory("fm");
            var manifests = home.resolve("samples");
            try (var files = Files.walk(ROOT.resolve("samples"))) {
                for (var file : (Iterable<Path>) files::iterator) {
                    Files.copy(file, manifests.resolve(ROOT.resolve("samples").relativize(file)));
                }
            }
            return new LocalMesh(home, manifests, List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The same on a folder that holds nothing yet.
    static LocalMesh createEmpty() {
        needPrograms();
        assumeTrue(Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")), "needs root");
        try {
            var home = Files.createTempDirectory("fm");
            return new LocalMesh(home, Files.createDirectory(home.resolve("manifests")), List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The same for a user that is not root: the commands are run through `as`.
    static LocalMesh createFor(List<String> as) {
        needPrograms();
        try {
            var home = Files.createTempDirectory("fm");
            var _ = home.toFile().setWritable(true, false);
            var _ = home.toFile().setReadable(true, false);
            var _ = home.toFile().setExecutable(true, false);
            return new LocalMesh(home, ROOT.resolve("samples"), as);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void needPrograms() {
        assumeTrue(
                Files.exists(ROOT.resolve("app/target/fathom.jar")),
                "the programs are not built: run Maven's phase verify, or bin/lib/build");
        for (var program : List.of("ip", "nsenter", "unshare", "setpriv", "iptables", "ipset", "python3", "curl")) {
            assumeTrue(isInstalled(program), program + " is not installed");
        }
    }

    static boolean isInstalled(String program) {
        return Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    Path run() {
        return run;
    }

    /// `bin/up`, which returns once the mesh works.
    Result start(String... flags) {
        return up(Stream.concat(Stream.of("--manifests", manifests.toString()), Arrays.stream(flags))
                .toArray(String[]::new));
    }

    Result up(String... arguments) {
        return command(arguments).run();
    }

    /// `bin/up`, while it is still at it. It hears Ctrl-C, also if the tests run in the background and do not.
    Running beginStart() {
        var line = new ArrayList<>(List.of("env", "--default-signal=INT"));
        line.addAll(command("--manifests", manifests.toString()).line());
        return process(line).begin();
    }

    /// A file of the tests, put among the manifests.
    void add(String resource) {
        try (var text = Objects.requireNonNull(LocalMesh.class.getResourceAsStream("/local/" + resource))) {
            write(resource, new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Runs in a pod until it is closed; what it prints can be read.
    Running begin(String pod, String... command) {
        var words = Stream.concat(Stream.of("exec", pod, "--"), Arrays.stream(command));
        return command(words.toArray(String[]::new)).begin();
    }

    /// Runs in a pod.
    Result exec(String pod, String... command) {
        return up(Stream.concat(Stream.of("exec", pod, "--"), Arrays.stream(command))
                .toArray(String[]::new));
    }

    /// Runs on this machine, outside of the mesh.
    static Result outside(String... command) {
        return process(List.of(command)).run();
    }

    /// Types that at the top of this tree. `bin/up` means this mesh, and starts it on the samples themselves.
    Result shell(String script) {
        var line = List.of("env", "-C", ROOT.toString(), "bash", "-euo", "pipefail", "-c", script);
        return TestCommand.of(line, Map.of("FATHOM_BUILD", "skip", "FATHOM_RUN_DIR", run.toString()))
                .run();
    }

    private TestCommand command(String... arguments) {
        var line = new ArrayList<>(as);
        line.addAll(List.of(ROOT.resolve("bin/up").toString(), "--run-dir", run.toString()));
        line.addAll(List.of(arguments));
        return process(line);
    }

    private static TestCommand process(List<String> line) {
        return TestCommand.of(line, Map.of("FATHOM_BUILD", "skip"));
    }

    /// A command in one of its network namespaces: `middle`, `node-1`, `node-2`.
    Running beginIn(String namespace, String... command) {
        return beginAt(run, namespace, command);
    }

    /// The same in one of several clusters.
    ///
    /// @param cluster its folder
    Running beginAt(Path cluster, String namespace, String... command) {
        try {
            var init = Files.readString(run.resolve("init")).split(" ", -1)[0];
            var line = new ArrayList<>(List.of("nsenter", "--target", init, "--mount", "--pid", "--", "nsenter"));
            line.addAll(List.of("--net=" + cluster.resolve("netns").resolve(namespace), "--"));
            line.addAll(List.of(command));
            return process(line).begin();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Result runIn(String namespace, String... command) {
        try (var running = beginIn(namespace, command)) {
            return running.result();
        }
    }

    JsonNode status() {
        return status(run);
    }

    /// What runs in one of several clusters.
    ///
    /// @param cluster its folder
    static JsonNode status(Path cluster) {
        try {
            return JSON.readTree(Files.readString(cluster.resolve("status.json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The pods whose name begins like that.
    List<JsonNode> pods(String prefix) {
        var pods = new ArrayList<JsonNode>();
        status().path("pods").forEach(pods::add);
        return pods.stream()
                .filter(pod -> pod.path("name").asText().startsWith(prefix))
                .toList();
    }

    JsonNode program(String name) {
        for (var program : status().path("programs")) {
            if (program.path("name").asText().equals(name)) {
                return program;
            }
        }
        throw new IllegalArgumentException("no program " + name);
    }

    /// Kills it without warning.
    void kill(String program) {
        kill(program(program));
    }

    /// Kills the process of a program or pod without warning.
    void kill(JsonNode process) {
        signal(process.path("pid").asText(), "KILL");
    }

    /// Kills the one process that the process of a pod has started.
    void killChild(JsonNode pod) {
        signalChild(pod, "KILL");
    }

    /// Sends that process a signal, such as `STOP`.
    void signalChild(JsonNode pod, String signal) {
        signal(runIn("middle", "pgrep", "-P", pod.path("pid").asText()).out().strip(), signal);
    }

    private void signal(String pid, String signal) {
        var result = runIn("middle", "kill", "-" + signal, pid);
        if (result.code() != 0) {
            throw new IllegalStateException(pid + ": " + result.out());
        }
    }

    /// Changes a manifest.
    void edit(String file, UnaryOperator<String> change) {
        try {
            var before = Files.readString(manifests.resolve(file));
            var after = change.apply(before);
            if (after.equals(before)) {
                throw new IllegalArgumentException("nothing to change in " + file);
            }
            write(file, after);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Puts a manifest there as an editor does: written beside it and renamed.
    void write(String file, String manifest) {
        try {
            var path = manifests.resolve(file);
            var draft = path.resolveSibling("." + path.getFileName() + ".new");
            Files.writeString(draft, manifest);
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Takes a file away.
    void remove(String file) {
        try {
            Files.delete(manifests.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String log(String name) {
        return up("logs", name).out();
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
