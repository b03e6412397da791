// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// A table with any number of rows per row of its input. When several inputs make the same key, the one with the
/// smallest key wins, whatever came first.
final class ManyDerived<K extends Comparable<? super K>, V, K2, R> extends Table<K2, R> {
    private final Table<K, V> input;
    private final Derivation<K, V, Map<K2, R>> derivation;
    private final Dependencies<K> dependencies = new Dependencies<>(this);
    private final Failures failures;
    private final Map<K, Map<K2, R>> made = new HashMap<>();
    /// Only keys that more than one input makes.
    private final Map<K2, TreeSet<K>> contested = new HashMap<>();
    private final Map<K2, K> makers = new HashMap<>();

    ManyDerived(String name, int order, Table<K, V> input, Derivation<K, V, Map<K2, R>> derivation, Failures failures) {
        super(name, order);
        this.input = input;
        this.derivation = derivation;
        this.failures = failures;
    }

    @Override
    void settle() {
        var stale = new HashSet<>(input.touched());
        dependencies.forEachStale(stale::add);
        var affected = new HashSet<K2>();
        for (var key : stale) {
            var value = input.rows().get(key);
            if (value == null) {
                dependencies.forget(key);
                replace(key, Map.of(), affected);
            } else {
                failures.attempt(this, key, () -> dependencies.track(key, fetch -> derivation.derive(fetch, value)))
                        .ifPresent(rows -> replace(key, rows, affected));
            }
        }
        for (var key : affected) {
            var maker = makers.get(key);
            set(key, maker == null ? null : made.getOrDefault(maker, Map.of()).get(key));
        }
    }

    private void replace(K maker, Map<K2, R> rows, Set<K2> affected) {
        var old = rows.isEmpty() ? made.remove(maker) : made.put(maker, rows);
        if (old != null) {
            affected.addAll(old.keySet());
            for (var key : old.keySet()) {
                if (!rows.containsKey(key)) {
                    withdraw(key, maker);
                }
            }
        }
        affected.addAll(rows.keySet());
        for (var key : rows.keySet()) {
            claim(key, maker);
        }
    }

    private void claim(K2 key, K maker) {
        var current = makers.putIfAbsent(key, maker);
        if (current == null || current.equals(maker)) {
            return;
        }
        var rivals = contested.computeIfAbsent(key, _ -> new TreeSet<>(Set.of(current)));
        rivals.add(maker);
        makers.put(key, rivals.first());
    }

    private void withdraw(K2 key, K maker) {
        var rivals = contested.get(key);
        if (rivals == null) {
            makers.remove(key);
            return;
        }
        rivals.remove(maker);
        makers.put(key, rivals.first());
        if (rivals.size() == 1) {
            contested.remove(key);
        }
    }
}
