// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Tells that something happened in one of several folders, not what: whoever is told looks for itself. For one thread,
/// but [#close()] may come from any.
final class Changes implements AutoCloseable {
    private final WatchService watcher;

    private Changes(WatchService watcher) {
        this.watcher = watcher;
    }

    /// Folders that are not there are left out: they are looked for again the next time.
    static Changes in(List<Path> folders) throws IOException {
        var watcher = FileSystems.getDefault().newWatchService();
        try {
            for (var folder : folders) {
                if (Files.isDirectory(folder)) {
                    folder.register(
                            watcher,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE);
                }
            }
            return new Changes(watcher);
        } catch (IOException | RuntimeException e) {
            watcher.close();
            throw e;
        }
    }

    /// Waits for the next change, at most `patience`.
    void await(Duration patience) throws InterruptedException {
        try {
            for (var key = watcher.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
                    key != null;
                    key = watcher.poll()) {
                drain(key);
            }
        } catch (ClosedWatchServiceException e) {
            throw new InterruptedException("closed");
        }
    }

    private static void drain(WatchKey key) {
        key.pollEvents();
        key.reset();
    }

    @Override
    public void close() throws IOException {
        watcher.close();
    }
}
