package io.fathom.node.inpod;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait before dialling again: 20 ms, then twice as long each time up to 15 s, less a random part of up to
/// a half so that not all nodes come at once. For one thread.
final class Redial {
    private static final Duration FIRST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    private final RandomGenerator random;
    private Duration next = FIRST;

    Redial(RandomGenerator random) {
        this.random = random;
    }

    Duration delay() {
        var full = next.toNanos();
        next = next.multipliedBy(2).compareTo(LONGEST) < 0 ? next.multipliedBy(2) : LONGEST;
        return Duration.ofNanos(full - random.nextLong(full / 2 + 1));
    }

    void succeeded() {
        next = FIRST;
    }
}
