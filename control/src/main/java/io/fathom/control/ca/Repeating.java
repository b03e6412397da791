// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a task again and again on a thread of its own; the task says how long to wait before the next run.
final class Repeating implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Repeating.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final ScheduledExecutorService executor;
    private final Supplier<Duration> task;
    private @Nullable Future<?> planned;

    Repeating(String name, Duration firstDelay, Supplier<Duration> task) {
        this.executor = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
        this.task = task;
        plan(firstDelay);
    }

    private synchronized void plan(Duration delay) {
        try {
            if (planned != null) {
                planned.cancel(false);
            }
            planned = executor.schedule(this::run, Math.max(1, delay.toMillis()), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // closed
        }
    }

    private void run() {
        var delay = AFTER_FAILURE;
        try {
            delay = task.get();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a repeated task of the certificate authority failed");
        } finally {
            plan(delay);
        }
    }

    /// Runs the task now rather than at its time.
    void hurry() {
        plan(Duration.ZERO);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
