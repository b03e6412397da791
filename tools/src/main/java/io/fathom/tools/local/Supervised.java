// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.local.run.RestartBackoff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A program that is started again whenever it ends: at once the first time, later and later if it ends soon again.
/// What it prints goes into a file. Any thread.
final class Supervised {
    private static final Logger log = LoggerFactory.getLogger(Supervised.class);
    private static final Duration LATE = Duration.ofSeconds(5);
    private static final Duration LONG_LIFE = Duration.ofSeconds(10);

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path output;
    private final AtomicInteger starts = new AtomicInteger();
    private volatile @Nullable Process process;

    private Supervised(String name, List<String> command, Map<String, String> environment, Path output) {
        this.name = name;
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.output = output;
    }

    static Supervised start(String name, List<String> command, Map<String, String> environment, Path output) {
        var program = new Supervised(name, command, environment, output);
        Thread.ofPlatform().daemon().name("supervisor " + name).start(program::keepRunning);
        return program;
    }

    String name() {
        return name;
    }

    int restarts() {
        return Math.max(0, starts.get() - 1);
    }

    /// Its process id, as seen in here; 0 while there is none.
    long pid() {
        var running = process;
        return running == null || !running.isAlive() ? 0 : running.pid();
    }

    /// The last thing it printed.
    String lastLine() {
        try (var lines = Files.lines(output)) {
            return lines.filter(line -> !line.isBlank())
                    .reduce((_, line) -> line)
                    .orElse("nothing");
        } catch (IOException | UncheckedIOException _) {
            return "something that cannot be read";
        }
    }

    private void keepRunning() {
        var backoff = new RestartBackoff(LATE, LONG_LIFE, RandomGenerator.getDefault());
        while (!Thread.currentThread().isInterrupted()) {
            var begun = System.nanoTime();
            try {
                var running = start();
                process = running;
                starts.incrementAndGet();
                var code = running.waitFor();
                log.atWarn()
                        .addKeyValue("program", name)
                        .addKeyValue("code", code)
                        .log("ended; is started again");
            } catch (IOException e) {
                log.atError().addKeyValue("program", name).setCause(e).log("cannot be started");
            } catch (InterruptedException e) {
                return;
            }
            pause(backoff.after(Duration.ofNanos(System.nanoTime() - begun)));
        }
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Process start() throws IOException {
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }
}
