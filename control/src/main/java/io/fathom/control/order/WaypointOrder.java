// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.base.flow.Change;
import io.fathom.base.lang.Timeline;
import io.fathom.control.order.Proxies.Answer;
import io.fathom.control.order.Proxies.Presence;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/// Decides when node proxies are told to send a service or workload through a waypoint: when the waypoint's proxies
/// have acknowledged that they serve it. Until then they are told all else of it, with the waypoints of before. What
/// needs no order is told at once, and never waits for what does.
///
/// A service that is new is told with a waypoint that is pending: what its waypoint enforces must not be bypassed, and
/// node proxies let connections wait. A workload that is new is told at once, as nobody uses it yet, and so is an
/// address whose waypoint has no proxies. Thread-safe; node proxies are told under its lock, so that an older version
/// never follows a newer one.
public final class WaypointOrder {
    private static final Duration POLL = Duration.ofMillis(100);
    /// What a waypoint is asked at once: it changes while it is asked, and each time is asked again.
    private static final int MOST_QUESTIONS = 32;

    /// One question to the proxies of a waypoint.
    private static final class Question {
        private boolean answered;
    }

    /// What waits for a waypoint.
    private static final class Queue {
        private final Set<String> names = new LinkedHashSet<>();
        private final Map<Question, Proxies.Wait> questions = new HashMap<>();
        private Instant absentUntil;
        private long version = -1;
        private boolean polling;

        private Queue(Instant absentUntil) {
            this.absentUntil = absentUntil;
        }
    }

    private final Proxies proxies;
    private final Consumer<Collection<Address>> nodeProxies;
    private final Timeline timeline;
    private final Patience patience;
    private final OrderObserver observer;
    private final FormerUse former;
    private final Map<String, HeldAddress> held = new HashMap<>();
    private final Map<ObjectKey, Queue> queues = new HashMap<>();
    /// Waypoints that were not waited for any longer.
    private final Set<ObjectKey> silent = new HashSet<>();
    /// Addresses of which it was said that waypoints refuse them.
    private final Set<String> refused = new HashSet<>();

    private boolean watching;

    /// @param nodeProxies tells them of addresses whose time has come
    public WaypointOrder(
            Proxies proxies,
            Consumer<Collection<Address>> nodeProxies,
            Timeline timeline,
            Patience patience,
            OrderObserver observer) {
        this.proxies = proxies;
        this.nodeProxies = nodeProxies;
        this.timeline = timeline;
        this.patience = patience;
        this.observer = observer;
        this.former = new FormerUse(proxies, timeline, patience, observer);
    }

    /// After a start: calls back when the proxies of these waypoints are back and have what they need, or have been
    /// waited for long enough. Until then node proxies that come back had better keep what they have.
    public synchronized void start(Set<ObjectKey> waypoints, Runnable settled) {
        var open = new HashSet<>(waypoints);
        open.removeIf(waypoint -> proxies.presence(waypoint) == Presence.NONE);
        var over = new AtomicBoolean();
        Runnable end = () -> {
            if (!over.getAndSet(true)) {
                settled.run();
            }
        };
        if (open.isEmpty()) {
            end.run();
            return;
        }
        var _ = timeline.at(timeline.instant().plus(patience.answer()), end);
        for (var waypoint : Set.copyOf(open)) {
            awaitReturn(waypoint, over, () -> {
                synchronized (this) {
                    open.remove(waypoint);
                    if (!open.isEmpty()) {
                        return;
                    }
                }
                end.run();
            });
        }
    }

    private void awaitReturn(ObjectKey waypoint, AtomicBoolean over, Runnable back) {
        if (over.get()) {
            return;
        }
        Runnable again = () -> {
            var _ = timeline.at(timeline.instant().plus(POLL), () -> awaitReturn(waypoint, over, back));
        };
        if (proxies.presence(waypoint) == Presence.MISSING) {
            again.run();
            return;
        }
        var _ = proxies.whenServed(waypoint, List.of(), answer -> {
            if (answer == Answer.LEFT) {
                again.run();
            } else {
                back.run();
            }
        });
    }

