// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The manifests in all YAML and JSON files below a folder, as they are now and as they change.
///
/// The first batch is the complete state, possibly empty; later ones hold differences only. Broken files and objects
/// keep their last good state until they are mended or deleted, and are listed by [#problems()]. The sink is called on
/// one daemon thread, never after [#close()] has returned. The other methods may be called by any thread.
public final class FolderSource implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FolderSource.class);

    /// What the folder holds.
    ///
    /// @param skipped number of objects by kinds that are not read
    public record Counts(int files, int objects, SortedMap<String, Integer> skipped) {
        public Counts {
            skipped = Collections.unmodifiableSortedMap(new TreeMap<>(skipped));
        }
    }

    private final Path root;
    private final FolderConfig config;
    private final Consumer<List<ManifestChange>> sink;
    private final FolderWatch watch;
    private final FileLoader loader;
    private final ManifestCatalog catalog;
    private final LastGoodReader reader;
    private final Patience patience;
    private final Optional<KeptObjects> memory;
    private final ProblemLog problems = new ProblemLog();
    private final Thread thread;
    private List<ManifestProblem> folderProblems = List.of();
    private Predicate<String> isOutOfSight = _ -> false;
    private long lastScan;
    private boolean isMemoryDue;
    private volatile Counts counts = new Counts(0, 0, new TreeMap<>());
    private volatile boolean closed;

    private FolderSource(
            Path root,
            FolderWatch watch,
            ReaderConfig readerConfig,
            FolderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        this.root = root;
        this.config = config;
        this.sink = sink;
        this.watch = watch;
        this.loader = new FileLoader(config);
        this.catalog = new ManifestCatalog(clock);
        this.reader = new LastGoodReader(new ManifestReader(readerConfig), catalog);
        this.patience = new Patience(config.grace());
        this.memory = config.memory().file(root).map(KeptObjects::new);
        this.thread = Thread.ofPlatform().daemon().name("manifests " + root).unstarted(this::run);
    }

    /// Starts reading at once, on a thread of its own.
    ///
    /// @throws ProblemException when there is no such folder
    public static FolderSource open(
            Path folder,
            ReaderConfig reader,
            FolderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        if (!Files.isDirectory(folder)) {
            throw new ProblemException(Problem.ofInput(
                    "manifest-folder-unreadable",
                    folder + " is not a folder",
                    "create it, or name the folder that holds the manifests"));
        }
        return start(folder, FolderWatch.of(folder), reader, config, clock, sink);
    }

    static FolderSource start(
            Path folder,
            FolderWatch watch,
            ReaderConfig reader,
            FolderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var source = new FolderSource(folder, watch, reader, config, clock, sink);
        source.thread.start();
        return source;
    }

    /// What is wrong now, by file and line.
    public List<ManifestProblem> problems() {
        return problems.current();
    }

    Path root() {
        return root;
    }

    /// Where an object is.
    public Optional<ManifestPlace> place(ManifestId id) {
        return catalog.place(id);
    }

    public Counts counts() {
        return counts;
    }

    private void run() {
        try (watch) {
            attempt(this::begin);
            deliver(catalog.drain());
            attempt(this::remember);
            while (!closed) {
                attempt(this::step);
                var changes = catalog.drain();
                if (!changes.isEmpty()) {
                    deliver(changes);
                }
                attempt(this::remember);
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            if (!closed) {
                log.atError().setCause(e).log("reading manifests ended unexpectedly");
            }
        }
    }

    private interface Attempt {
        void run() throws InterruptedException;
    }

    /// A bug must not end the watch; the next scan tries again.
    private void attempt(Attempt attempt) throws InterruptedException {
        try {
            attempt.run();
        } catch (ClosedWatchServiceException e) {
            throw e;
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("reading manifests failed");
        }
    }

    private void begin() throws InterruptedException {
        var start = System.nanoTime();
        var restored = memory.map(kept -> reader.restore(kept.load())).orElse(Map.of());
        isMemoryDue = !restored.isEmpty();
        loader.lookAll(scan(), _ -> Look.NO_HASH, (file, look) -> {
            checkOpen();
            put(reader.read(restored.getOrDefault(file, catalog.file(file)), look));
        });
        restored.forEach((file, state) -> {
            if (!catalog.files().containsKey(file) && isOutOfSight.test(file)) {
                put(state);
            }
        });
        report();
        log.atInfo()
                .addKeyValue("folder", root)
                .addKeyValue("files", counts.files())
                .addKeyValue("objects", counts.objects())
                .addKeyValue("skipped", counts.skipped())
                .addKeyValue("problems", problems().size())
                .addKeyValue("ms", Duration.ofNanos(System.nanoTime() - start).toMillis())
                .log("manifests read");
    }

    private void step() throws InterruptedException {
        var signals = watch.await(untilNext(), config.quiet());
        var files = new TreeSet<>(signals.files());
        files.addAll(patience.due(System.nanoTime()));
        if (signals.needRescan() || System.nanoTime() - lastScan >= scanPeriod()) {
            files.addAll(scan());
        }
        loader.lookAll(files, file -> catalog.file(file).hash(), this::consider);
        report();
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedWatchServiceException();
        }
    }

    private long scanPeriod() {
        return (watch.isBlind() ? config.poll() : config.rescan()).toNanos();
    }

    private Duration untilNext() {
        var now = System.nanoTime();
        var toScan = Math.max(0, lastScan + scanPeriod() - now);
        return Duration.ofNanos(Math.min(toScan, patience.nanosToNext(now).orElse(Long.MAX_VALUE)));
    }

    /// Files that are new, written or gone since they were last looked at.
    private Collection<String> scan() {
        lastScan = System.nanoTime();
        watch.beginScan();
        var scan = FolderScan.of(root, watch::enter);
        watch.endScan();
        folderProblems = scan.problems();
        isOutOfSight = scan::isOutOfSight;
        var changed = new ArrayList<String>();
        scan.stamps().forEach((file, stamp) -> {
            if (stamp == Look.NO_STAMP || catalog.file(file).stamp() != stamp) {
                changed.add(file);
            }
        });
        for (var file : catalog.files().keySet()) {
            if (!scan.stamps().containsKey(file) && !scan.isOutOfSight(file)) {
                changed.add(file);
            }
        }
        changed.sort(null);
        return changed;
    }

    private void consider(String file, Look look) {
        checkOpen();
        var before = catalog.file(file);
        if (look instanceof Look.Unchanged(var stamp)) {
            patience.forget(file);
            catalog.trust(file);
            catalog.stamp(file, stamp);
            return;
        }
        var next = reader.read(before, look);
        if (before.losesTo(next) && patience.shallWait(file, look.fingerprint(), System.nanoTime())) {
            catalog.doubt(file);
            return;
        }
        patience.forget(file);
        isMemoryDue |= before.kept().findAny().isPresent();
        if (look instanceof Look.Missing) {
            catalog.remove(file);
        } else {
            put(next);
        }
    }

    private void put(FileState state) {
        isMemoryDue |= state.kept().findAny().isPresent();
        catalog.put(state);
    }

    /// After everything else: nobody waits for the disk.
    private void remember() {
        if (!isMemoryDue || memory.isEmpty()) {
            return;
        }
        isMemoryDue = false;
        memory.get()
                .save(catalog.files().values().stream().flatMap(FileState::kept).toList());
        report();
    }

    private void report() {
        var all = new ArrayList<>(catalog.problems());
        all.addAll(folderProblems);
        memory.flatMap(KeptObjects::problem).ifPresent(all::add);
        all.sort(ManifestProblem.BY_PLACE);
        problems.update(all);
        counts = new Counts(catalog.files().size(), catalog.objects(), catalog.skipped());
    }

    private void deliver(List<ManifestChange> changes) {
        if (closed) {
            return;
        }
        try {
            sink.accept(List.copyOf(changes));
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("changes", changes.size()).log("a batch of manifests was not taken");
        }
    }

    /// Stops watching; waits for a batch that is being delivered.
    @Override
    public void close() {
        closed = true;
        watch.close(); // wakes the thread; an interrupt might hit the sink
        if (!Thread.currentThread().equals(thread)) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
