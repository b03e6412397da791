// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import io.fathom.base.lang.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait before a process that ended is started again: hardly at all the first time, later and later if it
/// ends soon again. One thread only.
public final class RestartBackoff {
    private static final Duration SOON = Duration.ofMillis(20);

    private final Duration longLife;
    private final Backoff backoff;

    /// @param longest that it waits
    /// @param longLife of a process that makes all before it forgotten
    public RestartBackoff(Duration longest, Duration longLife, RandomGenerator random) {
        this.longLife = longLife;
        this.backoff = new Backoff(SOON, longest, random);
    }

    /// The pause before the next start.
    ///
    /// @param life of the process that ended
    public Duration after(Duration life) {
        if (life.compareTo(longLife) > 0) {
            backoff.reset();
        }
        return backoff.next();
    }
}
