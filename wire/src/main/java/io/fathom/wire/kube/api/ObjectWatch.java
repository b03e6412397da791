// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of a query, as they are now and as they change.
///
/// The first batch is the complete state, possibly empty; later ones hold differences only, also when the server forgot
/// where we were and everything had to be read again. An object that was replaced by another of the same name is
/// removed first. The sink is called on one virtual thread, and never after [#close()] has returned, unless it is the
/// sink that closes. A failure is logged once and tried again with growing pauses; what is known stays.
///
/// A kind that the server does not have counts as one without objects, and is looked for every few seconds.
public final class ObjectWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ObjectWatch.class);
    private static final Duration LONGEST_ABSENCE = Duration.ofSeconds(2);

    /// What became of an object.
    public sealed interface Change {
        /// It is new or different.
        record Put(KubeObject object) implements Change {}

        /// It is gone.
        record Remove(String namespace, String name, String uid) implements Change {}
    }

    /// Takes what changed. It may block; the watch waits meanwhile.
    @FunctionalInterface
    public interface WatchSink {
        void changed(List<Change> batch);
    }

    /// Takes what changed, one by one. It may block; the watch waits meanwhile.
    interface Receiver {
        /// Whoever only reads the object keeps nothing of it.
        void put(KubeObject object);

        void remove(String namespace, String name, String uid);

        /// All that there was at the beginning has been put. Once.
        void complete();

        /// Nothing more has come yet.
        void rest();
    }

    /// How it goes.
    public enum WatchPhase {
        /// The state of the server is not known yet.
        BEGINNING,
        FOLLOWING,
        /// The server does not have the kind.
        ABSENT,
        /// What is known may be old.
        TROUBLED
    }

    private final KubeClient client;
    private final List<KubeQuery> versions;
    private final KubeQuery query;
    private final Receiver receiver;
    private final Backoff backoff;
    private final Backoff absence;
    private final Thread thread;
    private final KnownObjects known;
    private volatile Optional<Problem> trouble = Optional.empty();
    private volatile long heard = System.nanoTime();
    private volatile boolean synced;
    private volatile boolean absent;
    private volatile boolean closed;
    private volatile @Nullable WatchStream stream;
    private String since = ""; // where to go on from; empty when everything is to be read
    private int version; // which of `versions` we ask for

    private ObjectWatch(KubeClient client, KubeQuery query, Receiver receiver) {
        this.client = client;
        this.versions = query.versions();
        this.query = query;
        this.receiver = receiver;
        this.known = new KnownObjects(receiver);
        var settings = client.settings();
        this.backoff = new Backoff(settings.firstRetry(), settings.longestRetry(), new SplittableRandom());
        var longest =
                settings.longestRetry().compareTo(LONGEST_ABSENCE) < 0 ? settings.longestRetry() : LONGEST_ABSENCE;
        this.absence = new Backoff(longest, longest, new SplittableRandom());
        this.thread = Thread.ofVirtual().name("watch " + query.resource()).unstarted(this::run);
    }

    static ObjectWatch start(KubeClient client, KubeQuery query, Receiver receiver) {
        var watch = new ObjectWatch(client, query, receiver);
        watch.thread.start();
        return watch;
    }

    static ObjectWatch start(KubeClient client, KubeQuery query, WatchSink sink) {
        return start(client, query, new ChangeBatches(sink));
    }

    /// Whether the first batch has been delivered.
    public boolean isSynced() {
        return synced;
    }

    /// Why we do not follow at the moment, if so.
    public Optional<Problem> trouble() {
        return trouble;
    }

    /// How long ago the server was last heard of; nothing while we follow.
    Duration silence() {
        return trouble.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - heard);
    }

    public WatchPhase phase() {
        if (trouble.isPresent()) {
            return WatchPhase.TROUBLED;
        }
        return absent ? WatchPhase.ABSENT : synced ? WatchPhase.FOLLOWING : WatchPhase.BEGINNING;
    }

    /// How many objects there are.
    public int objects() {
        return known.size();
    }

    public KubeQuery query() {
        return query;
    }

    private void run() {
        while (!closed) {
            try {
                attempt();
            } catch (RuntimeException e) {
                if (!closed) {
                    log.atError().setCause(e).addKeyValue("query", query).log("watching objects failed");
                    since = "";
                    known.doubt(); // whatever was lost comes again
                    pause(Problem.ofInput("watch-failed", e.toString(), "report this as a bug of Fathom"));
                }
            }
        }
    }

    private void attempt() {
        try {
            if (since.isEmpty() && !client.streamsLists()) {
                list();
            }
            var before = since;
            follow();
            if (since.equals(before)) {
                sleep(backoff); // nothing happened: a server that ends every watch at once must not be pestered
            }
        } catch (ProblemException e) {
            troubled(e.problem());
        }
    }

    private void troubled(Problem problem) {
        if (problem.code().equals("kube-refused") && since.isEmpty() && client.streamsLists()) {
            client.listInPages();
            log.atInfo().addKeyValue("problem", problem).log("the API server does not stream lists");
        } else if (problem.code().equals("kube-expired")) {
            log.atInfo().addKeyValue("query", query).log("reading all again, the API server forgot where we were");
            since = "";
            sleep(backoff);
        } else if (problem.code().equals("kube-not-found") && query.resource().isExtension()) {
            since = "";
            missed(problem);
        } else if (problem.code().equals("kube-forbidden") && query.resource().isDispensable() && known.size() == 0) {
            since = "";
            without(problem);
        } else {
            pause(problem);
        }
    }

    /// The server does not know the kind in this version. What is known of it is not given up lightly: policies may be
    /// among it, and something else than the API server may have answered.
    private void missed(Problem problem) {
        version = (version + 1) % versions.size();
        if (version != 0) {
            return; // the others have not been asked for yet
        }
        if (known.size() > 0 && versions.stream().anyMatch(one -> !client.lacks(one.resource()))) {
            pause(problem);
            return;
        }
        without(problem);
    }

    private void without(Problem problem) {
        if (!absent) {
            absent = true;
            log.atInfo()
                    .addKeyValue("query", query)
                    .addKeyValue("problem", problem)
                    .log("the API server does not have this kind for us: no objects");
        }
        trouble = Optional.empty();
        known.begin();
        known.end();
        complete();
        sleep(absence);
    }

    private void list() {
        since = client.each(asked(), known::begin, object -> {
            if (!closed) {
                known.put(object);
            }
        });
        known.end();
        complete();
        well();
    }

    private KubeQuery asked() {
        return versions.get(version);
    }

    /// Until the watch ends.
    private void follow() {
        var lasting = client.settings().watch();
        // Not all clients of a server that restarted may come back at the same moment.
        lasting = lasting.plusMillis(ThreadLocalRandom.current().nextLong(lasting.toMillis() + 1));
        var initial = since.isEmpty();
        try (var events = initial ? client.initialEvents(asked(), lasting) : client.events(asked(), since, lasting)) {
            stream = events;
            if (initial) {
                known.begin();
            } else {
                followed();
            }
            for (var event = closed ? Optional.<WatchStream.Event>empty() : events.next();
                    event.isPresent() && !closed;
                    event = events.next()) {
                var object = asked().named(event.get().object());
                switch (event.get().type()) {
                    case ADDED, MODIFIED -> known.put(object);
                    case DELETED -> known.remove(object);
                    case BOOKMARK -> {
                        if (initial && event.get().endsInitial()) {
                            initial = false;
                            known.end();
                            complete();
                        }
                    }
                    case ERROR ->
                        throw ApiProblems.ofStatus(
                                client.server(),
                                "watch " + query,
                                query,
                                event.get().code(),
                                object.root().at("message").text());
                }
                if (!initial) {
                    since = object.resourceVersion();
                    well();
                    if (!events.hasMore()) {
                        receiver.rest();
                    }
                }
            }
        } catch (IOException e) {
            throw ApiProblems.ofFailure(client.server(), "watch " + query, e);
        } catch (MisreadException e) {
            throw ApiProblems.unreadable(client.server(), "watch " + query, e);
        } finally {
            stream = null;
            rest();
        }
    }

    private void rest() {
        if (!closed && synced) {
            receiver.rest();
        }
    }

    private void complete() {
        if (closed) {
            return;
        }
        if (!synced) {
            receiver.complete();
            synced = true;
        } else {
            receiver.rest();
        }
    }

    private void well() {
        heard = System.nanoTime();
        followed();
        backoff.reset();
    }

    private void followed() {
        if (absent) {
            absent = false;
            log.atInfo().addKeyValue("query", query).log("the API server has this kind now");
        }
        if (trouble.isPresent()) {
            log.atInfo().addKeyValue("query", query).log("following objects again");
            trouble = Optional.empty();
        }
    }

    private void pause(Problem problem) {
        if (closed) {
            return;
        }
        if (trouble.isEmpty() || !trouble.get().code().equals(problem.code())) {
            log.atWarn()
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("cannot follow objects");
        }
        trouble = Optional.of(problem);
        sleep(backoff);
    }

    private void sleep(Backoff pauses) {
        try {
            Thread.sleep(pauses.next());
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
