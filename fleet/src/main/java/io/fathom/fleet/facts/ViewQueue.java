// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.Interest.InterestScope.Listed;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.fleet.ServiceView;
import io.fathom.model.fleet.ServiceView.OriginShare;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/// What one cluster is due of the services of the others. It remembers which services are to be told again, never what
/// to say of them: that is worked out when there is room to send it, so a slow receiver costs a number for each
/// service however much changes. What is not due is what the receiver holds. Guarded like the [FactStore].
public final class ViewQueue {
    private static final int VIEWS_AT_ONCE = 2000;
    private static final int BYTES_AT_ONCE = 200_000;
    private static final int WEIGHTS_AT_ONCE = 10_000;
    private static final int WEIGHT_BITS = 20;

    private final FactStore store;
    private final IntSet due = new IntSet();
    /// Row and origin, for services of which only the numbers of one origin are different.
    private final LongSet weights = new LongSet();
    /// Rows from here on are due.
    private int sweep;
    private int sweepEnd;
    private Interest interest = Interest.ALL;
    private Preference preference;

    /// With everything due.
    ///
    /// @param preference which origins the receiver may know, and in which order it prefers them
    public ViewQueue(FactStore store, Preference preference) {
        this.store = store;
        this.preference = preference;
    }

    public Interest interest() {
        return interest;
    }

    public Preference preference() {
        return preference;
    }

    /// Everything is due.
    public void everything() {
        due.clear();
        weights.clear();
        sweep = 0;
        sweepEnd = 0;
        if (interest.scope() instanceof Listed) {
            interesting(due::add);
        } else {
            sweepEnd = store.limit();
        }
    }

    /// Goes through all services that the receiver is interested in.
    private void interesting(IntConsumer rows) {
        if (interest.scope() instanceof Listed(var paths)) {
            for (var path : paths) {
                var row = store.row(path);
                if (row >= 0) {
                    rows.accept(row);
                }
            }
            return;
        }
        for (var row = 0; row < store.limit(); row++) {
            if (store.isUsed(row) && interest.includes(store.path(row))) {
                rows.accept(row);
            }
        }
    }

    /// The receiver holds what there is.
    public void nothing() {
        due.clear();
        weights.clear();
        sweep = 0;
        sweepEnd = 0;
    }

    /// The receiver is interested in something else; everything is due but what it is to forget, as it knows that.
    public void want(Interest wanted, Preference preferred) {
        interest = wanted;
        preference = preferred;
        everything();
    }

    /// An origin comes, goes, or is somewhere else: those of its services are due that it is shown for, or was.
    public void prefer(Preference changed, int origin) {
        addShown(origin);
        preference = changed;
        addShown(origin);
    }

    private void addShown(int origin) {
        if (preference.knows(origin)) {
            interestingOf(origin, row -> {
                if (isShown(row, origin)) {
                    add(row);
                }
            });
        }
    }

    /// Whether an origin is among the best of those that have a service.
    private boolean isShown(int row, int origin) {
        var score = preference.score(origin, store.readyOf(row, origin));
        return better(row, origin, score, score).thanBest() < interest.mostOrigins();
    }

    /// All services of an origin are due.
    public void tellAgain(int origin) {
        interestingOf(origin, this::add);
    }

    private void interestingOf(int origin, IntConsumer rows) {
        if (store.count(origin) == 0) {
            return;
        }
        if (interest.scope() instanceof Listed) {
            interesting(row -> {
                if (store.has(row, origin)) {
                    rows.accept(row);
                }
            });
            return;
        }
        for (var row : store.rows(origin)) {
            if (interest.includes(store.path(row))) {
                rows.accept(row);
            }
        }
    }

    private void addIfOfInterest(int row) {
        if (interest.includes(store.path(row))) {
            add(row);
        }
    }

    /// What an origin has no more is due.
    public void tellRemoved(int origin) {
        store.removed(origin, this::addIfOfInterest);
    }

    /// What is news for a receiver that knows origins up to these versions is due.
    ///
    /// @return origins of which that cannot be said
    public List<Integer> goOn(Map<Integer, FactVersion> marks) {
        var unclear = new ArrayList<Integer>();
        var since = new long
                [1 + marks.keySet().stream().mapToInt(Integer::intValue).max().orElse(0)];
        Arrays.fill(since, Long.MAX_VALUE);
        var newer = new ArrayList<Integer>();
        marks.forEach((origin, mark) -> {
            var from = store.newsSince(origin, mark);
            if (from.isEmpty()) {
                unclear.add(origin);
            } else if (from.getAsLong() < store.version(origin).sequence()) {
                since[origin] = from.getAsLong();
                newer.add(origin);
            }
        });
        if (!newer.isEmpty()) {
            interesting(row -> {
                if (store.isNews(row, since)) {
                    add(row);
                }
            });
            newer.forEach(origin -> store.removedSince(origin, since[origin], this::addIfOfInterest));
        }
        return unclear;
    }

    /// That service is due.
    public void add(int row) {
        if (row < sweep || row >= sweepEnd) {
            due.add(row);
        }
    }