    /// Takes the changes of a commit in. The waypoints have been offered what they are to serve before.
    ///
    /// @param told tells node proxies what they may know now of what is new or changed
    public synchronized void apply(List<Change<String, Address>> changes, Consumer<Collection<Address>> told) {
        var now = new ArrayList<Address>(changes.size());
        var presences = new HashMap<ObjectKey, Presence>(); // many addresses have one waypoint
        Function<ObjectKey, Presence> presence = waypoint -> presences.computeIfAbsent(waypoint, proxies::presence);
        for (var change : changes) {
            switch (change) {
                case Change.Added<String, Address> added -> {
                    drop(added.key());
                    now.add(introduce(added.after(), presence));
                }
                case Change.Updated<String, Address> updated -> now.add(admit(updated, presence));
                case Change.Removed<String, Address> removed -> drop(removed.key());
            }
        }
        told.accept(now);
        List.copyOf(queues.keySet()).forEach(this::attemptIfNew);
        watch();
    }

    /// Looks again when the first deadline is over, and says what is not held back any more.
    private void watch() {
        if (!watching && !held.isEmpty()) {
            watching = true;
            var first = held.values().stream().map(HeldAddress::deadline).min(Comparator.naturalOrder());
            var _ = timeline.at(first.orElseThrow(), this::expire);
        }
        var settled = new HashSet<>(refused);
        settled.removeAll(held.keySet());
        if (!settled.isEmpty()) {
            refused.removeAll(settled);
            later(() -> observer.settled(settled));
        }
    }

    /// What becomes of waypoints that addresses have left, and of those that are no more.
    ///
    /// @param turns in which addresses left waypoints, by resource name
    public synchronized void left(Map<String, Long> turns, Set<ObjectKey> departing) {
        former.add(turns, departing);
        former.begin(held.keySet());
    }

    /// How many addresses are held back.
    public synchronized int holding() {
        return held.size();
    }

    private Address introduce(Address after, Function<ObjectKey, Presence> presence) {
        if (!(after instanceof Service service) || after.waypoints().isEmpty()) {
            return after;
        }
        var lacking = present(after, after.waypoints(), presence);
        if (lacking.isEmpty()) {
            return after;
        }
        var shown = service.awaitingWaypoints();
        hold(new HeldAddress(shown, after, lacking, timeline.instant().plus(patience.answer())));
        return shown;
    }

    private Address admit(Change.Updated<String, Address> change, Function<ObjectKey, Presence> presence) {
        var name = change.key();
        var after = change.after();
        var old = held.get(name);
        var shown = old == null ? change.before() : old.shown();
        if (after.waypoints().isEmpty() && old == null) {
            return after; // as nearly always
        }
        var gained = new LinkedHashSet<>(after.waypoints());
        gained.removeAll(shown.waypoints());
        var lacking = present(after, gained, presence);
        drop(name);
        if (lacking.isEmpty()) {
            return after;
        }
        var deadline = old == null ? timeline.instant().plus(patience.answer()) : old.deadline();
        hold(new HeldAddress(shown, after, lacking, deadline));
        return after.throughWaypointsOf(shown);
    }

    /// Those of its waypoints that have proxies.
    private Set<ObjectKey> present(
            Address address, Set<GatewayAddress> gained, Function<ObjectKey, Presence> presence) {
        var result = new HashSet<ObjectKey>();
        if (!gained.isEmpty()) {
            proxies.waypoints(address, gained).stream()
                    .filter(waypoint -> presence.apply(waypoint) != Presence.NONE)
                    .forEach(result::add);
        }
        return result;
    }

    private void hold(HeldAddress row) {
        var name = row.wanted().resourceName();
        held.put(name, row);
        row.lacking().forEach(waypoint -> enqueue(waypoint, name));
    }

    private void enqueue(ObjectKey waypoint, String name) {
        var queue = queues.computeIfAbsent(
                waypoint, _ -> new Queue(timeline.instant().plus(patience.absence())));
        queue.names.add(name);
        queue.version = -1;
    }

    private void drop(String name) {
        var row = held.remove(name);
        if (row != null) {
            row.lacking().forEach(waypoint -> dequeue(waypoint, name));
        }
    }

    private void dequeue(ObjectKey waypoint, String name) {
        var queue = queues.get(waypoint);
        if (queue != null) {
            queue.names.remove(name);
            if (queue.names.isEmpty()) {
                queues.remove(waypoint);
                List.copyOf(queue.questions.values()).forEach(Proxies.Wait::close);
            }
        }
    }

    private void attemptIfNew(ObjectKey waypoint) {
        var queue = queues.get(waypoint);
        if (queue != null && queue.version != proxies.version(waypoint)) {
            attempt(waypoint, queue);
        }
    }

