// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.testkit.TestCommand;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// Two Kubernetes of one node each, `west` and `east`, whose pods cannot reach each other. Our images are on them;
/// nothing is installed. One kubeconfig has a context for each. Closing takes them down; so does the end of this
/// process.
final class KubePair implements AutoCloseable {
    static final List<String> NAMES = List.of("west", "east");
    private static final Path KUBE = KubeMesh.ROOT.resolve("verify/kube");
    private static final String IMAGES = KubeMesh.ROOT.resolve("target/images").toString();

    private final Path home;
    private final Map<String, Integer> numbers = new HashMap<>();

    private KubePair(Path home) {
        this.home = home;
    }

    /// Skips the test, and says why, on machines that cannot have it.
    static KubePair start() {
        KubeMesh.require();
        try {
            var pair = new KubePair(Files.createTempDirectory("fp"));
            try {
                pair.begin();
                return pair;
            } catch (RuntimeException | Error e) {
                pair.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void begin() throws IOException {
        var images = Map.of("FATHOM_BUILD", "skip");
        TestCommand.of(List.of(KubeMesh.ROOT.resolve("bin/image").toString()), images)
                .run()
                .expect("bin/image");
        shell("images");
        var owner = Map.of("OWNER", Long.toString(ProcessHandle.current().pid()));
        each(name -> {
            var said = TestCommand.of(List.of(KUBE.resolve("up").toString(), "any", "1"), owner)
                    .run()
                    .expect("verify/kube/up");
            var last = said.strip().lines().toList().getLast().split(" ", -1);
            synchronized (numbers) {
                numbers.put(name, Integer.parseInt(last[0]));
            }
            write(name, Files.readString(Path.of(last[1])));
            return last[1];
        });
        each(name -> TestCommand.of(
                        List.of("bash", "-c", KUBE.resolve("load") + " " + number(name) + " all " + IMAGES + "/*.tar"),
                        Map.of())
                .run()
                .expect("verify/kube/load"));
        var merged = TestCommand.of(
                        List.of(kubectl(), "config", "view", "--flatten"),
                        Map.of("KUBECONFIG", home.resolve("west") + ":" + home.resolve("east")))
                .withoutErrors()
                .run()
                .expect("kubectl config view");
        write("kubeconfig", merged);
    }

    /// All clusters call their context, their user and themselves alike in each kubeconfig, but by number.
    private void write(String name, String kubeconfig) {
        var cluster = "c" + Optional.ofNullable(numbers.get(name)).orElse(0);
        try {
            Files.writeString(
                    home.resolve(name),
                    kubeconfig
                            .replaceAll("\\badmin\\b", name + "-admin")
                            .replaceAll("(name|cluster|current-context): " + cluster + "\\b", "$1: " + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Work on both at once.
    interface ClusterWork {
        Object run(String name) throws IOException;
    }

    void each(ClusterWork work) {
        var all = NAMES.stream()
                .map(name -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return work.run(name);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        Thread::startVirtualThread))
                .toList();
        all.forEach(CompletableFuture::join);
    }

    int number(String name) {
        synchronized (numbers) {
            return Optional.ofNullable(numbers.get(name)).orElseThrow();
        }
    }

    /// An address that the load balancer of a cluster may give; both clusters reach it.
    String address(String name, int which) {
        return "10.89.0." + (100 + 10 * number(name) + which);
    }

    /// Plays the cloud: gives a Service its address.
    void balance(String name, String namespace, String service, String address) {
        shell("balance", Integer.toString(number(name)), namespace, service, address);
    }

    /// An address that leads nowhere any more.
    void drop(String name, String address) {
        var lib = ". " + KUBE.resolve("lib") + " && in_node " + number(name) + " 1 ip address del " + address
                + "/32 dev eth0";
        TestCommand.of(List.of("bash", "-c", lib), Map.of()).run().expect("ip address del");
    }

    private static void shell(String script, String... arguments) {
        var line = new ArrayList<>(List.of(KUBE.resolve(script).toString()));
        line.addAll(List.of(arguments));
        TestCommand.of(line, Map.of()).run().expect("verify/kube/" + script);
    }

    private static String kubectl() {
        return StockProgram.KUBECTL.require().toString();
    }

    Path home() {
        return home;
    }

    Path kubeconfig() {
        return home.resolve("kubeconfig");
    }

    /// A command with the kubeconfig of both.
    TestCommand command(String program, String... arguments) {
        return TestCommand.of(
                Stream.concat(Stream.of(program), Stream.of(arguments)).toList(),
                Map.of(
                        "KUBECONFIG",
                        kubeconfig().toString(),
                        "FATHOM_BUILD",
                        "skip",
                        "PATH",
                        StockProgram.HELM.require().getParent() + ":" + System.getenv("PATH")));
    }

    /// What `fathomctl` prints, if it succeeds.
    String fathomctl(String... arguments) {
        return fathomctlCommand(arguments).run().expect("fathomctl " + String.join(" ", arguments));
    }

    TestCommand fathomctlCommand(String... arguments) {
        return command(KubeMesh.ROOT.resolve("bin/fathomctl").toString(), arguments);
    }

    String helm(String... arguments) {
        return command(StockProgram.HELM.require().toString(), arguments)
                .run()
                .expect("helm " + String.join(" ", arguments));
    }

    TestCommand kubectlCommand(String name, String... arguments) {
        return command(
                kubectl(),
                Stream.concat(Stream.of("--context", name), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    /// What kubectl prints, if it succeeds.
    String kubectl(String name, String... arguments) {
        return kubectlCommand(name, arguments).run().expect("kubectl " + String.join(" ", arguments));
    }

    void apply(String name, String manifest) {
        kubectlCommand(name, "apply", "-f", "-").reading(manifest).run().expect("kubectl apply");
    }

    JsonNode get(String name, String... arguments) {
        var words = Stream.concat(Stream.of("get", "-o", "json"), Stream.of(arguments));
        return KubeMesh.json(kubectl(name, words.toArray(String[]::new)));
    }

    @Override
    public void close() {
        numbers.values().forEach(number -> shell("down", Integer.toString(number)));
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
