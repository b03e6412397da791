package io.fathom.control.status;

import java.util.Optional;

/// An object whose status is written.
record StatusKey(StatusKind kind, String namespace, String name) {
    /// From `Kind/namespace/name`; empty for kinds that are none of ours.
    static Optional<StatusKey> parse(String row) {
        var parts = row.split("/", 3);
        return parts.length < 3
                ? Optional.empty()
                : StatusKind.of(parts[0]).map(kind -> new StatusKey(kind, parts[1], parts[2]));
    }

    /// The key of its row.
    String row() {
        return kind.text() + "/" + namespace + "/" + name;
    }

    @Override
    public String toString() {
        return row();
    }
}
