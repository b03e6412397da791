// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.List;

/// All tables as they stood after one update: nothing in it is newer or older than the rest. Immutable.
public final class Cut {
    private final long number;
    private final List<PersistentMap<?, ?>> tables;

    Cut(long number, List<PersistentMap<?, ?>> tables) {
        this.number = number;
        this.tables = tables;
    }

    /// Counts the updates of the flow.
    public long number() {
        return number;
    }

    /// How many rows all tables have together. To see that nothing is left behind.
    public long rows() {
        return tables.stream().mapToLong(PersistentMap::size).sum();
    }

    @SuppressWarnings("unchecked") // the flow put the rows of that very table there
    public <K, V> PersistentMap<K, V> of(Table<K, V> table) {
        return table.order() < tables.size() ? (PersistentMap<K, V>) tables.get(table.order()) : PersistentMap.empty();
    }
}
