// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A network namespace with its loopback up, made and removed by `ip netns`. Needs root.
public final class TestNamespace implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String name;

    private TestNamespace(String name) {
        this.name = name;
    }

    public static TestNamespace create() {
        var namespace = new TestNamespace("fathom-" + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet());
        var _ = execute(List.of("ip", "netns", "add", namespace.name));
        var _ = namespace.run("ip", "link", "set", "lo", "up");
        return namespace;
    }

    public String name() {
        return name;
    }

    public Path path() {
        return Path.of("/var/run/netns", name);
    }

    /// Runs a command inside and answers what it printed; fails if the command does, or takes 20 seconds.
    public String run(String... command) {
        var line = new ArrayList<>(List.of("ip", "netns", "exec", name));
        line.addAll(List.of(command));
        return execute(line);
    }

    /// Runs a command where the test is.
    public static String execute(List<String> command) {
        try {
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            var timer = process.onExit().orTimeout(20, TimeUnit.SECONDS).exceptionally(_ -> process.destroyForcibly());
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var code = timer.join().waitFor();
            if (code != 0) {
                throw new IllegalStateException(String.join(" ", command) + " ended with " + code + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        var _ = execute(List.of("ip", "netns", "del", name));
    }
}
