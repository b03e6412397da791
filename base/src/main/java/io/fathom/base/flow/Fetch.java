// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.List;
import java.util.Optional;

/// Reads other tables during a derivation. Every call is tracked: when its answer may have changed, the row is derived
/// again. Only tables and indexes made before the derivation can be read.
public interface Fetch<K> {
    /// The key of the row that is derived from.
    K key();

    <K2, V> Optional<V> one(Table<K2, V> table, K2 key);

    /// The members of a group, sorted by their key.
    <G, K2 extends Comparable<? super K2>, V> List<V> all(Index<G, K2, V> index, G group);

    /// The row with the same key as the one being derived. Costs no memory to track.
    <V> Optional<V> own(Table<K, V> table);
}
