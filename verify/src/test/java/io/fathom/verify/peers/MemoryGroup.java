// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/// A control group of the kernel, as a container has one: the programs in it share so much memory and get no more.
/// Needs root. Closing removes it, once its programs have ended.
public final class MemoryGroup implements AutoCloseable {
    private static final Path V1 = Path.of("/sys/fs/cgroup/memory");
    private static final Path V2 = Path.of("/sys/fs/cgroup");

    private final Path folder;
    private final boolean unified;

    private MemoryGroup(Path folder, boolean unified) {
        this.folder = folder;
        this.unified = unified;
    }

    /// Skips the test where such groups cannot be made.
    public static MemoryGroup of(String name, long bytes) {
        var unified = !Files.isDirectory(V1);
        var folder = (unified ? V2 : V1)
                .resolve("fathom-" + name + "-" + ProcessHandle.current().pid());
        try {
            if (unified) {
                Files.writeString(V2.resolve("cgroup.subtree_control"), "+memory");
            }
            Files.createDirectory(folder);
            var group = new MemoryGroup(folder, unified);
            Files.writeString(folder.resolve(unified ? "memory.max" : "memory.limit_in_bytes"), Long.toString(bytes));
            return group;
        } catch (IOException e) {
            assumeTrue(false, "no control group for memory can be made: " + e);
            throw new UncheckedIOException(e);
        }
    }

    /// The same command, run inside.
    public List<String> inside(List<String> command) {
        var all = new ArrayList<>(List.of(
                "sh",
                "-c",
                "echo $$ >\"$0\" && exec \"$@\"",
                folder.resolve("cgroup.procs").toString()));
        all.addAll(command);
        return all;
    }

    /// How often the kernel ended a program because there was no more.
    public long killed() {
        return figure(unified ? "memory.events" : "memory.oom_control", "oom_kill ");
    }

    /// What its programs keep for themselves; pages of files, which the kernel takes back at will, not counted.
    public long held() {
        return figure("memory.stat", unified ? "anon " : "rss ");
    }

    private long figure(String file, String name) {
        try {
            return Files.readAllLines(folder.resolve(file)).stream()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(
                            line -> Long.parseLong(line.substring(name.length()).strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(file + " does not tell " + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        Awaitility.await("the group to be empty")
                .atMost(Duration.ofSeconds(30))
                .ignoreException(IOException.class)
                .until(() -> Files.deleteIfExists(folder) || !Files.exists(folder));
    }
}