    /// Asks the proxies of a waypoint for all that waits for it and is on its way to them.
    private void attempt(ObjectKey waypoint, Queue queue) {
        if (proxies.presence(waypoint) == Presence.MISSING && timeline.instant().isBefore(queue.absentUntil)) {
            if (!queue.polling) {
                queue.polling = true;
                var _ = timeline.at(timeline.instant().plus(POLL), () -> poll(waypoint));
            }
            return;
        }
        if (queue.questions.size() >= MOST_QUESTIONS) {
            return; // again when one is answered
        }
        queue.version = proxies.version(waypoint);
        var asked = new LinkedHashMap<String, Address>();
        for (var name : queue.names) {
            var row = held.get(name);
            if (row != null && proxies.offers(waypoint, row.wanted())) {
                row.refusing().remove(waypoint);
                asked.put(name, row.wanted());
            }
        }
        if (!asked.isEmpty()) {
            var question = new Question();
            var wait = proxies.whenServed(
                    waypoint, asked.values(), answer -> answered(waypoint, queue, question, asked, answer));
            if (!question.answered) {
                queue.questions.put(question, wait);
            }
        }
    }

    private synchronized void poll(ObjectKey waypoint) {
        var queue = queues.get(waypoint);
        if (queue != null) {
            queue.polling = false;
            attempt(waypoint, queue);
        }
    }

    private synchronized void answered(
            ObjectKey waypoint, Queue asking, Question question, Map<String, Address> asked, Answer answer) {
        question.answered = true;
        asking.questions.remove(question);
        switch (answer) {
            case SERVED -> served(waypoint, asked);
            case REFUSED ->
                asked.forEach((name, address) ->
                        find(name, address).ifPresent(row -> row.refusing().add(waypoint)));
            case LEFT -> {
                var queue = queues.get(waypoint);
                if (queue != null) {
                    queue.absentUntil = timeline.instant().plus(patience.absence());
                    attempt(waypoint, queue);
                }
            }
        }
        attemptIfNew(waypoint);
    }

    /// A waypoint that was not waited for any longer.
    private synchronized void speaks(ObjectKey waypoint) {
        if (silent.remove(waypoint)) {
            later(() -> observer.answered(Set.of(waypoint)));
        }
    }

    private void served(ObjectKey waypoint, Map<String, Address> asked) {
        speaks(waypoint);
        var ready = new ArrayList<HeldAddress>();
        asked.forEach((name, address) -> {
            find(name, address).filter(row -> row.lacking().remove(waypoint)).ifPresent(row -> {
                dequeue(waypoint, name);
                if (row.lacking().isEmpty()) {
                    ready.add(row);
                }
            });
        });
        release(ready);
    }

    /// It may have changed since it was asked for.
    private Optional<HeldAddress> find(String name, Address version) {
        return Optional.ofNullable(held.get(name)).filter(row -> row.wanted().equals(version));
    }

    private void release(List<HeldAddress> ready) {
        if (ready.isEmpty()) {
            return;
        }
        ready.forEach(row -> drop(row.wanted().resourceName()));
        nodeProxies.accept(ready.stream().map(HeldAddress::wanted).toList());
        former.begin(held.keySet());
        watch();
    }

    /// Goes on without those who do not answer. Those who refuse are another matter: they would not serve it.
    private synchronized void expire() {
        watching = false;
        var now = timeline.instant();
        var due = new ArrayList<HeldAddress>();
        var waypoints = new HashSet<ObjectKey>();
        for (var row : held.values()) {
            if (row.deadline().isAfter(now)) {
                continue;
            }
            var refusing = row.lacking().stream()
                    .filter(waypoint -> row.refusing().contains(waypoint) || !proxies.offers(waypoint, row.wanted()))
                    .toList();
            if (refusing.isEmpty()) {
                due.add(row);
                waypoints.addAll(row.lacking());
            } else {
                row.postpone(now.plus(patience.answer()));
                if (refused.add(row.wanted().resourceName())) {
                    later(() -> observer.refused(row.wanted(), Set.copyOf(refusing)));
                }
            }
        }
        if (!due.isEmpty()) {
            later(() -> observer.unanswered(waypoints, due.size()));
            release(due);
            for (var waypoint : waypoints) {
                if (silent.add(waypoint)) {
                    var _ = proxies.whenServed(waypoint, List.of(), _ -> speaks(waypoint));
                }
            }
        }
        watch();
    }

    /// Not under the lock, and not within a commit.
    private void later(Runnable task) {
        var _ = timeline.at(timeline.instant(), task);
    }
}
