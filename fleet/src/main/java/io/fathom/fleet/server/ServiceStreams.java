// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.facts.FactChange;
import io.fathom.fleet.facts.FactStore;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.Interest;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The clusters that have a stream: which of them a change concerns, and how many may be sent a lot at once. Guarded by
/// its [ServiceDirectory].
final class ServiceStreams {
    /// More than this is a snapshot, of which only so many are sent at once.
    private static final int SNAPSHOT = 5_000;

    private static final int SNAPSHOTS_AT_ONCE = 50;

    private final FactStore store;
    private final Map<Integer, Connected> streams = new HashMap<>();
    private final InterestIndex<Connected> interested = new InterestIndex<>();
    private final Deque<Integer> queued = new ArrayDeque<>();
    private int snapshots;

    /// A cluster with a stream.
    static final class Connected {
        private final int handle;
        private final ClusterSession session;
        private final ServiceStream stream;
        private Interest wanted;
        private Pace pace = Pace.FREE;

        Connected(int handle, ClusterSession session, ServiceStream stream, Interest wanted) {
            this.handle = handle;
            this.session = session;
            this.stream = stream;
            this.wanted = wanted;
        }

        int handle() {
            return handle;
        }

        ServiceStream stream() {
            return stream;
        }

        /// What it asked for, of which it may not have everything.
        Interest wanted() {
            return wanted;
        }

        void wake() {
            session.wake();
        }
    }

    /// Whether a stream may be sent a lot.
    private enum Pace {
        FREE,
        QUEUED,
        SNAPSHOT
    }

    ServiceStreams(FactStore store) {
        this.store = store;
    }

    int count() {
        return streams.size();
    }

    /// How many are being sent a lot.
    int snapshots() {
        return snapshots;
    }

    Collection<Connected> all() {
        return streams.values();
    }

    Optional<Connected> of(int handle) {
        return Optional.ofNullable(streams.get(handle));
    }

    void open(Connected connected) {
        close(connected.handle);
        streams.put(connected.handle, connected);
        interested.add(connected, connected.stream.queue().interest());
        pace(connected);
    }

    void close(int handle, ClusterSession session) {
        if (of(handle).filter(connected -> connected.session.equals(session)).isPresent()) {
            close(handle);
        }
    }

    void close(int handle) {
        var connected = streams.remove(handle);
        if (connected != null) {
            interested.remove(connected, connected.stream.queue().interest());
            store.snapshotBreaks(handle);
            queued.remove(handle);
            if (connected.pace == Pace.SNAPSHOT) {
                snapshotDone();
            }
        }
    }

    /// A cluster wants something else.
    ///
    /// @param allowed what it may have of that
    void want(Connected connected, Interest wanted, Interest allowed) {
        connected.wanted = wanted;
        interested.remove(connected, connected.stream.queue().interest());
        connected.stream.want(allowed);
        interested.add(connected, allowed);
    }

    /// A fact is different: whom it concerns is due it.
    void changed(FactChange change) {
        interested.forEach(store.path(change.row()), connected -> {
            if (connected.handle != change.origin() && connected.stream.queue().changed(change) && change.isUrgent()) {
                connected.session.wake();
            }
        });
    }

    private void pace(Connected connected) {
        if (connected.pace == Pace.FREE && connected.stream.queue().size() > SNAPSHOT) {
            if (snapshots < SNAPSHOTS_AT_ONCE) {
                snapshots++;
                connected.pace = Pace.SNAPSHOT;
            } else {
                connected.pace = Pace.QUEUED;
                queued.addLast(connected.handle);
                connected.stream.slowDown(queued.size() + " clusters are served before this one");
            }
        }
    }

    private void snapshotDone() {
        snapshots--;
        var next = queued.pollFirst();
        if (next != null) {
            of(next).ifPresent(connected -> {
                snapshots++;
                connected.pace = Pace.SNAPSHOT;
                connected.session.wake();
            });
        }
    }

    /// What a stream is due next.
    Optional<FleetDown> next(int handle, ClusterSession session, Instant now) {
        var connected = streams.get(handle);
        if (connected == null || !connected.session.equals(session)) {
            return Optional.empty();
        }
        pace(connected);
        var message = connected.stream.next(now, connected.pace != Pace.QUEUED);
        if (connected.pace == Pace.SNAPSHOT && connected.stream.queue().isEmpty()) {
            connected.pace = Pace.FREE;
            snapshotDone();
        }
        return message;
    }

    /// Wakes whatever has something that could wait for a while.
    void tick(Instant now) {
        for (var connected : streams.values()) {
            if (connected.stream.isPressing(now)) {
                connected.session.wake();
            }
        }
    }
}
