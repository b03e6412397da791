// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One term of a leader: its task from begin to end, on a virtual thread that lives as long.
final class Tenure {
    private static final Logger log = LoggerFactory.getLogger(Tenure.class);

    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread;

    private Tenure(String name, LeaderTask task, Runnable before) {
        this.thread = Thread.ofVirtual().name("leader of " + name).unstarted(() -> {
            before.run();
            run(name, task);
        });
    }

    static Tenure first(String name, LeaderTask task) {
        var tenure = new Tenure(name, task, () -> {});
        tenure.thread.start();
        return tenure;
    }

    /// Begins when this one has ended.
    Tenure next(String name, LeaderTask task) {
        var tenure = new Tenure(name, task, () -> joined(thread));
        tenure.thread.start();
        return tenure;
    }

    private void run(String name, LeaderTask task) {
        if (end.getCount() == 0) {
            return; // over before it began
        }
        try (var _ = task.begin()) {
            end.await();
        } catch (Exception e) {
            log.atError().setCause(e).addKeyValue("lock", name).log("what only the leader does failed");
        }
    }

    /// Asks the task to end, and does not wait for that.
    void end() {
        end.countDown();
    }

    /// Whether the task has ended within that time.
    boolean hasEnded(Duration patience) {
        try {
            return thread.join(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void joined(Thread other) {
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
