// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/// Keeps logs from filling the disk: what has grown too long is put aside as `NAME.log.old`, in the place of what was
/// put aside before, and begins anew. Those who write append, so they need not know. One thread only.
public final class LogFiles {
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private final Path folder;
    private final long most;
    private long lastLook;

    public LogFiles(Path folder, long most) {
        this.folder = folder;
        this.most = most;
        this.lastLook = System.nanoTime();
    }

    /// Looks now and then, however often it is asked to.
    public void trimNowAndThen() throws IOException {
        if (System.nanoTime() - lastLook > PERIOD.toNanos()) {
            lastLook = System.nanoTime();
            trim();
        }
    }

    void trim() throws IOException {
        try (var logs = Files.newDirectoryStream(folder, "*.log")) {
            for (var log : logs) {
                if (Files.size(log) > most) {
                    var old = log.resolveSibling(log.getFileName() + ".old");
                    Files.copy(log, old, StandardCopyOption.REPLACE_EXISTING);
                    try (var channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                        channel.truncate(0);
                    }
                }
            }
        }
    }
}
