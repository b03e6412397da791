// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.util.concurrent.atomic.AtomicLongArray;

/// Counts durations by their length, 10 microseconds to a slot. Any thread may add; reading while others add is
/// approximate.
final class Latencies {
    private static final int SLOT_NANOS = 10_000;
    private static final int SLOTS = 100_000; // up to a second; what takes longer counts as that

    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    void add(long nanos) {
        var slot = Math.clamp(nanos / SLOT_NANOS, 0, SLOTS - 1);
        slots.incrementAndGet(slot);
    }

    long count() {
        var sum = 0L;
        for (var i = 0; i < SLOTS; i++) {
            sum += slots.get(i);
        }
        return sum;
    }

    /// The duration that the given share of all did not exceed, in milliseconds.
    double millisAt(double share) {
        var wanted = Math.max(1, Math.ceil(count() * share));
        var seen = 0L;
        for (var i = 0; i < SLOTS; i++) {
            seen += slots.get(i);
            if (seen >= wanted) {
                return (i + 1) * (SLOT_NANOS / 1e6);
            }
        }
        return Double.NaN;
    }
}
