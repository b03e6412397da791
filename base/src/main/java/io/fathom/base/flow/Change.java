// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Optional;

/// What an update did to one row.
public sealed interface Change<K, V> {
    K key();

    record Added<K, V>(K key, V after) implements Change<K, V> {}

    record Updated<K, V>(K key, V before, V after) implements Change<K, V> {}

    record Removed<K, V>(K key, V before) implements Change<K, V> {}

    /// The row now, unless it was removed.
    default Optional<V> current() {
        return switch (this) {
            case Added<K, V> added -> Optional.of(added.after());
            case Updated<K, V> updated -> Optional.of(updated.after());
            case Removed<K, V> _ -> Optional.empty();
        };
    }

    /// The row as it was, unless it was added.
    default Optional<V> previous() {
        return switch (this) {
            case Added<K, V> _ -> Optional.empty();
            case Updated<K, V> updated -> Optional.of(updated.before());
            case Removed<K, V> removed -> Optional.of(removed.before());
        };
    }
}
