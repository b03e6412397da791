// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/// Runs tasks on virtual threads, so many at once; more are rejected, not queued, so a flood costs no memory.
public final class BoundedTasks implements Executor, AutoCloseable {
    private final Semaphore places;
    private final ExecutorService threads;

    public BoundedTasks(String name, int atOnce) {
        places = new Semaphore(atOnce);
        threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(name + "-", 0).factory());
    }

    /// Begins the task on a thread of its own.
    ///
    /// @throws RejectedExecutionException if there are too many, or after the end
    @Override
    public void execute(Runnable task) {
        if (!places.tryAcquire()) {
            throw new RejectedExecutionException("too many at once");
        }
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } finally {
                    places.release();
                }
            });
        } catch (RejectedExecutionException e) {
            places.release();
            throw e;
        }
    }

    /// Waits for the tasks that are under way.
    @Override
    public void close() {
        threads.close();
    }
}
