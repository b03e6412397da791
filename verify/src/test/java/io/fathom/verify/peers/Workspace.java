// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/// A directory and the programs that run in it. Closing ends the programs, last one first, and removes the directory;
/// so does the end of this process. What a killed process left is cleared when the next workspace is made.
public final class Workspace implements AutoCloseable {
    private static final String PREFIX = "fathom-peers-";
    private static final int FIRST_PORT = 20_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();
    private static final int LAST_PORT = 32_000;
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Path directory;
    private final Deque<Process> processes = new ArrayDeque<>();
    private final Thread atExit = new Thread(this::clear, "workspace-clean-up");

    public Workspace() {
        clearAbandoned();
        try {
            directory = Files.createTempDirectory(PREFIX);
            Files.writeString(
                    directory.resolve("owner.pid"),
                    Long.toString(ProcessHandle.current().pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    public Path directory() {
        return directory;
    }

    /// Starts a program here with nothing in its environment but `env`, `PATH` and `HOME`; its output goes to
    /// `<name>.log`.
    public synchronized Process start(String name, List<String> command, Map<String, String> env) {
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile());
        var path = System.getenv("PATH");
        builder.environment().clear();
        builder.environment().put("PATH", path == null ? "/usr/bin:/bin" : path);
        builder.environment().put("HOME", directory.toString());
        builder.environment().putAll(env);
        try {
            var process = builder.start();
            processes.push(process);
            Files.writeString(directory.resolve(name + ".pid"), process.pid() + "\n" + command.getFirst());
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The end of a program's output, for messages.
    public String tail(String name) {
        try {
            var lines = Files.readAllLines(directory.resolve(name + ".log"));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
        } catch (IOException e) {
            return "no output: " + e.getMessage();
        }
    }

    /// A port of the loopback interface that nothing listens on, outside the range from which the kernel takes ports
    /// for outgoing connections: it stays free until the program that was told to use it has started.
    public static int freePort() {
        for (var attempt = 0; attempt < 1000; attempt++) {
            var port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            if (!GIVEN.add(port)) {
                continue; // somebody may be about to use it
            }
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // Try another one.
            }
        }
        throw new IllegalStateException("no free port");
    }

    /// Waits until a program that was started says it is ready. One that ends or takes too long is an error with its
    /// last words.
    public void await(String name, Process process, Duration patience, BooleanSupplier ready) {
        try {
            Awaitility.await(name)
                    .atMost(patience)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> !process.isAlive() || ready.getAsBoolean());
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(name + " is not ready after " + patience + ":\n" + tail(name), e);
        }
        if (!process.isAlive()) {
            throw new IllegalStateException(name + " ended:\n" + tail(name));
        }
    }

    @Override
    public void close() {
        clear();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private synchronized void clear() {
        while (!processes.isEmpty()) {
            end(processes.pop().toHandle());
        }
        delete(directory);
    }

    /// Asks a program to end, and makes it when it does not.
    static void end(ProcessHandle process) {
        var children = process.descendants().toList();
        process.destroy();
        try {
            process.onExit().get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }

    private static void clearAbandoned() {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            all.filter(path -> path.getFileName().toString().startsWith(PREFIX))
                    .filter(Files::isDirectory)
                    .filter(path -> !hasOwner(path))
                    .forEach(Workspace::clearAbandoned);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasOwner(Path directory) {
        var lines = lines(directory.resolve("owner.pid"));
        return !lines.isEmpty()
                && ProcessHandle.of(Long.parseLong(lines.getFirst())).isPresent();
    }

    /// The tests' other JVM may be at it, too.
    private static void clearAbandoned(Path directory) {
        try {
            endRecorded(directory);
            delete(directory);
        } catch (NoSuchFileException _) {
            // it was quicker
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
        }
    }

    private static void endRecorded(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            var recorded = new ArrayList<>(
                    files.filter(file -> file.toString().endsWith(".pid") && !file.endsWith("owner.pid"))
                            .toList());
            for (var file : recorded) {
                var lines = lines(file);
                if (lines.size() == 2) {
                    ProcessHandle.of(Long.parseLong(lines.getFirst()))
                            // The number may belong to somebody else by now.
                            .filter(process -> process.info().command().equals(Optional.of(lines.get(1))))
                            .ifPresent(Workspace::end);
                }
            }
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
