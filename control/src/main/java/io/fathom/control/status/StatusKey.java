package io.fathom.control.status;

import java.util.Arrays;
import java.util.Optional;

/// An object whose status is written.
record StatusKey<K extends WrittenKind>(K kind, String namespace, String name) {
    /// From `Kind/namespace/name`; empty for kinds that are none of these.
    static <K extends WrittenKind> Optional<StatusKey<K>> parse(K[] kinds, String row) {
        var parts = row.split("/", 3);
        return parts.length < 3
                ? Optional.empty()
                : Arrays.stream(kinds)
                        .filter(kind -> kind.text().equals(parts[0]))
                        .findFirst()
                        .map(kind -> new StatusKey<>(kind, parts[1], parts[2]));
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
