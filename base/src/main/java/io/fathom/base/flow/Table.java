// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A keyed set of rows at one point of the graph. Made by a [Flow]; read through a [Fetch], a [Cut] or a [Commit].
///
/// Everything but the name is touched only by the flow's writer.
public abstract sealed class Table<K, V> extends Stage
        permits Source, Derived, ManyDerived, Rekeyed, Reduced, Joined, Selection, Folded {
    private PersistentMap<K, V> rows = PersistentMap.empty();
    /// The rows that this update touched, as they were before it.
    private Map<K, Touched<V>> touched = new HashMap<>();

    private record Touched<V>(@Nullable V before) {}

    Table(String name, int order) {
        super(name, order);
    }

    final PersistentMap<K, V> rows() {
        return rows;
    }

    /// Sets or, with null, removes a row. An equal row is no change.
    final void set(K key, @Nullable V value) {
        var old = rows.get(key);
        if (Objects.equals(old, value)) {
            return;
        }
        touched.putIfAbsent(key, new Touched<>(old));
        rows = value == null ? rows.without(key) : rows.with(key, value);
    }

    /// The keys whose rows may differ from before this update.
    final Set<K> touched() {
        return touched.keySet();
    }

    final @Nullable V before(K key) {
        var row = touched.get(key);
        return row == null ? rows.get(key) : row.before();
    }

    final List<Change<K, V>> changes() {
        var changes = new ArrayList<Change<K, V>>(touched.size());
        touched.forEach((key, row) -> {
            var before = row.before();
            var after = rows.get(key);
            if (before == null && after != null) {
                changes.add(new Change.Added<>(key, after));
            } else if (before != null && after == null) {
                changes.add(new Change.Removed<>(key, before));
            } else if (before != null && after != null && !before.equals(after)) {
                changes.add(new Change.Updated<>(key, before, after));
            }
        });
        return changes;
    }

    /// Undoes what this update changed.
    final void rollBack() {
        touched.forEach((key, row) -> rows = row.before() == null ? rows.without(key) : rows.with(key, row.before()));
    }

    @Override
    void endUpdate() {
        if (!touched.isEmpty()) {
            touched = new HashMap<>(); // cleared, one that held everything once would cost its size in every update
        }
    }
}
