// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.facts.FactStore;
import io.fathom.fleet.facts.Preference;
import io.fathom.fleet.facts.ViewQueue;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginDigest;
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
    /// A receiver that comes back is told again what was told since, which is little: most of what moves a mark is
    /// about services that it does not want, or of clusters that are not among its best.
    private static final Duration MARKS_EVERY = Duration.ofMinutes(5);

    private static final Duration MARKS_SOON = Duration.ofSeconds(10);
    private static final Duration DIGESTS_EVERY = Duration.ofSeconds(60);

    private final FactStore store;
    private final ViewQueue queue;
    private final Deque<FleetDown> urgent = new ArrayDeque<>();
    private final Map<String, FleetDown.PortConflict> conflicts = new LinkedHashMap<>();
    /// From where to go on with clusters that have not said everything yet.
    private final Map<Integer, FactVersion> waiting = new HashMap<>();
    /// From where to go on with clusters that have, since the last message.
    private final Map<Integer, FactVersion> resumed = new HashMap<>();
    private final Set<Integer> repairing = new TreeSet<>();
    private final Map<Integer, FactVersion> marked = new HashMap<>();
    /// Clusters that have not said everything yet; the receiver may remember others from the stream before.
    private final Set<Integer> unsettled = new HashSet<>();
    /// No longer, and the receiver has not been told.
    private final Set<Integer> settled = new HashSet<>();
    private boolean tellsUnsettled = true;
    private Instant nextMarks = Instant.MIN;
    private Instant nextDigests = Instant.MIN;
    private boolean marksSoon;
    private boolean tellsEachDigest;
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
                unsettled.add(origin);
            } else if (goesOn || !mark.equals(FactVersion.NONE)) {
                resumed.put(origin, mark);
            } else {
                marked.put(origin, mark); // it holds nothing of it, and everything is due
            }
        }
        if (goesOn) {
            for (var origin : queue.goOn(waiting)) {
                if (waiting.getOrDefault(origin, FactVersion.NONE).compareTo(store.version(origin)) < 0) {
                    queue.tellAgain(origin); // else it knows more than we do
                }
            }
        }
        resume();
    }

    ViewQueue queue() {
        return queue;
    }

    private void resume() {
        if (resumed.isEmpty()) {
            return;
        }
        var unclear = queue.goOn(resumed);
        marked.putAll(resumed);
        resumed.clear();
        for (var origin : unclear) {
            marked.remove(origin);
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
        if (unsettled.remove(origin)) {
            settled.add(origin);
            marksSoon = true;
        }
        var mark = waiting.remove(origin);
        if (mark != null && mark.equals(FactVersion.NONE)) {
            queue.tellRemoved(origin); // what it has was told when it was said
        } else if (mark != null) {
            resumed.put(origin, mark);
        }
    }

    void want(Interest interest) {
        queue.want(interest, queue.preference());
    }

    /// A cluster comes, goes or is somewhere else.
    void prefer(Preference preference, int origin) {
        if (!preference.equals(queue.preference())) {
            queue.prefer(preference, origin);
            marksSoon = true;
            if (!preference.knows(origin)) {
                waiting.remove(origin);
                resumed.remove(origin);
                repairing.remove(origin);
                marked.remove(origin);
                if (unsettled.remove(origin)) {
                    settled.add(origin);
                }
            } else if (!store.isSettled(origin)) {
                waiting.putIfAbsent(origin, FactVersion.NONE);
                tellsUnsettled |= unsettled.add(origin);
            }
        }
    }

    /// Everything looks different from here.
    void preferAll(Preference preference) {
        queue.want(queue.interest(), preference);
        marksSoon = true;
        unsettled.clear();
        for (var origin : preference.origins()) {
            if (!store.isSettled(origin)) {
                unsettled.add(origin);
            }
        }
        tellsUnsettled = true;
    }

    void conflict(FleetDown.PortConflict conflict) {
        conflicts.put(conflict.path(), conflict);
    }

    void slowDown(String reason) {
        urgent.add(new FleetDown.SlowDown(reason));
    }

    /// The receiver holds something else than it should, and cannot tell of which cluster.
    void tellEachDigest() {
        tellsEachDigest = true;
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
        return tellsUnsettled
                || !settled.isEmpty()
                || !resumed.isEmpty()
                || tellsEachDigest
                || resend
                || !urgent.isEmpty()
                || !conflicts.isEmpty()
                || !queue.isEmpty()
                || !now.isBefore(nextDigests)
                || !now.isBefore(nextMarks);
    }

    /// What is due next.
    ///
    /// @param mayFill whether there may be a lot of it
    Optional<FleetDown> next(Instant now, boolean mayFill) {
        resume();
        if (marksSoon) {
            marksSoon = false;
            var soon = now.plus(MARKS_SOON);
            nextMarks = soon.isBefore(nextMarks) ? soon : nextMarks;
        }
        if (tellsUnsettled) {
            tellsUnsettled = false;
            settled.clear();
            return Optional.of(new FleetDown.Unsettled(unsettled));
        }
        if (!settled.isEmpty()) {
            var told = new FleetDown.Settled(settled);
            settled.clear();
            return Optional.of(told);
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
            nextMarks = now.plus(MARKS_EVERY);
            if (first || !marks.isEmpty()) {
                marks.forEach(mark -> marked.put(mark.origin(), mark.version()));
                return Optional.of(new FleetDown.Complete(marks, view()));
            }
        }
        if (tellsEachDigest || !now.isBefore(nextDigests)) {
            nextDigests = now.plus(DIGESTS_EVERY);
            var digests = queue.digests(queue.preference().origins().stream()
                    .filter(store::isSettled)
                    .toList());
            var told = tellsEachDigest ? digests : List.of(OriginDigest.total(digests));
            tellsEachDigest = false;
            if (!digests.isEmpty()) {
                return Optional.of(new FleetDown.Digests(told));
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
