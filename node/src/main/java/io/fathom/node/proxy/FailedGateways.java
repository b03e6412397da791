// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// The gateways of other networks that could not be reached lately: while there is another way, nobody else has to wait
/// for them. Forgets each after a few seconds, so that somebody tries it again; after more of them when that was in
/// vain. Safe on any thread; never larger than the number of gateways.
public final class FailedGateways {
    static final Duration REMEMBERED = Duration.ofSeconds(5);
    private static final int LONGEST = 3; // times that

    private final ConcurrentHashMap<String, Failure> failures = new ConcurrentHashMap<>();
    private final LongSupplier nanos;

    /// @param times in a row
    private record Failure(long end, int times) {}

    /// @param nanos as of [System#nanoTime]
    FailedGateways(LongSupplier nanos) {
        this.nanos = nanos;
    }

    public void failed(String uid) {
        var now = nanos.getAsLong();
        failures.compute(uid, (_, last) -> {
            if (last != null && last.end() - now > 0) {
                return last; // somebody else who tried at the same time
            }
            var times = last == null ? 1 : Math.min(LONGEST, last.times() + 1);
            return new Failure(now + times * REMEMBERED.toNanos(), times);
        });
    }

    public void worked(String uid) {
        failures.remove(uid);
    }

    /// By uid.
    public Set<String> now() {
        if (failures.isEmpty()) {
            return Set.of();
        }
        var now = nanos.getAsLong();
        failures.values().removeIf(failure -> now - failure.end() > LONGEST * REMEMBERED.toNanos());
        return failures.entrySet().stream()
                .filter(entry -> entry.getValue().end() - now > 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }
}
