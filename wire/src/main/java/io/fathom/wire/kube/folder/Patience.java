// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// Decides when a file that lost objects or broke is believed: editors delete, truncate and rewrite while they save.
///
/// A file is believed once it stayed the same for the grace time, or never stood still for twenty times as long. Times
/// are those of [System#nanoTime()].
final class Patience {
    private static final int MOST_GRACES = 20;

    private record Wait(long first, long since, long fingerprint) {}

    private final long grace;
    private final Map<String, Wait> waits = new HashMap<>();

    Patience(Duration grace) {
        this.grace = grace.toNanos();
    }

    boolean shallWait(String file, long fingerprint, long now) {
        var wait = waits.get(file);
        if (wait == null) {
            waits.put(file, new Wait(now, now, fingerprint));
            return grace > 0;
        }
        if (now - wait.first() >= MOST_GRACES * grace) {
            return false;
        }
        if (wait.fingerprint() != fingerprint) {
            waits.put(file, new Wait(wait.first(), now, fingerprint));
            return true;
        }
        return now - wait.since() < grace;
    }

    void forget(String file) {
        waits.remove(file);
    }

    /// Files to look at again by now.
    List<String> due(long now) {
        return waits.entrySet().stream()
                .filter(entry -> now - entry.getValue().since() >= grace)
                .map(Map.Entry::getKey)
                .toList();
    }

    /// How long until the next file is due.
    OptionalLong nanosToNext(long now) {
        return waits.values().stream()
                .mapToLong(wait -> Math.max(0, wait.since() + grace - now))
                .min();
    }
}
