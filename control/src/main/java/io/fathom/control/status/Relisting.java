// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Goes once through everything at the beginning of a term, on a virtual thread. What fails is tried again until it
/// succeeds or the term is over.
final class Relisting implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Relisting.class);

    private final Thread thread;

    private Relisting(Thread thread) {
        this.thread = thread;
    }

    static <T> Relisting start(String name, List<T> parts, Consumer<T> list) {
        return new Relisting(Thread.ofVirtual().name("list for " + name).start(() -> run(parts, list)));
    }

    private static <T> void run(List<T> parts, Consumer<T> list) {
        try {
            for (var part : parts) {
                var backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30), new SplittableRandom());
                while (!isDone(part, list)) {
                    Thread.sleep(backoff.next());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private static <T> boolean isDone(T part, Consumer<T> list) {
        try {
            list.accept(part);
            return true;
        } catch (ProblemException e) {
            if (e.problem().code().equals("kube-not-found")) {
                return true; // the cluster does not have the kind
            }
            log.atWarn()
                    .addKeyValue("kind", part)
                    .addKeyValue("problem", e.problem())
                    .log("cannot list what to write");
            return false;
        }
    }

    /// Waits for a call that is under way.
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
