// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.time.Duration;

/// When to renew, how to try again, when to raise the alarm. Shares are of the intermediate's lifetime, counted from
/// the moment it was taken over.
///
/// @param renewAfter share of the lifetime after which a new intermediate is asked for
/// @param jitter share by which that happens earlier at most, so that replicas do not all come at once
/// @param alarmBelow share of the lifetime that is left when the alarm is raised
/// @param retryMin first wait after a failure; doubles up to `retryMax`, each wait shortened by up to a half at random
/// @param checkEvery how often Vault is asked how it does, and how soon an outage shows
/// @param rootOverlap for how long a new root is handed out before anything is signed below it
public record RenewalPolicy(
        double renewAfter,
        double jitter,
        double alarmBelow,
        Duration retryMin,
        Duration retryMax,
        Duration checkEvery,
        Duration rootOverlap) {
    public static final RenewalPolicy DEFAULT = new RenewalPolicy(
            2.0 / 3,
            0.05,
            1.0 / 6,
            Duration.ofSeconds(1),
            Duration.ofMinutes(1),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5));

    public RenewalPolicy {
        if (!(renewAfter > 0 && renewAfter < 1 && jitter >= 0 && jitter < renewAfter)) {
            throw new IllegalArgumentException("renewal must fall between the start and the end of the lifetime");
        }
        if (!(alarmBelow > 0 && alarmBelow < 1 - renewAfter)) {
            throw new IllegalArgumentException("the alarm must come after the renewal and before the end");
        }
        if (!retryMin.isPositive() || retryMax.compareTo(retryMin) < 0 || !checkEvery.isPositive()) {
            throw new IllegalArgumentException("waits must be above zero, the longest not below the first");
        }
        if (rootOverlap.isNegative()) {
            throw new IllegalArgumentException("the overlap of roots must not be below zero");
        }
    }

    public RenewalPolicy withRenewAfter(double share) {
        return new RenewalPolicy(share, jitter, alarmBelow, retryMin, retryMax, checkEvery, rootOverlap);
    }

    public RenewalPolicy withAlarmBelow(double share) {
        return new RenewalPolicy(renewAfter, jitter, share, retryMin, retryMax, checkEvery, rootOverlap);
    }

    public RenewalPolicy withRetry(Duration min, Duration max) {
        return new RenewalPolicy(renewAfter, jitter, alarmBelow, min, max, checkEvery, rootOverlap);
    }

    public RenewalPolicy withCheckEvery(Duration value) {
        return new RenewalPolicy(renewAfter, jitter, alarmBelow, retryMin, retryMax, value, rootOverlap);
    }

    public RenewalPolicy withRootOverlap(Duration value) {
        return new RenewalPolicy(renewAfter, jitter, alarmBelow, retryMin, retryMax, checkEvery, value);
    }
}
