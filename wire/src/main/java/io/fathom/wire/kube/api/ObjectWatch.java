package io.fathom.wire.kube.api;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of a query, as they are now and as they change.
///
/// The first batch is the complete state, possibly empty; later ones hold differences only, also when the server forgot
/// where we were and everything had to be listed again. An object that was replaced by another of the same name is
/// removed first. The sink is called on one virtual thread, and never after [#close()] has returned, unless it is the
/// sink
/// that closes. A failure is logged once and tried again with growing pauses; what is known stays.
public final class ObjectWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ObjectWatch.class);
    private static final int LARGEST_BATCH = 1000;

    /// What became of an object.
    public sealed interface Change {
        /// It is new or different.
        record Put(KubeObject object) implements Change {}

        /// It is gone.
        record Remove(String namespace, String name, String uid) implements Change {}
    }

    /// Takes what changed. It may block; the watch waits meanwhile.
    @FunctionalInterface
    public interface Sink {
        void changed(List<Change> batch);
    }

    private record Key(String namespace, String name) {
        static Key of(KubeObject object) {
            return new Key(object.namespace(), object.name());
        }
    }

    private record Known(String uid, String version) {
        static Known of(KubeObject object) {
            return new Known(object.uid(), object.resourceVersion());
        }
    }

    private final KubeClient client;
    private final KubeQuery query;
    private final Sink sink;
    private final Backoff backoff;
    private final Thread thread;
    private final Map<Key, Known> known = new LinkedHashMap<>();
    private volatile Optional<Problem> trouble = Optional.empty();
    private volatile boolean synced;
    private volatile boolean closed;
    private volatile @Nullable WatchStream stream;

    private ObjectWatch(KubeClient client, KubeQuery query, Sink sink) {
        this.client = client;
        this.query = query;
        this.sink = sink;
        var settings = client.settings();
        this.backoff = new Backoff(settings.firstRetry(), settings.longestRetry(), new SplittableRandom());
        this.thread = Thread.ofVirtual().name("watch " + query.resource()).unstarted(this::run);
    }

    static ObjectWatch start(KubeClient client, KubeQuery query, Sink sink) {
        var watch = new ObjectWatch(client, query, sink);
        watch.thread.start();
        return watch;
    }

    /// Whether the first batch has been delivered.
    public boolean isSynced() {
        return synced;
    }

    /// Why we do not follow at the moment, if so.
    public Optional<Problem> trouble() {
        return trouble;
    }

    private void run() {
        var version = "";
        while (!closed) {
            try {
                if (version.isEmpty()) {
                    version = list();
                }
                var next = follow(version);
                if (next.equals(version)) {
                    sleep(); // nothing happened: a server that ends every watch at once must not be pestered
                }
                version = next;
            } catch (ProblemException e) {
                if (e.problem().code().equals("kube-expired")) {
                    version = "";
                }
                pause(e.problem());
            } catch (RuntimeException e) {
                if (!closed) {
                    log.atError().setCause(e).addKeyValue("query", query).log("watching objects failed");
                    version = "";
                    known.replaceAll((_, before) -> new Known(before.uid(), "")); // whatever was lost comes again
                    pause(Problem.ofInput("watch-failed", e.toString(), "report this as a bug of Fathom"));
                }
            }
        }
    }

    private String list() {
        var list = client.list(query);
        var batch = new ArrayList<Change>();
        var gone = new LinkedHashSet<>(known.keySet());
        for (var object : list.items()) {
            gone.remove(Key.of(object));
            put(object, batch);
        }
        gone.forEach(key -> remove(key, batch));
        deliver(batch);
        well();
        return list.resourceVersion();
    }

    /// Until the watch ends. Where to go on from: empty when everything is to be listed again.
    private String follow(String start) {
        var version = start;
        var lasting = client.settings().watch();
        // Not all clients of a server that restarted may come back at the same moment.
        var random = Duration.ofMillis(ThreadLocalRandom.current().nextLong(lasting.toMillis() + 1));
        try (var events = client.events(query, version, lasting.plus(random))) {
            stream = events;
            if (closed) {
                return version;
            }
            var batch = new ArrayList<Change>();
            for (var event = events.next(); event.isPresent(); event = events.next()) {
                var object = event.get().object();
                switch (event.get().type()) {
                    case ADDED, MODIFIED -> put(object, batch);
                    case DELETED -> remove(Key.of(object), batch);
                    case BOOKMARK -> {}
                    case ERROR -> {
                        deliver(batch);
                        return failed(event.get(), version);
                    }
                }
                version = object.resourceVersion();
                if (!events.hasMore() || batch.size() >= LARGEST_BATCH) {
                    deliver(batch);
                    batch = new ArrayList<>();
                }
                well();
            }
            deliver(batch);
            return version;
        } catch (IOException e) {
            throw ApiProblems.ofFailure(client.server(), "watch " + query, e);
        } catch (MisreadException e) {
            throw ApiProblems.unreadable(client.server(), "watch " + query, e);
        } finally {
            stream = null;
        }
    }

    private String failed(WatchStream.Event error, String version) {
        var message = error.object().root().at("message").text();
        if (error.code() == 410) {
            log.atInfo().addKeyValue("query", query).log("listing again, the API server forgot where we were");
            return "";
        }
        pause(ApiProblems.ofStatus(client.server(), "watch " + query, error.code(), message)
                .problem());
        return version;
    }

    private void put(KubeObject object, List<Change> batch) {
        var key = Key.of(object);
        var before = known.get(key);
        var now = Known.of(object);
        if (now.equals(before)) {
            return;
        }
        if (before != null && !before.uid().equals(now.uid())) {
            remove(key, batch);
        }
        known.put(key, now);
        batch.add(new Change.Put(object));
    }

    private void remove(Key key, List<Change> batch) {
        var before = known.remove(key);
        if (before != null) {
            batch.add(new Change.Remove(key.namespace(), key.name(), before.uid()));
        }
    }

    private void deliver(List<Change> batch) {
        if ((!batch.isEmpty() || !synced) && !closed) {
            sink.changed(List.copyOf(batch));
            synced = true;
        }
    }

    private void well() {
        if (trouble.isPresent()) {
            log.atInfo().addKeyValue("query", query).log("following objects again");
            trouble = Optional.empty();
        }
        backoff.reset();
    }

    private void pause(Problem problem) {
        if (closed) {
            return;
        }
        if (trouble.isEmpty()) {
            log.atWarn()
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("cannot follow objects");
        }
        trouble = Optional.of(problem);
        sleep();
    }

    private void sleep() {
        try {
            Thread.sleep(backoff.next());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    @Override
    public void close() {
        closed = true;
        var current = stream;
        if (current != null) {
            current.close();
        }
        thread.interrupt();
        if (!Thread.currentThread().equals(thread)) {
            join();
        }
    }

    private void join() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
