// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/// What each row of one derived table has read, and from there back: which rows must be derived again.
/// Memory follows the number of reads; equal reads of many rows share one entry. Used by the flow's writer only.
final class Dependencies<K> {
    /// One thing that was read: a key of a table or a group of an index.
    private static final class Read<K> {
        final Map<Object, Read<K>> home;
        final Object key;
        final CompactSet<K> readers = new CompactSet<>();

        Read(Map<Object, Read<K>> home, Object key) {
            this.home = home;
            this.key = key;
        }
    }

    private final Stage owner;
    /// By stage and key: what was read.
    private final Map<Stage, Map<Object, Read<K>>> reads = new HashMap<>();
    /// By reader: its reads, without duplicates.
    private final Map<K, Read<K>[]> byReader = new HashMap<>();
    /// Tables read by the reader's own key.
    private final Set<Table<K, ?>> sameKey = new LinkedHashSet<>();

    Dependencies(Stage owner) {
        this.owner = owner;
    }

    /// Runs a derivation for `reader` and remembers what it read.
    <R> R track(K reader, Function<Fetch<K>, R> derivation) {
        var fetch = new Tracked(reader);
        var result = derivation.apply(fetch);
        replace(reader, fetch.seen);
        return result;
    }

    void forget(K reader) {
        replace(reader, List.of());
    }

    /// Names every reader of something that this update changed.
    void forEachStale(Consumer<? super K> action) {
        for (var table : sameKey) {
            table.touched().forEach(action);
        }
        reads.forEach((stage, keys) -> {
            var changed = switch (stage) {
                case Table<?, ?> table -> table.touched();
                case Index<?, ?, ?> index -> index.touchedGroups();
                case LabelIndex<?, ?, ?> _ -> Set.of();
            };
            for (var key : changed) {
                var read = keys.get(key);
                if (read != null) {
                    read.readers.toList().forEach(action);
                }
            }
        });
    }

    private void replace(K reader, List<Read<K>> seen) {
        var old = byReader.get(reader);
        if (old == null ? seen.isEmpty() : seen.equals(Arrays.asList(old))) {
            return;
        }
        if (old != null) {
            for (var read : old) {
                if (!seen.contains(read)) {
                    read.readers.remove(reader);
                    if (read.readers.isEmpty()) {
                        read.home.remove(read.key);
                    }
                }
            }
        }
        if (seen.isEmpty()) {
            byReader.remove(reader);
            return;
        }
        for (var read : seen) {
            read.home.putIfAbsent(read.key, read);
            read.readers.add(reader);
        }
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of exactly these
        var array = (Read<K>[]) seen.toArray(new Read[0]);
        byReader.put(reader, array);
    }

    private final class Tracked implements Fetch<K> {
        private final K reader;
        private final List<Read<K>> seen = new ArrayList<>();

        Tracked(K reader) {
            this.reader = reader;
        }

        @Override
        public <K2, V> Optional<V> one(Table<K2, V> table, K2 key) {
            note(table, key);
            return table.rows().find(key);
        }

        @Override
        public <G, K2 extends Comparable<? super K2>, V> List<V> all(Index<G, K2, V> index, G group) {
            note(index, group);
            return index.members(group);
        }

        @Override
        public K key() {
            return reader;
        }

        @Override
        public <V> Optional<V> own(Table<K, V> table) {
            requireEarlier(table);
            sameKey.add(table);
            return table.rows().find(reader);
        }

        private void note(Stage stage, Object key) {
            requireEarlier(stage);
            var home = reads.computeIfAbsent(stage, _ -> new HashMap<>());
            var read = home.computeIfAbsent(key, _ -> new Read<>(home, key));
            if (!seen.contains(read)) {
                seen.add(read);
            }
        }

        private void requireEarlier(Stage stage) {
            if (stage.order() >= owner.order()) {
                throw new IllegalArgumentException(owner + " reads " + stage + ", which settles only after it");
            }
        }
    }
}
