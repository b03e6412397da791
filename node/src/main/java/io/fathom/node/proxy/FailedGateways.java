// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// The gateways of other networks that could not be reached lately: while there is another way, nobody else has to wait
/// for them. Forgets each after a few seconds, so that somebody tries it again. Safe on any thread; never larger than
/// the number of gateways.
public final class FailedGateways {
    static final Duration REMEMBERED = Duration.ofSeconds(5);

    private final ConcurrentHashMap<String, Long> ends = new ConcurrentHashMap<>();
    private final LongSupplier nanos;

    /// @param nanos as of [System#nanoTime]
    FailedGateways(LongSupplier nanos) {
        this.nanos = nanos;
    }

    public void failed(String uid) {
        ends.put(uid, nanos.getAsLong() + REMEMBERED.toNanos());
    }

    /// By uid.
    public Set<String> now() {
        if (ends.isEmpty()) {
            return Set.of();
        }
        var now = nanos.getAsLong();
        ends.values().removeIf(end -> end - now <= 0);
        return ends.keySet().stream().collect(Collectors.toUnmodifiableSet());
    }
}
