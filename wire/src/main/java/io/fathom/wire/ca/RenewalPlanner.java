// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import java.time.Duration;
import java.time.Instant;

/// When to ask for a certificate again. Pure: time and chance are arguments.
public final class RenewalPlanner {
    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(150);
    private static final double RENEWAL_SPREAD = 0.05;
    private static final double RETRY_SPREAD = 0.2;

    private RenewalPlanner() {}

    /// At half of its life, give or take a twentieth, so that pods that came together do not renew together.
    ///
    /// @param chance from 0 to 1
    public static Instant renewal(Instant notBefore, Instant notAfter, double chance) {
        var life = Duration.between(notBefore, notAfter);
        return notBefore.plusMillis((long) (life.toMillis() * (0.5 + RENEWAL_SPREAD * (2 * chance - 1))));
    }

    /// After so many failures in a row: a second at first, doubling, give or take a fifth.
    ///
    /// @param chance from 0 to 1
    public static Duration retry(int failures, double chance) {
        var doubled = FIRST_DELAY.multipliedBy(1L << Math.clamp(failures - 1L, 0, 16));
        var delay = doubled.compareTo(LONGEST_DELAY) < 0 ? doubled : LONGEST_DELAY;
        return Duration.ofMillis((long) (delay.toMillis() * (1 + RETRY_SPREAD * (2 * chance - 1))));
    }
}
