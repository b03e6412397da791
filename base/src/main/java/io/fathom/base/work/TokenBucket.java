// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Bounds how often something happens. Time is passed in. For one thread.
final class TokenBucket {
    private final Optional<WorkSettings.Rate> rate;
    private double tokens;
    private Instant filled;

    /// A full one; without a rate it never gets empty.
    TokenBucket(Optional<WorkSettings.Rate> rate, Instant now) {
        this.rate = rate;
        this.tokens = rate.map(WorkSettings.Rate::burst).orElse(0);
        this.filled = now;
    }

    /// Takes a token if there is one, else says how long it takes until there is.
    Duration take(Instant now) {
        if (rate.isEmpty()) {
            return Duration.ZERO;
        }
        var perSecond = rate.get().perSecond();
        // a wall clock may be set back
        var seconds = Math.max(0, Duration.between(filled, now).toNanos() / 1e9);
        tokens = Math.min(rate.get().burst(), tokens + seconds * perSecond);
        filled = now;
        if (tokens >= 1) {
            tokens--;
            return Duration.ZERO;
        }
        return Duration.ofNanos((long) Math.ceil((1 - tokens) * 1e9 / perSecond));
    }
}
