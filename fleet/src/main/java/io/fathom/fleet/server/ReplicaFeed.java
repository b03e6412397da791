// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.OriginCopy.CopyPart;
import io.fathom.model.fleet.OriginMark;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Tells other management servers what agents say to this one: at first everything of clusters that they know less of,
/// then each message. One that is slow has a bounded queue: what does not fit is told as a whole later. Any thread.
final class ReplicaFeed {
    private static final int FACTS_AT_ONCE = 2000;
    private static final int MOST_QUEUED = 1000;

    private final String id;
    private final ServiceDirectory directory;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();

    /// @param id differs with each start of a server
    ReplicaFeed(String id, ServiceDirectory directory) {
        this.id = id;
        this.directory = directory;
    }

    FleetStream<OriginCopy> open(FleetOutlet outlet) {
        var follower = new Follower(outlet);
        followers.add(follower);
        return follower;
    }

    /// A cluster has said something here that was accepted.
    ///
    /// @param before the version that it follows
    void said(int origin, FleetUp message, FactVersion before) {
        followers.forEach(follower -> follower.said(new OriginCopy(origin, CopyPart.CHANGE, message, before)));
    }

    /// Sees to what had to wait. To be called every second.
    void tick() {
        followers.forEach(Follower::tick);
    }

    int followers() {
        return followers.size();
    }

    /// One other server. Guarded by this; asks the directory while it is, never the other way round.
    private final class Follower implements FleetStream<OriginCopy> {
        private final FleetOutlet outlet;
        private final Deque<OriginCopy> queue = new ArrayDeque<>();
        private final Set<Integer> whole = new LinkedHashSet<>();
        private boolean begun;

        Follower(FleetOutlet outlet) {
            this.outlet = outlet;
        }

        @Override
        public void received(FleetUp message) {
            synchronized (this) {
                switch (message) {
                    case FleetUp.Hello hello -> begin(hello);
                    case FleetUp.Repair repair -> whole.addAll(repair.origins());
                    case FleetUp.Gateways _,
                            FleetUp.Services _,
                            FleetUp.Weights _,
                            FleetUp.ExportsEnd _,
                            FleetUp.Interested _,
                            FleetUp.Digest _,
                            FleetUp.Reach _ -> throw FleetProblems.noHello();
                }
            }
            outlet.wake();
        }

        private void begin(FleetUp.Hello hello) {
            if (hello.instance().equals(id)) {
                throw FleetProblems.sameServer();
            }
            begun = true;
            var known = new HashMap<Integer, FactVersion>();
            hello.cursor().forEach(mark -> known.put(mark.origin(), mark.version()));
            for (OriginMark mark : directory.marks()) {
                if (known.getOrDefault(mark.origin(), FactVersion.NONE).compareTo(mark.version()) < 0) {
                    whole.add(mark.origin());
                }
            }
        }

        void said(OriginCopy change) {
            synchronized (this) {
                if (!begun) {
                    return; // it gets everything after its hello
                }
                if (!whole.contains(change.origin())) {
                    if (queue.size() < MOST_QUEUED) {
                        queue.addLast(change);
                    } else {
                        queue.removeIf(waiting -> waiting.origin() == change.origin());
                        whole.add(change.origin());
                    }
                }
            }
            outlet.wake();
        }

        void tick() {
            synchronized (this) {
                if (whole.isEmpty()) {
                    return;
                }
            }
            outlet.wake();
        }

        @Override
        public Duration pause() {
            return Duration.ZERO;
        }

        @Override
        public synchronized Optional<OriginCopy> next() {
            for (var waiting = whole.iterator(); queue.isEmpty() && waiting.hasNext(); ) {
                var origin = waiting.next();
                // a cluster that is still saying everything is told when it has
                var all = directory.said(origin);
                if (all.isPresent()) {
                    waiting.remove();
                    enqueue(origin, all.get());
                }
            }
            return Optional.ofNullable(queue.pollFirst());
        }

        private void enqueue(int origin, FleetUp.Services all) {
            var facts = all.changed();
            for (var from = 0; from < facts.size(); from += FACTS_AT_ONCE) {
                var part = facts.subList(from, Math.min(facts.size(), from + FACTS_AT_ONCE));
                queue.addLast(new OriginCopy(
                        origin,
                        CopyPart.WHOLE,
                        new FleetUp.Services(part, all.removed(), all.part(), all.version()),
                        FactVersion.NONE));
            }
            queue.addLast(new OriginCopy(
                    origin,
                    directory.isSettled(origin) ? CopyPart.WHOLE_SETTLED : CopyPart.WHOLE_UNSETTLED,
                    new FleetUp.ExportsEnd(all.version()),
                    FactVersion.NONE));
        }

        @Override
        public void ended() {
            followers.remove(this);
        }
    }
}
