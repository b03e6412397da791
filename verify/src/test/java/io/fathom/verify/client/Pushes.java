// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// Names that a server sent for one type during some time.
public record Pushes(SortedSet<String> updated, SortedSet<String> removed) {
    public Pushes {
        updated = Collections.unmodifiableSortedSet(new TreeSet<>(updated));
        removed = Collections.unmodifiableSortedSet(new TreeSet<>(removed));
    }

    public SortedSet<String> all() {
        var all = new TreeSet<>(updated);
        all.addAll(removed);
        return all;
    }
}
