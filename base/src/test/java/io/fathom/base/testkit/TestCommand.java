// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A program of this machine and what it is to be told. Without input it reads nothing.
public record TestCommand(List<String> line, Map<String, String> environment, String input, Errors errors) {
    /// What becomes of what it writes to standard error.
    public enum Errors {
        SHOWN,
        DROPPED
    }

    /// How it ended and what it printed.
    public record Result(int code, String out) {
        /// What it printed, if all went well.
        public String expect(Object what) {
            if (code != 0) {
                throw new AssertionError(what + " ended with " + code + ":\n" + out);
            }
            return out;
        }
    }

    public TestCommand {
        line = List.copyOf(line);
        environment = Map.copyOf(environment);
    }

    public static TestCommand of(List<String> line, Map<String, String> environment) {
        return new TestCommand(line, environment, "", Errors.SHOWN);
    }

    public TestCommand reading(String text) {
        return new TestCommand(line, environment, text, errors);
    }

    public TestCommand withoutErrors() {
        return new TestCommand(line, environment, input, Errors.DROPPED);
    }

    public Result run() {
        try (var running = begin()) {
            return running.result();
        }
    }

    public Running begin() {
        var builder = new ProcessBuilder(line).redirectErrorStream(errors == Errors.SHOWN);
        if (errors == Errors.DROPPED) {
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        if (input.isEmpty()) {
            builder.redirectInput(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        }
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            if (!input.isEmpty()) {
                try (var writer = process.outputWriter(StandardCharsets.UTF_8)) {
                    writer.write(input);
                }
            }
            return new Running(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A command that runs. Closing ends it. Waiting for it can be interrupted, so a test that takes too long ends,
    /// also if something that the command left behind still holds its output.
    public static final class Running implements AutoCloseable {
        private final Process process;
        private final StringBuilder printed = new StringBuilder();
        private boolean ended;

        private Running(Process process) {
            this.process = process;
            Thread.ofPlatform().daemon().name("output of " + process.pid()).start(this::read);
        }

        private void read() {
            var chunk = new char[8192];
            try (var out = process.inputReader(StandardCharsets.UTF_8)) {
                for (int read = out.read(chunk); read >= 0; read = out.read(chunk)) {
                    synchronized (printed) {
                        printed.append(chunk, 0, read);
                        printed.notifyAll();
                    }
                }
            } catch (IOException e) {
                // Its output was closed when it was killed.
            } finally {
                synchronized (printed) {
                    ended = true;
                    printed.notifyAll();
                }
            }
        }

        /// What Ctrl-C does.
        public void interrupt() {
            var _ = of(List.of("kill", "-INT", "" + process.pid()), Map.of()).run();
        }

        /// The next line; empty at its end.
        public String line() {
            return nextLine().orElse("");
        }

        private Optional<String> nextLine() {
            synchronized (printed) {
                int end;
                while ((end = printed.indexOf("\n")) < 0 && !ended) {
                    await();
                }
                if (printed.isEmpty()) {
                    return Optional.empty();
                }
                var line = printed.substring(0, end < 0 ? printed.length() : end);
                printed.delete(0, end < 0 ? printed.length() : end + 1);
                return Optional.of(line);
            }
        }

        /// Waits for its end. What it printed is left as it is, also without an end of line.
        public Result result() {
            String text;
            synchronized (printed) {
                while (!ended) {
                    await();
                }
                text = printed.toString();
            }
            return new Result(process.onExit().join().exitValue(), text);
        }

        /// Everything else it prints, until its end.
        public void forEachLine(Consumer<String> sink) {
            for (var line = nextLine(); line.isPresent(); line = nextLine()) {
                sink.accept(line.get());
            }
        }

        private void await() {
            try {
                printed.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(
                        process.info().commandLine().orElse("a command") + " took too long, having printed:\n"
                                + printed,
                        e);
            }
        }

        public boolean isAlive() {
            return process.isAlive();
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                var _ = process.waitFor(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
