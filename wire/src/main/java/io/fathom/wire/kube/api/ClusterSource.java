// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The manifests that an API server holds, as they are now and as they change: what a folder gives, from a cluster.
///
/// The first batch is the complete state of all queries, possibly empty, and comes once all of them are known; later
/// ones hold differences only. An object that cannot be read keeps its last good state and is listed by [#problems()].
/// Objects become manifests as they come, and nothing else is kept of them. One virtual thread of its own calls the
/// sink, with all that came since the last time, the latest of each object; never after [#close()] has returned. The
/// other methods may be called by any thread.
public final class ClusterSource implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterSource.class);
    /// Beyond that the watches wait: bounds what a sink that is slower than the API server costs.
    private static final int MOST_PENDING = 20_000;

    /// How it goes with one query.
    ///
    /// @param objects how many there are
    /// @param problem why it cannot be followed at the moment
    public record Followed(KubeQuery query, ObjectWatch.WatchPhase phase, int objects, Optional<Problem> problem) {}

    private record Key(KubeResource resource, String namespace, String name) {
        @Override
        public String toString() {
            return resource + " " + namespace + "/" + name;
        }
    }

    private final KubeClient client;
    private final InstantSource clock;
    private final Consumer<List<ManifestChange>> sink;
    private final Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10), new SplittableRandom());
    private final Thread giver;
    private volatile boolean synced;
    // The rest is guarded by this.
    private final ManifestReader reader;
    private final List<ObjectWatch> watches = new ArrayList<>();
    private final Map<ManifestId, ObjectWatch> named = new HashMap<>();
    private final Map<Key, ManifestId> given = new HashMap<>();
    private final Map<String, List<ManifestProblem>> problems = new TreeMap<>();
    private Map<ManifestId, ManifestChange> pending = new LinkedHashMap<>();
    private boolean due;
    private boolean closed;
    private int missing;

    private ClusterSource(
            KubeClient client,
            ReaderConfig config,
            int queries,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        this.client = client;
        this.reader = new ManifestReader(config.ofApiServer());
        this.missing = queries;
        this.due = queries == 0;
        this.clock = clock;
        this.sink = sink;
        this.giver = Thread.ofVirtual().name("cluster source").unstarted(this::run);
    }

    /// Starts following at once. Whatever the server does not give is asked for again, without end.
    public static ClusterSource open(
            KubeClient client,
            List<KubeQuery> queries,
            ReaderConfig config,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var source = new ClusterSource(client, config, queries.size(), clock, sink);
        source.giver.start();
        synchronized (source) {
            for (var query : queries) {
                source.watches.add(ObjectWatch.start(client, query, source.new Receiver(query.resource())));
            }
        }
        return source;
    }

    /// Follows these objects, too, and from now on no others that were named before: those go. Nothing waits for them.
    /// The sink may call this.
    public void alsoFollow(Set<ManifestId> wanted) {
        var over = new ArrayList<ObjectWatch>();
        synchronized (this) {
            if (closed) {
                return;
            }
            for (var object : List.copyOf(named.keySet())) {
                if (!wanted.contains(object)) {
                    over.add(Objects.requireNonNull(named.remove(object)));
                    leave(object);
                }
            }
            for (var object : wanted) {
                named.computeIfAbsent(object, one -> {
                    var query = MeshQueries.named(one);
                    return ObjectWatch.start(client, query, new NamedReceiver(one, query.resource()));
                });
            }
        }
        over.forEach(watch -> Thread.startVirtualThread(watch::close)); // it may be waiting for us
    }

    private void leave(ManifestId object) {
        var resource = MeshQueries.named(object).resource();
        var key = new Key(resource, object.key().namespace(), object.key().name());
        if (object.equals(given.get(key))) { // not when it is something else as well
            gone(key);
        } else {
            pending.put(object, new ManifestChange.Remove(object.kind(), object.key()));
        }
        due |= missing == 0 && !pending.isEmpty();
        notifyAll();
    }

    /// Whether the first batch has been delivered.
    public boolean isSynced() {
        return synced;
    }

    /// Objects that could not be read.
    public synchronized List<ManifestProblem> problems() {
        return problems.values().stream().flatMap(List::stream).toList();
    }

    /// Why some kinds are not followed at the moment.
    public List<Problem> trouble() {
        return followed().stream().flatMap(kind -> kind.problem().stream()).toList();
    }

    /// How long ago the server was last heard of where it is not followed now; nothing while it is.
    public synchronized Duration silence() {
        return Stream.concat(watches.stream(), named.values().stream())
                .map(ObjectWatch::silence)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /// How it goes with each query.
    public synchronized List<Followed> followed() {
        return Stream.concat(watches.stream(), named.values().stream())
                .map(watch -> new Followed(watch.query(), watch.phase(), watch.objects(), watch.trouble()))
                .toList();
    }

    /// The way in of one watch.
    private final class Receiver implements ObjectWatch.Receiver {
        private final KubeResource resource;

        private Receiver(KubeResource resource) {
            this.resource = resource;
        }

        @Override
        public void put(KubeObject object) {
            synchronized (ClusterSource.this) {
                awaitRoom();
                read(new Key(resource, object.namespace(), object.name()), object);
            }
        }

        @Override
        public void remove(String namespace, String name, String uid) {
            synchronized (ClusterSource.this) {
                awaitRoom();
                gone(new Key(resource, namespace, name));
            }
        }

        @Override
        public void complete() {
            synchronized (ClusterSource.this) {
                missing--;
                due |= missing == 0;
                ClusterSource.this.notifyAll();
            }
        }

        @Override
        public void rest() {
            synchronized (ClusterSource.this) {
                due |= missing == 0 && !pending.isEmpty();
                ClusterSource.this.notifyAll();
            }
        }
    }

    /// The way in of an object that was named; the first batch does not wait for it.
    private final class NamedReceiver implements ObjectWatch.Receiver {
        private final ManifestId object;
        private final Receiver inner;

        private NamedReceiver(ManifestId object, KubeResource resource) {
            this.object = object;
            this.inner = new Receiver(resource);
        }

        @Override
        public void put(KubeObject found) {
            synchronized (ClusterSource.this) {
                if (named.containsKey(object)) {
                    inner.put(found);
                }
            }
        }

        @Override
        public void remove(String namespace, String name, String uid) {
            synchronized (ClusterSource.this) {
                if (named.containsKey(object)) {
                    inner.remove(namespace, name, uid);
                    sayIfAbsent();
                }
            }
        }

        @Override
        public void complete() {
            synchronized (ClusterSource.this) {
                sayIfAbsent();
            }
            inner.rest();
        }

        private void sayIfAbsent() {
            var key = new Key(
                    inner.resource, object.key().namespace(), object.key().name());
            if (named.containsKey(object) && !object.equals(given.get(key))) {
                pending.put(object, new ManifestChange.Absent(object.kind(), object.key()));
            }
        }

        @Override
        public void rest() {
            inner.rest();
        }
    }

    private void awaitRoom() {
        while (missing == 0 && pending.size() >= MOST_PENDING && !closed) {
            due = true;
            notifyAll();
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // the watch is being closed
            }
        }
    }

    private void read(Key key, KubeObject object) {
        for (var reading : reader.read(object.tree(), _ -> clock.instant())) {
            switch (reading) {
                case Reading.Good good -> {
                    report(key, good.problems());
                    var id = ManifestId.of(good.manifest());
                    given.put(key, id);
                    pending.put(id, new ManifestChange.Put(good.manifest()));
                }
                case Reading.Skipped _ -> gone(key);
                case Reading.Bad bad -> report(key, bad.problems());
            }
        }
    }

    private void report(Key key, List<ManifestProblem> found) {
        if (found.isEmpty()) {
            problems.remove(key.toString());
        } else {
            problems.put(key.toString(), found);
            log.atWarn().addKeyValue("problems", found).log("an object is not as it should be");
        }
    }

    private void gone(Key key) {
        problems.remove(key.toString());
        var id = given.remove(key);
        if (id != null) {
            if (missing > 0) {
                pending.remove(id);
            } else {
                pending.put(id, new ManifestChange.Remove(id.kind(), id.key()));
            }
        }
    }

    private void run() {
        for (var batch = take(); batch.isPresent(); batch = take()) {
            try {
                sink.accept(List.copyOf(batch.get().values()));
                synced = true;
                backoff.reset();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("objects could not be taken up, they are offered again");
                giveBack(batch.get());
                sleep();
            }
        }
    }

    /// Waits for something to give; empty at the end.
    private synchronized Optional<Map<ManifestId, ManifestChange>> take() {
        while (!due && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                closed = true;
            }
        }
        if (closed) {
            return Optional.empty();
        }
        var taken = pending;
        pending = new LinkedHashMap<>();
        due = false;
        notifyAll();
        return Optional.of(taken);
    }

    private synchronized void giveBack(Map<ManifestId, ManifestChange> batch) {
        batch.putAll(pending);
        pending = batch;
        due = true;
    }

    private void sleep() {
        try {
            Thread.sleep(backoff.next());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        List<ObjectWatch> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(watches);
            all.addAll(named.values());
            notifyAll();
        }
        all.forEach(ObjectWatch::close);
        if (Thread.currentThread().equals(giver)) {
            return;
        }
        try {
            giver.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
