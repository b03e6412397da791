// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Runs programs of this machine, each with a time limit. A program inherits the network namespace of the thread that
/// starts it, so a thread that is on a visit elsewhere is refused.
final class SystemCommands implements Commands {
    private static final Path OF_THREAD = Path.of("/proc/thread-self/ns/net");
    private static final Path OF_PROCESS = Path.of("/proc/self/ns/net");

    private final Duration patience;

    SystemCommands(Duration patience) {
        this.patience = patience;
    }

    @Override
    public CommandResult run(Command command) {
        try {
            requireHome();
            var builder = new ProcessBuilder(command.line());
            builder.environment().putAll(command.environment());
            var process = builder.start();
            try {
                return attend(process, command);
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new ProblemException(missing(command, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(new Problem(
                    "rules-interrupted",
                    "stopped while waiting for \"" + command + "\"",
                    "",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    private static void requireHome() throws IOException {
        if (!Files.readSymbolicLink(OF_THREAD).equals(Files.readSymbolicLink(OF_PROCESS))) {
            throw new IllegalStateException("this thread is in another network namespace");
        }
    }

    private CommandResult attend(Process process, Command command) throws IOException, InterruptedException {
        var output = drain(process.getInputStream());
        var errors = drain(process.getErrorStream());
        try (var input = process.getOutputStream()) {
            input.write(command.input().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // it ended without reading: its code and its words say why
        }
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new ProblemException(new Problem(
                    "rules-tool-timeout",
                    "\"" + command + "\" did not end within " + patience.toSeconds() + " s",
                    "see whether another program holds the lock of the tables",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
        return new CommandResult(command, process.exitValue(), output.join(), errors.join());
    }

    private static CompletableFuture<String> drain(InputStream stream) {
        var text = new CompletableFuture<String>();
        Thread.ofVirtual().start(() -> {
            try (stream) {
                text.complete(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                text.complete(""); // it was killed
            }
        });
        return text;
    }

    private static Problem missing(Command command, IOException e) {
        return new Problem(
                "rules-tool-missing",
                "cannot run " + command.line().getFirst() + ": " + e.getMessage(),
                "install " + command.line().getFirst() + " where the node agent runs",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS);
    }
}
