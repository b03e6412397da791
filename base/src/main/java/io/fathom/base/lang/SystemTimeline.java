// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// The real time. One daemon thread keeps the appointments, each task runs on a virtual thread of its own. A wall clock
/// that is set forward, or a machine that was asleep, is noticed within [#LONGEST_NAP].
public final class SystemTimeline implements Timeline, AutoCloseable {
    private static final Duration LONGEST_NAP = Duration.ofSeconds(30);

    private final InstantSource clock;
    private final ScheduledThreadPoolExecutor timer;

    public SystemTimeline() {
        this(InstantSource.system());
    }

    SystemTimeline(InstantSource clock) {
        this.clock = clock;
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("timeline").factory());
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // after close()
    }

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public Appointment at(Instant time, Runnable task) {
        var appointment = new Armed(time, task);
        appointment.arm();
        return appointment;
    }

    /// Nothing begins after this; what has begun goes on.
    @Override
    public void close() {
        timer.shutdownNow();
    }

    private final class Armed implements Appointment {
        private final Instant time;
        private final AtomicReference<Runnable> task;

        private Armed(Instant time, Runnable task) {
            this.time = time;
            this.task = new AtomicReference<>(task);
        }

        private void arm() {
            if (task.get() == Done.DONE) {
                return;
            }
            var left = Duration.between(clock.instant(), time);
            if (left.isPositive()) {
                schedule(left.compareTo(LONGEST_NAP) < 0 ? left : LONGEST_NAP);
            } else {
                Thread.ofVirtual().name("timeline-task").start(task.getAndSet(Done.DONE));
            }
        }

        private void schedule(Duration nap) {
            var _ = timer.schedule(this::arm, nap.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public void close() {
            task.set(Done.DONE);
        }
    }

    /// In the place of a task that has begun or was taken back.
    private enum Done implements Runnable {
        DONE;

        @Override
        public void run() {}
    }
}
