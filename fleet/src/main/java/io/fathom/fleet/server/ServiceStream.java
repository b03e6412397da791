// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.facts.FactStore;
import io.fathom.fleet.facts.Preference;
import io.fathom.fleet.facts.ViewQueue;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginMark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What the stream of one cluster is due of services: where it goes on from, what is told again, up to where it knows
/// each other cluster. Guarded by its [ServiceDirectory].
final class ServiceStream {
    private static final Duration MARKS_EVERY = Duration.ofSeconds(10);
    private static final Duration DIGESTS_EVERY = Duration.ofSeconds(60);

    private final FactStore store;
    private final ViewQueue queue;
    private final Deque<FleetDown> urgent = new ArrayDeque<>();
    private final Map<String, FleetDown.PortConflict> conflicts = new LinkedHashMap<>();
    /// From where to go on with clusters that have not said everything yet.
    private final Map<Integer, FactVersion> waiting = new HashMap<>();
    private final Set<Integer> repairing = new TreeSet<>();
    private final Map<Integer, FactVersion> marked = new HashMap<>();
    /// As told on this stream; the receiver may remember something else from the one before.
    private Optional<Set<Integer>> unsettled = Optional.empty();
    private Instant nextMarks = Instant.MIN;
    private Instant nextDigests = Instant.MIN;
    private boolean settling = true;
    private boolean resend;

    ServiceStream(FactStore store, Preference preference, FleetUp.Hello hello) {
        this.store = store;
        this.queue = new ViewQueue(store, preference);
        queue.want(hello.interest(), preference);
        var goesOn = hello.view() == view();
        if (goesOn) {
            queue.nothing();
        }
        var cursor = new HashMap<Integer, FactVersion>();
        hello.cursor().forEach(mark -> cursor.put(mark.origin(), mark.version()));
        for (var origin : preference.origins()) {
            var mark = Optional.ofNullable(cursor.get(origin)).orElse(FactVersion.NONE);
            if (!store.isSettled(origin)) {
                waiting.put(origin, mark);
                if (goesOn && !store.news(origin, mark, queue::add) && mark.compareTo(store.version(origin)) < 0) {
                    queue.tellAgain(origin); // else it knows more than we do
                }
            } else if (goesOn || !mark.equals(FactVersion.NONE)) {
                resume(origin, mark);
            } else {
                marked.put(origin, mark); // it holds nothing of it, and everything is due
            }
        }
    }

    ViewQueue queue() {
        return queue;
    }

    private void resume(int origin, FactVersion mark) {
        if (store.news(origin, mark, queue::add)) {
            marked.put(origin, mark);
        } else {
            repair(origin);
        }
    }

    /// Tells everything there is of that cluster again, and that this is all.
    void repair(int origin) {
        if (queue.preference().knows(origin) && store.isSettled(origin) && repairing.add(origin)) {
            urgent.add(new FleetDown.RepairBegin(origin));
            queue.tellAgain(origin);
        }
    }

    /// A cluster has said everything.
    void settled(int origin) {
        settling = true;
        var mark = waiting.remove(origin);
        if (mark != null && mark.equals(FactVersion.NONE)) {
            store.removed(origin, queue::add); // what it has was told when it was said
        } else if (mark != null) {
            resume(origin, mark);
        }
    }

    void want(Interest interest) {
        queue.want(interest, queue.preference());
    }

    /// A cluster comes, goes or is somewhere else.
    void prefer(Preference preference, int origin) {
        if (!preference.equals(queue.preference())) {
            queue.prefer(preference, origin);
            settling = true;
            if (!preference.knows(origin)) {
                waiting.remove(origin);
                repairing.remove(origin);
                marked.remove(origin);
            } else if (!store.isSettled(origin)) {
                waiting.putIfAbsent(origin, FactVersion.NONE);
            }
        }
    }

    /// Everything looks different from here.
    void preferAll(Preference preference) {
        queue.want(queue.interest(), preference);
        settling = true;
    }

    void conflict(FleetDown.PortConflict conflict) {
        conflicts.put(conflict.path(), conflict);
    }

    void slowDown(String reason) {
        urgent.add(new FleetDown.SlowDown(reason));
    }

    void resendExports() {
        resend = true;
    }

    /// What the receiver is to be shown in its next hello; never 0.
    long view() {
        return (queue.preference().digest() ^ queue.interest().mostOrigins() * 0x9e3779b97f4a7c15L) | 1;
    }

    /// Whether there is something that should not wait for more of it.
    boolean isPressing(Instant now) {
        return settling
                || resend
                || !urgent.isEmpty()
                || !conflicts.isEmpty()
                || !queue.isEmpty()
                || !now.isBefore(nextDigests)
                || (!now.isBefore(nextMarks) && !marks().isEmpty());
    }

    /// What is due next.
    ///
    /// @param mayFill whether there may be a lot of it
    Optional<FleetDown> next(Instant now, boolean mayFill) {
        if (settling) {
            settling = false;
            var open = new HashSet<Integer>();
            for (var origin : queue.preference().origins()) {
                if (!store.isSettled(origin)) {
                    open.add(origin);
                }
            }
            if (!unsettled.equals(Optional.of(open))) {
                unsettled = Optional.of(Set.copyOf(open));
                return Optional.of(new FleetDown.Unsettled(open));
            }
        }
        if (resend) {
            resend = false;
            return Optional.of(new FleetDown.ResendExports());
        }
        if (!urgent.isEmpty()) {
            return Optional.of(urgent.removeFirst());
        }
        if (!mayFill) {
            return Optional.empty();
        }
        var views = queue.next();
        if (views.isPresent()) {
            return views;
        }
        for (var repaired = repairing.iterator(); repaired.hasNext(); ) {
            var origin = repaired.next();
            repaired.remove();
            return Optional.of(new FleetDown.RepairEnd(origin));
        }
        for (var told = conflicts.values().iterator(); told.hasNext(); ) {
            var conflict = told.next();
            told.remove();
            return Optional.of(conflict);
        }
        if (!now.isBefore(nextMarks)) {
            var first = nextMarks.equals(Instant.MIN);
            var marks = marks();
            if (first || !marks.isEmpty()) {
                nextMarks = now.plus(MARKS_EVERY);
                marks.forEach(mark -> marked.put(mark.origin(), mark.version()));
                return Optional.of(new FleetDown.Complete(marks, view()));
            }
        }
        if (!now.isBefore(nextDigests)) {
            nextDigests = now.plus(DIGESTS_EVERY);
            var settledOrigins = queue.preference().origins().stream()
                    .filter(store::isSettled)
                    .toList();
            if (!settledOrigins.isEmpty()) {
                return Optional.of(new FleetDown.Digests(queue.digests(settledOrigins)));
            }
        }
        return Optional.empty();
    }

    private List<OriginMark> marks() {
        var marks = new ArrayList<OriginMark>();
        for (var origin : queue.preference().origins()) {
            var version = store.version(origin);
            if (store.isSettled(origin) && !version.equals(marked.get(origin))) {
                marks.add(new OriginMark(origin, version));
            }
        }
        return marks;
    }
}
