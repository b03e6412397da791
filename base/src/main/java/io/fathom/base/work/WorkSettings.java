// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import java.time.Duration;
import java.util.Optional;

/// How a [WorkQueue] works.
///
/// @param workers at the same time
/// @param firstPause after a failure; each further one is twice as long, up to `longestPause`
/// @param attempts for one key; then it waits until it is added again
/// @param rate how often a task may begin; empty: as often as there is work
/// @param lastRuns how long [WorkQueue#close] waits for tasks that run
public record WorkSettings(
        int workers, Duration firstPause, Duration longestPause, int attempts, Optional<Rate> rate, Duration lastRuns) {
    /// Never gives up.
    public static final int FOR_EVER = Integer.MAX_VALUE;

    /// So many each second, once `burst` of them have begun.
    public record Rate(int perSecond, int burst) {}

    public WorkSettings {
        if (workers < 1 || attempts < 1) {
            throw new IllegalArgumentException("nothing would be done");
        }
    }
}
