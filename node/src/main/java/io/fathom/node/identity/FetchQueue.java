// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.model.mesh.Identity;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Identities whose turn to be fetched has come, the most urgent first, and among equals the one that came first.
/// Merges by identity, so it is no longer than there are identities on the node. Pure.
final class FetchQueue {
    private record QueuedFetch(Priority priority, long number, Identity identity) {}

    private final Map<Identity, QueuedFetch> byIdentity = new HashMap<>();
    private final TreeSet<QueuedFetch> places =
            new TreeSet<>(Comparator.comparing(QueuedFetch::priority).thenComparingLong(QueuedFetch::number));
    private long made;

    /// Adds it, or raises it if it waits with less priority; it is then the last of the higher one.
    void add(Identity identity, Priority priority) {
        var old = byIdentity.get(identity);
        if (old == null || priority.compareTo(old.priority()) < 0) {
            remove(identity);
            var place = new QueuedFetch(priority, made++, identity);
            byIdentity.put(identity, place);
            places.add(place);
        }
    }

    void remove(Identity identity) {
        var old = byIdentity.remove(identity);
        if (old != null) {
            places.remove(old);
        }
    }

    Optional<Identity> take() {
        var first = places.pollFirst();
        if (first == null) {
            return Optional.empty();
        }
        byIdentity.remove(first.identity());
        return Optional.of(first.identity());
    }
}
