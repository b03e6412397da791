// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.status.WriteObserver.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Objects to look at, each at most once at a time and at a bounded rate: however often one changes while it waits, it
/// is looked at once. Holds no more than one entry for each object.
///
/// What fails is tried again after a growing pause, a bounded number of times. [#close()] drops what waits and returns
/// when nobody writes any more.
final class WriteQueue<K> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);

    /// Brings one object up to date. Failures are [ProblemException]s.
    interface Work<K> {
        WriteResult look(K key);
    }

    private record Entry(int attempts, long notBefore) {}

    private final WriteSettings settings;
    private final WriteObserver observer;
    private final Function<K, String> kind;
    private final Work<K> work;
    private final List<Thread> threads = new ArrayList<>();

    // guarded by this
    private final Map<K, Entry> waiting = new LinkedHashMap<>();
    private final Set<K> busy = new HashSet<>();
    private double tokens;
    private long refilled;
    private boolean closed;

    private WriteQueue(WriteSettings settings, WriteObserver observer, Function<K, String> kind, Work<K> work) {
        this.settings = settings;
        this.observer = observer;
        this.kind = kind;
        this.work = work;
        this.tokens = settings.burst();
        this.refilled = System.nanoTime();
    }

    static <K> WriteQueue<K> start(
            String name, WriteSettings settings, WriteObserver observer, Function<K, String> kind, Work<K> work) {
        var queue = new WriteQueue<>(settings, observer, kind, work);
        for (var i = 0; i < settings.writers(); i++) {
            queue.threads.add(Thread.ofVirtual().name(name + "-" + i).start(queue::run));
        }
        return queue;
    }

    synchronized void add(Collection<K> keys) {
        if (closed || keys.isEmpty()) {
            return;
        }
        keys.forEach(key -> waiting.merge(key, new Entry(0, Long.MIN_VALUE), (_, fresh) -> fresh));
        notifyAll();
    }

    synchronized int size() {
        return waiting.size() + busy.size();
    }

    private void run() {
        try {
            while (true) {
                var next = take();
                try {
                    look(next.getKey(), next.getValue().attempts());
                } finally {
                    done(next.getKey());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void look(K key, int attempts) {
        try {
            observer.looked(kind.apply(key), work.look(key));
        } catch (ProblemException e) {
            failed(key, attempts + 1, e.problem());
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("object", key).log("writing a status failed");
            failed(key, attempts + 1, Problem.ofInput("status-failed", e.toString(), "report this as a bug of Fathom"));
        }
    }

    private synchronized void failed(K key, int attempts, Problem problem) {
        if (closed) {
            return;
        }
        var again = attempts < settings.attempts();
        observer.looked(kind.apply(key), again ? WriteResult.RETRIED : WriteResult.FAILED);
        if (again) {
            var pause = pause(attempts).toNanos();
            waiting.putIfAbsent(key, new Entry(attempts, System.nanoTime() + pause));
            notifyAll();
        } else {
            observer.problem(key.toString(), problem);
            log.atWarn()
                    .addKeyValue("object", key)
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("a status is not written");
        }
    }

    private Duration pause(int attempts) {
        var backoff = new Backoff(settings.firstPause(), Duration.ofSeconds(30), new SplittableRandom());
        var pause = Duration.ZERO;
        for (var i = 0; i < attempts; i++) {
            pause = backoff.next();
        }
        return pause;
    }

    private synchronized void done(K key) {
        busy.remove(key);
        notifyAll();
    }

    /// Waits for an object that is due and in nobody's hands, and for a token.
    private synchronized Map.Entry<K, Entry> take() throws InterruptedException {
        while (true) {
            if (closed) {
                throw new InterruptedException("closed");
            }
            var now = System.nanoTime();
            refill(now);
            var wait = tokens >= 1 ? Long.MAX_VALUE : (long) ((1 - tokens) * 1e9 / settings.perSecond());
            if (tokens >= 1) {
                for (Iterator<Map.Entry<K, Entry>> entries = waiting.entrySet().iterator(); entries.hasNext(); ) {
                    var entry = entries.next();
                    var due = entry.getValue().notBefore();
                    if (busy.contains(entry.getKey())) {
                        continue; // done() wakes us
                    }
                    if (due == Long.MIN_VALUE || due - now <= 0) {
                        var taken = Map.entry(entry.getKey(), entry.getValue());
                        entries.remove();
                        busy.add(taken.getKey());
                        tokens--;
                        return taken;
                    }
                    wait = Math.min(wait, due - now);
                }
            }
            if (wait == Long.MAX_VALUE) {
                wait();
            } else {
                wait(Math.max(1, wait / 1_000_000));
            }
        }
    }

    private void refill(long now) {
        var gained = (now - refilled) / 1e9 * settings.perSecond();
        tokens = Math.min(settings.burst(), tokens + gained);
        refilled = now;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            waiting.clear();
            notifyAll();
        }
        for (var thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
