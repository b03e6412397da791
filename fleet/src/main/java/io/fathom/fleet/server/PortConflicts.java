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

    Optional<ConflictChange> check(int row) {
        var before = Optional.ofNullable(known.get(row));
        var now = find(row);
        if (before.equals(now)) {
            return Optional.empty();
        }
        now.ifPresentOrElse(found -> known.put(row, found), () -> known.remove(row));
        return Optional.of(new ConflictChange(before, now));
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
