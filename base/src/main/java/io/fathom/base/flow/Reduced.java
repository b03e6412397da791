// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.HashSet;
import java.util.Optional;

/// A table with one row, or none, per group of an index that has members.
final class Reduced<G, K extends Comparable<? super K>, V, R> extends Table<G, R> {
    private final Index<G, K, V> index;
    private final Reduction<G, V, Optional<R>> reduction;
    private final Dependencies<G> dependencies = new Dependencies<>(this);
    private final Failures failures;

    Reduced(String name, int order, Index<G, K, V> index, Reduction<G, V, Optional<R>> reduction, Failures failures) {
        super(name, order);
        this.index = index;
        this.reduction = reduction;
        this.failures = failures;
    }

    @Override
    void settle() {
        var stale = new HashSet<>(index.touchedGroups());
        dependencies.forEachStale(stale::add);
        for (var group : stale) {
            if (index.isEmpty(group)) {
                dependencies.forget(group);
                set(group, null);
            } else {
                failures.attempt(
                                this,
                                group,
                                () -> dependencies.track(
                                        group, fetch -> reduction.reduce(fetch, group, index.members(group))))
                        .ifPresent(row -> set(group, row.orElse(null)));
            }
        }
    }
}
