// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Several tables as one; where they share a key, the first table that has it wins.
final class Joined<K, V> extends Table<K, V> {
    private final List<Table<K, ? extends V>> inputs;

    Joined(String name, int order, List<? extends Table<K, ? extends V>> inputs) {
        super(name, order);
        this.inputs = List.copyOf(inputs);
    }

    @Override
    void settle() {
        var stale = new HashSet<K>();
        for (var input : inputs) {
            stale.addAll(input.touched());
        }
        for (var key : stale) {
            set(key, first(key));
        }
    }

    private @Nullable V first(K key) {
        for (var input : inputs) {
            var row = input.rows().get(key);
            if (row != null) {
                return row;
            }
        }
        return null;
    }
}
