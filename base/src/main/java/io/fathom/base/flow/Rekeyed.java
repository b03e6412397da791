// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.function.BiFunction;

/// The rows of another table under other names. Remembers nothing per row but the row.
final class Rekeyed<K, V, K2> extends Table<K2, V> {
    private final Table<K, V> input;
    private final BiFunction<K, V, K2> naming;

    Rekeyed(String name, int order, Table<K, V> input, BiFunction<K, V, K2> naming) {
        super(name, order);
        this.input = input;
        this.naming = naming;
    }

    @Override
    void settle() {
        // First all that leave, then all that come: a name may pass from one row to another.
        for (var key : input.touched()) {
            var before = input.before(key);
            var after = input.rows().get(key);
            if (before != null) {
                var old = naming.apply(key, before);
                if (after == null || !old.equals(naming.apply(key, after))) {
                    set(old, null);
                }
            }
        }
        for (var key : input.touched()) {
            var after = input.rows().get(key);
            if (after != null) {
                set(naming.apply(key, after), after);
            }
        }
    }
}
