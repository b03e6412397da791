// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for conditions by looking again and again. Blocks the caller.
public final class Waiting {
    private static final Duration PAUSE = Duration.ofMillis(250);

    /// False when the time was over first.
    public boolean until(Duration limit, BooleanSupplier condition) {
        var end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
