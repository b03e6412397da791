// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/// Names that are told one after the other, each when the one before has been answered. Used by one thread at a time.
final class OneByOne {
    private final SequencedSet<String> names = new LinkedHashSet<>();
    private boolean waiting;

    void add(Collection<String> more) {
        names.addAll(more);
    }

    /// The next to tell; empty while another is judged, and when all are told.
    Optional<String> next() {
        return waiting || names.isEmpty() ? Optional.empty() : Optional.of(names.removeFirst());
    }

    /// It is on its way.
    void sent() {
        waiting = true;
    }

    void answered() {
        waiting = false;
    }

    boolean isOver() {
        return names.isEmpty() && !waiting;
    }
}
