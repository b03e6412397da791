// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.UnixHttp;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What the plugin has to say: at once as JSON on standard error, and in the end to a file on the node and to the
/// agent, whose own log people read. Losing lines never fails a call. For one thread.
final class PluginLog {
    private static final long LARGEST_FILE = 10L * 1024 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /// By weight.
    enum PluginLogLevel {
        DEBUG,
        INFO,
        WARN,
        ERROR;

        static PluginLogLevel of(String name) {
            return switch (name.toLowerCase(Locale.ROOT)) {
                case "debug" -> DEBUG;
                case "warn", "warning" -> WARN;
                case "error", "fatal", "none" -> ERROR;
                default -> INFO;
            };
        }
    }

    private final InstantSource clock;
    private final PrintStream stderr;
    private final List<String> lines = new ArrayList<>();
    private PluginLogLevel least = PluginLogLevel.INFO;

    PluginLog(InstantSource clock, PrintStream stderr) {
        this.clock = clock;
        this.stderr = stderr;
    }

    void level(PluginLogLevel level) {
        least = level;
    }

    void log(PluginLogLevel level, String message) {
        if (level.compareTo(least) < 0) {
            return;
        }
        var entries = new LinkedHashMap<String, Object>();
        entries.put("level", level.name().toLowerCase(Locale.ROOT));
        entries.put("time", clock.instant().toString());
        entries.put("msg", message);
        var line = Json.compact(Json.of(entries));
        stderr.println(line);
        lines.add(line);
    }

    /// Writes what was said to the file and to the agent.
    void deliver(Path file, Path socket) {
        if (lines.isEmpty()) {
            return;
        }
        try {
            append(file);
        } catch (IOException e) {
            stderr.println("istio-cni: cannot write to " + file + ": " + e);
        }
        try {
            var body = Json.compact(Json.of(lines));
            var call = new HttpCall("POST", "/log", "unix", Map.of("content-type", "application/json"), body);
            UnixHttp.call(socket, call, PATIENCE);
        } catch (IOException e) {
            // The agent is not there; the file has it all.
        }
    }

    private void append(Path file) throws IOException {
        var folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return; // no agent was ever here
        }
        var text = ByteBuffer.wrap((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        try (var channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            while (text.hasRemaining()) {
                channel.write(text);
            }
            if (channel.size() > LARGEST_FILE) {
                roll(channel, file);
            }
        }
    }

    /// Others may be about to do the same; whoever has the lock does it, if it still needs to be done.
    private static void roll(FileChannel channel, Path file) throws IOException {
        try (var lock = channel.tryLock()) {
            if (lock != null && Files.size(file) > LARGEST_FILE) {
                Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
