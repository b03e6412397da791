// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.facts.FactStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Which services clusters export with different ports. The oldest export is the one that counts. Guarded by its
/// [ServiceDirectory].
final class PortConflicts {
    /// @param winner that exported it first
    /// @param others that disagree with it
    record Disagreement(int winner, Set<Integer> others) {
        Disagreement {
            others = Set.copyOf(others);
        }
    }

    private final FactStore store;
    private final Map<Integer, Disagreement> known = new HashMap<>();

    PortConflicts(FactStore store) {
        this.store = store;
    }

    Map<Integer, Disagreement> known() {
        return known;
    }

    /// What has changed about a service, if anything: whoever is in the one before or the one now should hear of it.
    record ConflictChange(Optional<Disagreement> before, Optional<Disagreement> now) {}

    /// @param origin that says something else of it
    Optional<ConflictChange> check(int row, int origin) {
        var before = Optional.ofNullable(known.get(row));
        if (before.isEmpty()
                && (!store.has(row, origin) || store.portsOf(row, origin) == anotherOnesPorts(row, origin))) {
            return Optional.empty(); // the others agree, and it agrees with one of them
        }
        var now = find(row);
        if (before.equals(now)) {
            return Optional.empty();
        }
        now.ifPresentOrElse(found -> known.put(row, found), () -> known.remove(row));
        return Optional.of(new ConflictChange(before, now));
    }

    /// Of whichever other origin, or its own if there is none.
    private int anotherOnesPorts(int row, int origin) {
        var first = store.originAt(row, 0) == origin && store.width(row) > 1 ? 1 : 0;
        return store.portsAt(row, first);
    }

    private Optional<Disagreement> find(int row) {
        var width = store.width(row);
        var oldest = -1;
        var same = true;
        for (var i = 0; i < width; i++) {
            same &= store.portsAt(row, i) == store.portsAt(row, 0);
            if (oldest < 0
                    || store.exportedAt(row, i) < store.exportedAt(row, oldest)
                    || (store.exportedAt(row, i) == store.exportedAt(row, oldest)
                            && store.originAt(row, i) < store.originAt(row, oldest))) {
                oldest = i;
            }
        }
        if (width < 2 || same) {
            return Optional.empty();
        }
        var others = new TreeSet<Integer>();
        for (var i = 0; i < width; i++) {
            if (store.portsAt(row, i) != store.portsAt(row, oldest)) {
                others.add(store.originAt(row, i));
            }
        }
        return Optional.of(new Disagreement(store.originAt(row, oldest), others));
    }
}
