// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks the system to tell of changes below a folder. Says so when it cannot ([#isBlind()]); the caller then polls.
///
/// Registration goes with scanning: each folder is watched before it is listed, so that nothing falls in between.
final class FolderWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FolderWatch.class);

    private final Path root;
    private final @Nullable WatchService service;
    private final Map<Path, WatchKey> keys = new HashMap<>();
    private final Map<WatchKey, Set<Path>> folders = new HashMap<>(); // several paths may lead to one folder
    private final Set<Path> entered = new HashSet<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable WatchKey above;
    private boolean blind;

    private FolderWatch(Path root, @Nullable WatchService service) {
        this.root = root;
        this.service = service;
        blind = service == null;
        watchAbove();
    }

    static FolderWatch of(Path root) {
        try {
            return new FolderWatch(root, root.getFileSystem().newWatchService());
        } catch (IOException | UnsupportedOperationException e) {
            log.atWarn().addKeyValue("cause", e.toString()).log("the system cannot tell of changed files; polling");
            return blind(root);
        }
    }

    /// One that never hears of anything.
    static FolderWatch blind(Path root) {
        return new FolderWatch(root, null);
    }

    /// The root itself may be a link that is swapped, or be deleted and created again.
    private void watchAbove() {
        var parent = root.toAbsolutePath().getParent();
        if (service == null || parent == null) {
            return;
        }
        try {
            above = parent.register(service, ENTRY_CREATE, ENTRY_DELETE);
        } catch (IOException _) {
            above = null; // the regular rescan finds it a little later
        }
    }

    boolean isBlind() {
        return blind;
    }

    void beginScan() {
        entered.clear();
    }

    /// Registering a folder again is harmless, and finds out when another one took its place.
    void enter(Path folder) {
        entered.add(folder);
        if (service == null) {
            return;
        }
        try {
            var key = folder.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
            var before = keys.put(folder, key);
            if (before != null && !before.equals(key)) {
                forget(before, folder);
            }
            folders.computeIfAbsent(key, _ -> new HashSet<>()).add(folder);
        } catch (IOException e) {
            if (!blind && Files.isDirectory(folder)) {
                blind = true;
                log.atWarn()
                        .addKeyValue("folder", folder)
                        .addKeyValue("cause", e.toString())
                        .addKeyValue("fix", "raise fs.inotify.max_user_watches and max_user_instances")
                        .log("the system cannot watch all folders; polling");
            }
        }
    }

    void endScan() {
        var gone = new HashSet<>(keys.keySet());
        gone.removeAll(entered);
        for (var folder : gone) {
            var key = keys.remove(folder);
            if (key != null) {
                forget(key, folder);
            }
        }
    }

    private void forget(WatchKey key, Path folder) {
        var rest = folders.get(key);
        if (rest != null && rest.remove(folder) && rest.isEmpty()) {
            folders.remove(key);
            if (!key.equals(above)) {
                key.cancel();
            }
        }
    }

    /// Waits for something to happen, then until nothing more does for `quiet`.
    Signals await(Duration timeout, Duration quiet) throws InterruptedException {
        var signals = new Signals();
        if (service == null) {
            var _ = closing.await(timeout.toNanos(), NANOSECONDS);
            return signals;
        }
        var key = service.poll(timeout.toNanos(), NANOSECONDS);
        var deadline = System.nanoTime() + 10 * quiet.toNanos();
        while (key != null) {
            collect(key, signals);
            key = System.nanoTime() < deadline ? service.poll(quiet.toNanos(), NANOSECONDS) : null;
        }
        return signals;
    }

    private void collect(WatchKey key, Signals signals) {
        for (var event : key.pollEvents()) {
            if (event.kind().equals(OVERFLOW)) {
                signals.structure();
            } else if (event.context() instanceof Path name) {
                if (key.equals(above) && name.equals(root.getFileName())) {
                    signals.structure();
                }
                for (var folder : folders.getOrDefault(key, Set.of())) {
                    collect(event.kind(), folder.resolve(name), signals);
                }
            }
        }
        if (!key.reset() && folders.containsKey(key)) {
            signals.structure();
        }
    }

    private void collect(WatchEvent.Kind<?> kind, Path path, Signals signals) {
        var name = String.valueOf(path.getFileName());
        if (FileNames.isHidden(name)) {
            if (name.startsWith("..")) {
                signals.structure(); // a mounted ConfigMap was swapped
            }
        } else if (keys.containsKey(path)
                ? !kind.equals(ENTRY_MODIFY)
                : kind.equals(ENTRY_CREATE) && Files.isDirectory(path)) {
            signals.structure();
        } else if (FileNames.isManifest(name)) {
            signals.file(path.toString());
        }
    }

    /// May be called by any thread; whoever waits or registers then gets a [java.nio.file.ClosedWatchServiceException].
    @Override
    public void close() {
        closing.countDown();
        if (service != null) {
            try {
                service.close();
            } catch (IOException e) {
                log.atDebug().setCause(e).log("closing the watch failed");
            }
        }
    }
}
