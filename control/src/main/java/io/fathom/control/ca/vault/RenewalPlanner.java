// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.time.Duration;
import java.time.Instant;

/// Decides when something is due. Pure: time and chance (0 up to but without 1) are arguments.
record RenewalPlanner(RenewalPolicy policy) {
    /// When to ask for the successor of a certificate or token that was taken over at `taken`.
    Instant renewal(Instant taken, Instant notAfter, double chance) {
        var wait = share(Duration.between(taken, notAfter), policy.renewAfter() - policy.jitter() * chance);
        return taken.plus(longer(wait, policy.retryMin())); // never a busy loop, however short the lifetime
    }

    /// How long to wait after the n-th failure in a row. As the end comes nearer there are still some attempts left.
    Duration retry(int failures, Duration left, double chance) {
        var doublings = Math.clamp(failures - 1L, 0, 30);
        var wait = shorter(policy.retryMin().multipliedBy(1L << doublings), policy.retryMax());
        if (left.isPositive()) {
            wait = longer(shorter(wait, left.dividedBy(4)), policy.retryMin());
        }
        return share(wait, 1 - chance / 2);
    }

    Alarm alarm(Instant taken, Instant notAfter, Instant now) {
        if (!now.isBefore(notAfter)) {
            return Alarm.EXPIRED;
        }
        return now.isBefore(alarmAt(taken, notAfter)) ? Alarm.NONE : Alarm.EXPIRING;
    }

    /// From when on the alarm is raised.
    Instant alarmAt(Instant taken, Instant notAfter) {
        return notAfter.minus(share(Duration.between(taken, notAfter), policy.alarmBelow()));
    }

    /// For how long a root that clients do not know yet is only handed out. The old signer must live on meanwhile.
    Duration overlap(Duration leftOfOld) {
        return leftOfOld.isPositive() ? shorter(policy.rootOverlap(), leftOfOld.dividedBy(2)) : Duration.ZERO;
    }

    private static Duration share(Duration whole, double share) {
        return Duration.ofMillis(Math.round(whole.toMillis() * share));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
