// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.HashSet;
import java.util.Optional;

/// A table with one row, or none, per row of its input.
final class Derived<K, V, R> extends Table<K, R> {
    private final Table<K, V> input;
    private final Derivation<K, V, Optional<R>> derivation;
    private final Dependencies<K> dependencies = new Dependencies<>(this);
    private final Failures failures;

    Derived(String name, int order, Table<K, V> input, Derivation<K, V, Optional<R>> derivation, Failures failures) {
        super(name, order);
        this.input = input;
        this.derivation = derivation;
        this.failures = failures;
    }

    @Override
    void settle() {
        var stale = new HashSet<>(input.touched());
        dependencies.forEachStale(stale::add);
        for (var key : stale) {
            var value = input.rows().get(key);
            if (value == null) {
                dependencies.forget(key);
                set(key, null);
            } else {
                failures.attempt(this, key, () -> dependencies.track(key, fetch -> derivation.derive(fetch, value)))
                        .ifPresent(row -> set(key, row.orElse(null)));
            }
        }
    }
}
