// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Set;

/// A table made by a [Folding].
final class Folded<K, V, S, R> extends Table<K, R> {
    private final Table<K, V> input;
    private final Folding<K, V, S, R> folding;
    private final Failures failures;
    private S state;

    Folded(String name, int order, Table<K, V> input, S initial, Folding<K, V, S, R> folding, Failures failures) {
        super(name, order);
        this.input = input;
        this.state = initial;
        this.folding = folding;
        this.failures = failures;
    }

    @Override
    void settle() {
        if (input.touched().isEmpty()) {
            return;
        }
        var changed = Set.copyOf(input.touched());
        failures.attempt(this, changed, () -> folding.fold(state, changed, input.rows(), rows()))
                .ifPresent(this::adopt);
    }

    private void adopt(Folding.Result<K, S, R> result) {
        state = result.state();
        result.rows().forEach((key, row) -> set(key, row.orElse(null)));
    }
}
