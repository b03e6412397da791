// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A graph of tables in which only what a change concerns is computed again.
///
/// Writers take turns: an update runs on the caller's thread, settles every table once in the order they were made,
/// publishes one [Cut] of all of them and then calls the subscribers. So nothing is ever queued here, and a table never
/// shows what another does not know yet. Equal results are no change. Cuts can be read from any thread at any time.
public final class Flow {
    private static final Logger log = LoggerFactory.getLogger(Flow.class);

    /// Fair: whoever brings much in small steps lets others in between.
    private final ReentrantLock writer = new ReentrantLock(true);
    private final List<Stage> stages = new ArrayList<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final LongAdder subscriberFailures = new LongAdder();
    private final LongAdder derivations = new LongAdder();
    private final Failures failures;
    private volatile Cut cut = new Cut(0, List.of());

    /// A flow in which a failing derivation keeps its row and is logged; likewise a subscriber that fails.
    public Flow() {
        this(new Failures() {
            @Override
            public void report(String table, Object key, RuntimeException bug) {
                log.atError()
                        .addKeyValue("table", table)
                        .addKeyValue("key", key)
                        .setCause(bug)
                        .log("derivation failed, the last good row stays");
            }

            @Override
            public void reportSubscriber(String subscriber, RuntimeException bug) {
                log.atError()
                        .addKeyValue("subscriber", subscriber)
                        .setCause(bug)
                        .log("subscriber failed, it is told again");
            }
        });
    }

    public Flow(Failures failures) {
        this.failures = new Counted(failures);
    }

    /// Counts what is derived on the way.
    private final class Counted implements Failures {
        private final Failures inner;

        private Counted(Failures inner) {
            this.inner = inner;
        }

        @Override
        public void report(String table, Object key, RuntimeException bug) {
            inner.report(table, key, bug);
        }

        @Override
        public void reportSubscriber(String subscriber, RuntimeException bug) {
            inner.reportSubscriber(subscriber, bug);
        }

        @Override
        public <R> Optional<R> attempt(Stage table, Object key, Supplier<R> derivation) {
            derivations.increment();
            return inner.attempt(table, key, derivation);
        }
    }

    public <K, V> Source<K, V> source(String name) {
        return add(new Source<>(name, stages.size()));
    }

    /// One row, or none, per row of the input, under the same key.
    public <K, V, R> Table<K, R> derive(String name, Table<K, V> input, Derivation<K, V, Optional<R>> derivation) {
        return add(new Derived<>(name, stages.size(), input, derivation, failures));
    }

    /// Any number of rows per row of the input, under keys of their own. When two inputs make the same key, the one
    /// with the smaller key wins.
    public <K extends Comparable<? super K>, V, K2, R> Table<K2, R> deriveMany(
            String name, Table<K, V> input, Derivation<K, V, Map<K2, R>> derivation) {
        return add(new ManyDerived<>(name, stages.size(), input, derivation, failures));
    }

    /// The same rows under other keys, which must differ from row to row. Costs less than [#deriveMany].
    public <K, V, K2> Table<K2, V> rekey(String name, Table<K, V> input, BiFunction<K, V, K2> naming) {
        return add(new Rekeyed<>(name, stages.size(), input, naming));
    }

    /// Groups the rows of a table; a row may be in several groups.
    public <G, K extends Comparable<? super K>, V> Index<G, K, V> index(
            String name, Table<K, V> input, Function<V, Set<G>> groups) {
        return add(new Index<>(name, stages.size(), input, groups));
    }

    /// One row, or none, per group that has members.
    public <G, K extends Comparable<? super K>, V, R> Table<G, R> reduce(
            String name, Index<G, K, V> index, Reduction<G, V, Optional<R>> reduction) {
        return add(new Reduced<>(name, stages.size(), index, reduction, failures));
    }

    /// All rows of several tables; where they share a key, the first table that has it wins.
    public <K, V> Table<K, V> join(String name, List<? extends Table<K, ? extends V>> tables) {
        return add(new Joined<>(name, stages.size(), tables));
    }