    /// A fact is different.
    ///
    /// @return whether anything is due that was not
    public boolean changed(FactChange change) {
        if (!preference.knows(change.origin()) || !interest.includes(store.path(change.row()))) {
            return false;
        }
        if ((change.row() >= sweep && change.row() < sweepEnd) || due.contains(change.row())) {
            return false;
        }
        var before = preference.score(change.origin(), change.readyBefore());
        var now = preference.score(change.origin(), change.readyNow());
        var better = better(change.row(), change.origin(), Math.min(before, now), Math.max(before, now));
        var shown = interest.mostOrigins();
        if (better.thanBest() >= shown) {
            return false; // neither then nor now
        }
        if (change.kind() == FactChange.ChangeKind.WEIGHT
                && better.thanWorst() < shown
                && store.hasOwnKey(change.row())) {
            return weights.add(((long) change.row() << WEIGHT_BITS) | change.origin());
        }
        return due.add(change.row());
    }

    /// How many other origins of a service are preferred to two ranks of one.
    private record Better(int thanWorst, int thanBest) {}

    private Better better(int row, int origin, long worst, long best) {
        var thanWorst = 0;
        var thanBest = 0;
        var width = store.width(row);
        for (var i = 0; i < width && thanBest < interest.mostOrigins(); i++) {
            var other = store.originAt(row, i);
            if (other == origin || !preference.knows(other)) {
                continue;
            }
            var score = preference.score(other, store.readyAt(row, i));
            thanWorst += score > worst ? 1 : 0;
            thanBest += score > best ? 1 : 0;
        }
        return new Better(thanWorst, thanBest);
    }

    public boolean isEmpty() {
        return sweep >= sweepEnd && due.size() == 0 && weights.size() == 0;
    }

    /// Whether only numbers of endpoints are due, which may wait for more of them.
    public boolean canWait() {
        return sweep >= sweepEnd && due.size() == 0;
    }

    /// How many services are due, at most.
    public int size() {
        return Math.max(0, sweepEnd - sweep) + due.size() + weights.size();
    }

    /// The next message; nothing when nothing is due.
    public Optional<FleetDown> next() {
        var views = new ArrayList<ServiceView>();
        var bytes = 0;
        for (var row : due.toArray()) {
            if (views.size() >= VIEWS_AT_ONCE || bytes >= BYTES_AT_ONCE) {
                break;
            }
            due.remove(row);
            bytes += addView(views, row);
        }
        while (sweep < sweepEnd && views.size() < VIEWS_AT_ONCE && bytes < BYTES_AT_ONCE) {
            bytes += addView(views, sweep++);
        }
        if (!views.isEmpty()) {
            return Optional.of(new FleetDown.Views(views));
        }
        return weights.size() == 0 ? Optional.empty() : weights();
    }

    private Optional<FleetDown> weights() {
        var told = new ArrayList<FleetDown.ViewWeight>();
        for (var pair : weights.toArray()) {
            if (told.size() >= WEIGHTS_AT_ONCE) {
                break;
            }
            weights.remove(pair);
            var row = (int) (pair >> WEIGHT_BITS);
            var origin = (int) (pair & ((1 << WEIGHT_BITS) - 1));
            if (!store.isUsed(row) || !store.hasOwnKey(row)) {
                continue;
            }
            for (var index : best(row)) {
                if (store.originAt(row, index) == origin) {
                    told.add(new FleetDown.ViewWeight(
                            ServiceFact.key(store.path(row)), origin, store.spreadAt(row, index)));
                }
            }
        }
        return told.isEmpty() ? Optional.empty() : Optional.of(new FleetDown.Weights(told));
    }

    private int addView(List<ServiceView> views, int row) {
        if (!store.isUsed(row) || !interest.includes(store.path(row))) {
            return 0;
        }
        var path = store.path(row);
        var slash = path.indexOf('/');
        var backends = new ArrayList<OriginShare>();
        for (var index : best(row)) {
            backends.add(
                    new OriginShare(store.originAt(row, index), store.bodyAt(row, index), store.spreadAt(row, index)));
        }
        var folded = known(row) - backends.size();
        views.add(new ServiceView(path.substring(0, slash), path.substring(slash + 1), backends, folded));
        return path.length() + 16 + 24 * backends.size();
    }

    private int known(int row) {
        var known = 0;
        for (var i = 0; i < store.width(row); i++) {
            known += preference.knows(store.originAt(row, i)) ? 1 : 0;
        }
        return known;
    }

    /// Where in a row the preferred origins are.
    private int[] best(int row) {
        var most = interest.mostOrigins();
        var width = store.width(row);
        var indexes = new int[Math.min(most, width)];
        var scores = new long[indexes.length];
        var found = 0;
        for (var i = 0; i < width; i++) {
            var origin = store.originAt(row, i);
            if (!preference.knows(origin)) {
                continue;
            }
            var score = preference.score(origin, store.readyAt(row, i));
            if (found == indexes.length && score < scores[found - 1]) {
                continue;
            }
            var place = found == indexes.length ? found - 1 : found++;
            while (place > 0 && scores[place - 1] < score) {
                scores[place] = scores[place - 1];
                indexes[place] = indexes[place - 1];
                place--;
            }
            scores[place] = score;
            indexes[place] = i;
        }
        return found == indexes.length ? indexes : Arrays.copyOf(indexes, found);
    }

    /// What the receiver holds when nothing is due: a sum for each of these origins.
    public List<OriginDigest> digests(Collection<Integer> origins) {
        Map<Integer, OriginDigest> sums = new TreeMap<>();
        new TreeSet<>(origins).forEach(origin -> sums.put(origin, OriginDigest.none(origin)));
        interesting(row -> {
            for (var index : best(row)) {
                var hash = store.hashAt(row, index);
                sums.computeIfPresent(store.originAt(row, index), (_, sum) -> sum.plus(hash));
            }
        });
        return List.copyOf(sums.values());
    }
}
