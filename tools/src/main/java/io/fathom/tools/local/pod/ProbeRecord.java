// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import io.fathom.tools.local.folder.Probe;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/// When a probe is due, and what its answers so far come to. One thread only.
final class ProbeRecord {
    private static final Duration HURRY = Duration.ofMillis(100);

    private final Optional<Probe> probe;
    private long next;
    private int failures;

    ProbeRecord(Optional<Probe> probe) {
        this.probe = probe;
        this.next = System.nanoTime()
                + probe.map(Probe::delay).orElse(Duration.ZERO).toNanos();
    }

    boolean isDue() {
        return probe.isPresent() && System.nanoTime() - next >= 0;
    }

    long nanosToNext() {
        return probe.isEmpty() ? Long.MAX_VALUE : next - System.nanoTime();
    }

    /// Tries. One success is enough; a good state ends after as many failures as the probe says.
    boolean note(Predicate<Probe> attempt, boolean before) {
        var asked = probe.orElseThrow();
        if (attempt.test(asked)) {
            failures = 0;
            next = System.nanoTime() + asked.period().toNanos();
            return true;
        }
        failures++;
        var pause = before ? asked.period() : HURRY; // what is about to become ready is looked at more often
        next = System.nanoTime() + pause.toNanos();
        return before && failures < asked.failures();
    }
}
