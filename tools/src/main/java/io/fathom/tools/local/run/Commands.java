// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs the tools of the system, waits for them and takes no failure for an answer. Stateless.
public final class Commands {
    private static final long PATIENCE = 20;

    private Commands() {}

    public static void run(String... command) {
        feed("", List.of(command));
    }

    /// Several commands of `ip` at once, inside a network namespace.
    public static void ip(Path namespace, String... lines) {
        feed(String.join("\n", lines) + "\n", inside(namespace, "ip", "-batch", "-"));
    }

    /// Several commands of a shell at once, inside a network namespace.
    public static void shell(Path namespace, String... lines) {
        feed(String.join("\n", lines) + "\n", inside(namespace, "sh", "-e"));
    }

    /// Rules of nftables, all at once, inside a network namespace.
    public static void nft(Path namespace, String rules) {
        feed(rules, inside(namespace, "nft", "-f", "-"));
    }

    private static List<String> inside(Path namespace, String... command) {
        var line = new ArrayList<>(List.of("nsenter", "--net=" + namespace, "--"));
        line.addAll(List.of(command));
        return line;
    }

    static void feed(String input, List<String> command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var in = process.outputWriter(StandardCharsets.UTF_8)) {
                in.write(input);
            } catch (IOException _) {
                // It ended without reading; its exit code says why.
            }
            var timer = process.onExit()
                    .orTimeout(PATIENCE, TimeUnit.SECONDS)
                    .exceptionally(_ -> process.destroyForcibly());
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var code = timer.join().waitFor();
            if (code != 0) {
                throw failed(command, "ended with " + code + ": " + output.strip());
            }
        } catch (IOException e) {
            throw failed(command, "could not be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(command, "was interrupted");
        }
    }

    private static ProblemException failed(List<String> command, String how) {
        return new ProblemException(new Problem(
                "command-failed",
                String.join(" ", command) + " " + how,
                "check that the program is installed and may do that here",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
