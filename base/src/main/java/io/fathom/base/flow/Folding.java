// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A derivation that remembers, for things such as allocation. Must be a pure function of its arguments.
@FunctionalInterface
public interface Folding<K, V, S, R> {
    /// What to remember, and the rows to set (or, when empty, to remove).
    record Result<K, S, R>(S state, Map<K, Optional<R>> rows) {}

    /// Called with the keys of inputs that changed, all inputs as they are now, and the rows made so far.
    Result<K, S, R> fold(S state, Set<K> changed, PersistentMap<K, V> inputs, PersistentMap<K, R> rows);
}
