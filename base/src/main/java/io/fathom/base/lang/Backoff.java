// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait before the next attempt: doubling, and each time somewhere between half and all of it, so that
/// the clients of a server that restarts do not come back as one. For one thread.
public final class Backoff {
    private final Duration first;
    private final Duration longest;
    private final RandomGenerator random;
    private Duration next;

    public Backoff(Duration first, Duration longest, RandomGenerator random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.next = first;
    }

    public Duration next() {
        var whole = next.toNanos();
        next = next.multipliedBy(2).compareTo(longest) < 0 ? next.multipliedBy(2) : longest;
        return Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
    }

    public void reset() {
        next = first;
    }
}
