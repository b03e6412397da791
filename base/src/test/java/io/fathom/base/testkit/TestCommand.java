// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

    /// A command that runs. Closing ends it.
    public static final class Running implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;

        private Running(Process process) {
            this.process = process;
            this.out = process.inputReader(StandardCharsets.UTF_8);
        }

        /// What Ctrl-C does.
        public void interrupt() {
            var _ = of(List.of("kill", "-INT", "" + process.pid()), Map.of()).run();
        }

        /// The next line; empty at its end.
        public String line() {
            try {
                var line = out.readLine();
                return line == null ? "" : line;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /// Waits for its end. What it printed is left as it is, also without an end of line.
        public Result result() {
            var text = new StringWriter();
            try {
                var _ = out.transferTo(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Result(process.onExit().join().exitValue(), text.toString());
        }

        /// Everything else it prints, until its end.
        public void forEachLine(Consumer<String> sink) {
            out.lines().forEach(sink);
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
