// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One finished update, for subscribers. Valid only while the subscriber runs; its cut may be kept.
public final class Commit {
    private final Cut cut;
    /// The last cut that the subscriber took, if it missed some since.
    private final Optional<Cut> taken;

    private Commit(Cut cut, Optional<Cut> taken) {
        this.cut = cut;
        this.taken = taken;
    }

    /// For those who have seen all updates but this one.
    static Commit of(Cut cut) {
        return new Commit(cut, Optional.empty());
    }

    /// For those who missed some: all that changed since the cut they took last.
    static Commit since(Cut taken, Cut cut) {
        return new Commit(cut, Optional.of(taken));
    }

    public Cut cut() {
        return cut;
    }

    /// What the update changed in that table, in no particular order.
    public <K, V> List<Change<K, V>> changes(Table<K, V> table) {
        return taken.map(old -> difference(old.of(table), cut.of(table))).orElseGet(table::changes);
    }

    /// Compares all rows: only after a failure.
    private static <K, V> List<Change<K, V>> difference(PersistentMap<K, V> before, PersistentMap<K, V> after) {
        var changes = new ArrayList<Change<K, V>>();
        after.forEach((key, row) -> {
            var old = before.get(key);
            if (old == null) {
                changes.add(new Change.Added<>(key, row));
            } else if (!old.equals(row)) {
                changes.add(new Change.Updated<>(key, old, row));
            }
        });
        before.forEach((key, old) -> {
            if (!after.containsKey(key)) {
                changes.add(new Change.Removed<>(key, old));
            }
        });
        return changes;
    }
}
