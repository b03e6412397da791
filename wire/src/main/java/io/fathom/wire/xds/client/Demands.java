// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The keys asked for on demand, and who waits for them. Merges by key: any number may wait for one, and all of
/// them are woken. A key that was answered once is followed by the server and not waited for again, until it is
/// forgotten. For one thread.
final class Demands {
    /// Hears that the mesh holds all there is to know about a key.
    interface Waiter {
        void answered();
    }

    private static final class Demand {
        boolean answered;
        Instant used;
        final List<Waiter> waiters = new ArrayList<>();

        Demand(Instant used) {
            this.used = used;
        }
    }

    private final Map<String, Demand> byKey = new HashMap<>();

    /// Whether the key was not asked for before; the waiter is called at once when it was answered.
    boolean add(String key, Waiter waiter, Instant now) {
        var known = byKey.get(key);
        if (known == null) {
            known = new Demand(now);
            byKey.put(key, known);
            known.waiters.add(waiter);
            return true;
        }
        known.used = now;
        if (known.answered) {
            waiter.answered();
        } else {
            known.waiters.add(waiter);
        }
        return false;
    }

    void abandon(String key, Waiter waiter) {
        var known = byKey.get(key);
        if (known != null) {
            known.waiters.remove(waiter);
        }
    }

    /// The keys that nobody waits for and nobody has asked for since then.
    Set<String> idleSince(Instant then) {
        return byKey.entrySet().stream()
                .filter(entry -> entry.getValue().waiters.isEmpty()
                        && !entry.getValue().used.isAfter(then))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    void forget(Set<String> keys) {
        byKey.keySet().removeAll(keys);
    }

    boolean isWanted(String name) {
        return byKey.containsKey(name);
    }

    void answer(Set<String> names) {
        for (var name : names) {
            var known = byKey.get(name);
            if (known != null) {
                known.answered = true;
                var woken = List.copyOf(known.waiters);
                known.waiters.clear();
                woken.forEach(Waiter::answered);
            }
        }
    }

    Set<String> keys() {
        return Set.copyOf(byKey.keySet());
    }

    void forEachKey(Consumer<String> action) {
        byKey.keySet().forEach(action);
    }
}
