package io.fathom.base.flow;

import java.util.List;

/// One finished update, for subscribers. Valid only while the subscriber runs; its cut may be kept.
public final class Commit {
    private final Cut cut;

    Commit(Cut cut) {
        this.cut = cut;
    }

    public Cut cut() {
        return cut;
    }

    /// What the update changed in that table, in no particular order.
    public <K, V> List<Change<K, V>> changes(Table<K, V> table) {
        return table.changes();
    }
}
