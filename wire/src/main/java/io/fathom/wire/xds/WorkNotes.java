// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Work in steps that one thread does at a time, without a lock: callers only leave a note, and whoever leaves the
/// first one works until no note is left. Any thread.
final class WorkNotes {
    private static final Logger log = LoggerFactory.getLogger(WorkNotes.class);

    private final Runnable step;
    private final BooleanSupplier longStepIsDue;
    private final Executor workers;
    private final AtomicInteger notes = new AtomicInteger();

    /// Whoever works.
    private enum Caller {
        WORKER,
        LANE
    }

    /// @param longStepIsDue whether the next step is nothing for a lane
    /// @param workers threads that may take long
    WorkNotes(Runnable step, BooleanSupplier longStepIsDue, Executor workers) {
        this.step = step;
        this.longStepIsDue = longStepIsDue;
        this.workers = workers;
    }

    /// On the thread of the caller.
    void work() {
        if (notes.getAndIncrement() == 0) {
            loop(Caller.WORKER);
        }
    }

    /// On the thread of the caller, a lane that others wait for: long steps are left to the workers.
    void workInLane() {
        if (notes.getAndIncrement() == 0) {
            loop(Caller.LANE);
        }
    }

    void workElsewhere() {
        if (notes.getAndIncrement() == 0) {
            handOver();
        }
    }

    private void loop(Caller caller) {
        var read = 1;
        do {
            if (caller == Caller.LANE && longStepIsDue.getAsBoolean()) {
                handOver();
                return;
            }
            step.run();
            read = notes.addAndGet(-read);
        } while (read != 0);
    }

    private void handOver() {
        try {
            workers.execute(() -> loop(Caller.WORKER));
        } catch (RejectedExecutionException e) {
            log.atDebug().log("stream left alone during shutdown");
        }
    }
}