    /// Files objects by their labels, for one or more selections.
    public <S, K, V> LabelIndex<S, K, V> labels(String name, Table<K, V> objects, Function<V, Labels<S>> labels) {
        return add(new LabelIndex<>(name, stages.size(), objects, labels));
    }

    /// For each object the selectors that select it, sorted by their key; no row when there are none.
    public <S, K, V, SK extends Comparable<? super SK>, SV> Table<K, List<SV>> select(
            String name,
            LabelIndex<S, K, V> objects,
            Table<SK, SV> selectors,
            Function<SV, Optional<Selector<S>>> selector) {
        return add(new Selection<>(name, stages.size(), objects, selectors, selector));
    }

    /// The same, with an index of its own.
    public <S, K, V, SK extends Comparable<? super SK>, SV> Table<K, List<SV>> select(
            String name,
            Table<K, V> objects,
            Function<V, Labels<S>> labels,
            Table<SK, SV> selectors,
            Function<SV, Optional<Selector<S>>> selector) {
        return select(name, labels(name + "/labels", objects, labels), selectors, selector);
    }

    /// A table that remembers; see [Folding].
    public <K, V, S, R> Table<K, R> fold(String name, Table<K, V> input, S initial, Folding<K, V, S, R> folding) {
        return add(new Folded<>(name, stages.size(), input, initial, folding, failures));
    }

    /// Applies changes to sources; all of them and all that follows from them become visible at once.
    public void update(Consumer<Update> changes) {
        writer.lock();
        try {
            collect(changes);
            stages.forEach(Stage::settle);
            var tables = new ArrayList<PersistentMap<?, ?>>(stages.size());
            for (var stage : stages) {
                tables.add(stage instanceof Table<?, ?> table ? table.rows() : PersistentMap.empty());
            }
            var before = cut;
            cut = new Cut(before.number() + 1, List.copyOf(tables));
            tellSubscribers(before);
        } finally {
            stages.forEach(Stage::endUpdate);
            writer.unlock();
        }
    }

    /// One that fails costs only itself. It is told again when the others are done, and from then on with each update,
    /// until it has taken all that it missed.
    private void tellSubscribers(Cut before) {
        var bugs = new LinkedHashMap<Subscription, RuntimeException>();
        subscriptions.forEach(subscription -> tell(subscription, before, bugs));
        List.copyOf(bugs.keySet()).forEach(subscription -> tell(subscription, before, bugs));
        bugs.forEach((subscription, bug) -> failures.reportSubscriber(subscription.name(), bug));
    }

    private void tell(Subscription subscription, Cut before, Map<Subscription, RuntimeException> bugs) {
        subscription.tell(before, cut).ifPresent(bug -> {
            subscriberFailures.increment();
            bugs.put(subscription, bug);
        });
    }

    /// Either all changes count or, when their maker fails, none.
    private void collect(Consumer<Update> changes) {
        try {
            changes.accept(new Update());
        } catch (RuntimeException e) {
            for (var stage : stages) {
                if (stage instanceof Source<?, ?> source) {
                    source.rollBack();
                }
            }
            throw e;
        }
    }

    /// The state after the last update.
    public Cut cut() {
        return cut;
    }

    /// Calls the subscriber after each update, on the writer's thread, until closed.
    ///
    /// One that throws is reported and told again; its [Commit] then has all that it missed. Others do not notice.
    public AutoCloseable subscribe(Consumer<Commit> subscriber) {
        var subscription = new Subscription(subscriber);
        subscriptions.add(subscription);
        return () -> subscriptions.remove(subscription);
    }

    /// How many rows have been computed: what a change costs here.
    public long derivations() {
        return derivations.sum();
    }

    /// How often a subscriber has failed.
    public long subscriberFailures() {
        return subscriberFailures.sum();
    }

    private <T extends Stage> T add(T stage) {
        writer.lock();
        try {
            stages.add(stage);
            return stage;
        } finally {
            writer.unlock();
        }
    }
}
