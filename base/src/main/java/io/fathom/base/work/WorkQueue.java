// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a task for keys, each at most once in the queue and on one thread at a time: however often a key is added while
/// it waits, its task runs once; if it is added while its task runs, once more afterwards. Holds no more than one entry
/// for each key.
///
/// What fails is tried again after pauses that grow until it succeeds. Tasks run on the queue's own threads; any thread
/// may call the other methods, and only [#close] waits.
public final class WorkQueue<K> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WorkQueue.class);

    private final WorkSettings settings;
    private final Timeline timeline;
    private final Task<K> task;
    private final FailureListener<K> listener;

    // guarded by this
    private final SequencedSet<K> waiting = new LinkedHashSet<>();
    private final Set<K> running = new HashSet<>(); // none of them waits
    private final Set<K> again = new HashSet<>(); // all of them run
    private final Map<K, Timeline.Appointment> later = new HashMap<>();
    private final Map<K, Trouble> troubles = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final TokenBucket bucket;
    private boolean awaitsToken;
    private boolean closed;

    /// What is done for a key. May block.
    @FunctionalInterface
    public interface Task<K> {
        /// Does it.
        ///
        /// @throws ProblemException if it failed and has to be tried again
        WorkResult run(K key);
    }

    /// What came of a task.
    public enum WorkResult {
        DONE,
        /// It failed, in a way that it has told of by itself.
        TRY_AGAIN
    }

    /// Told of the problems of tasks, on their thread and before the next attempt.
    @FunctionalInterface
    public interface FailureListener<K> {
        void failed(K key, Failure failure);
    }

    /// An attempt that failed.
    ///
    /// @param before what the attempt before this one failed with, if it did
    /// @param next what becomes of the key
    public record Failure(Problem problem, Optional<Problem> before, Next next) {
        /// Whether this is more than the same trouble as before.
        public boolean isNew() {
            return !before.map(Problem::code).equals(Optional.of(problem.code()));
        }
    }

    /// What follows a failure.
    public enum Next {
        TRY_AGAIN,
        /// Nothing before it is added again.
        GIVE_UP
    }

    private static final class Trouble {
        private final Backoff backoff;
        private int attempts;
        private @Nullable Problem problem;

        private Trouble(Backoff backoff) {
            this.backoff = backoff;
        }
    }

    /// Does nothing before [#start].
    public WorkQueue(WorkSettings settings, Timeline timeline, Task<K> task, FailureListener<K> listener) {
        this.settings = settings;
        this.timeline = timeline;
        this.task = task;
        this.listener = listener;
        this.bucket = new TokenBucket(settings.rate(), timeline.instant());
    }

    /// Begins to work, on virtual threads.
    public WorkQueue<K> start(String name) {
        return start(Thread.ofVirtual().name(name + "-", 0).factory());
    }

    /// Begins to work, on these threads.
    public synchronized WorkQueue<K> start(ThreadFactory factory) {
        for (var i = 0; i < settings.workers() && !closed; i++) {
            var thread = factory.newThread(this::work);
            threads.add(thread);
            thread.start();
        }
        return this;
    }

    /// Soon; what runs is run once more.
    public synchronized void add(K key) {
        if (!closed) {
            var trouble = troubles.get(key);
            if (trouble != null) {
                trouble.attempts = 0;
            }
            enqueue(key);
        }
    }

    public synchronized void addAll(Collection<K> keys) {
        keys.forEach(this::add);
    }

    /// Not before that time has passed, unless something else asks for it earlier.
    public synchronized void addLater(K key, Duration pause) {
        if (!closed && !later.containsKey(key)) {
            later.put(key, timeline.at(timeline.instant().plus(pause), () -> add(key)));
        }
    }

    /// Whatever has failed and waits is tried now, and the next pauses are short again.
    public synchronized void retryNow() {
        for (var key : List.copyOf(later.keySet())) {
            var trouble = troubles.get(key);
            if (trouble != null) {
                trouble.backoff.reset();
                enqueue(key);
            }
        }
    }

    public synchronized boolean isRunning(K key) {
        return running.contains(key);
    }

    /// Does something with a key while its task does not run, on the calling thread; nothing if the key waits or runs.
    public <T> Optional<T> runAlone(K key, Supplier<T> work) {
        synchronized (this) {
            if (waiting.contains(key) || !running.add(key)) {
                return Optional.empty();
            }
        }
        try {
            return Optional.of(work.get());
        } finally {
            finish(key, Optional.empty());
        }
    }

    /// How many keys wait, run, or are to be tried again.
    public synchronized int size() {
        return waiting.size() + running.size() + later.size();
    }

    private void enqueue(K key) {
        cancel(key);
        if (running.contains(key)) {
            again.add(key);
        } else if (waiting.add(key)) {
            notifyAll();
        }
    }

    private synchronized void retry(K key) {
        if (!closed) {
            enqueue(key);
        }
    }

    private void cancel(K key) {
        var appointment = later.remove(key);
        if (appointment != null) {
            appointment.close();
        }
    }

    private void work() {
        try {
            for (var key = take(); key.isPresent(); key = take()) {
                Optional<Duration> pause = Optional.empty();
                try {
                    pause = attempt(key.get());
                } finally {
                    finish(key.get(), pause);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody waits for us any more
        }
    }

    private synchronized Optional<K> take() throws InterruptedException {
        while (!closed) {
            if (!waiting.isEmpty()) {
                var wait = bucket.take(timeline.instant());
                if (wait.isZero()) {
                    var key = waiting.removeFirst();
                    running.add(key);
                    return Optional.of(key);
                }
                awaitToken(wait);
            }
            wait();
        }
        return Optional.empty();
    }

    private void awaitToken(Duration wait) {
        if (!awaitsToken) {
            awaitsToken = true;
            var _ = timeline.at(timeline.instant().plus(wait), this::tokenCame);
        }
    }

    private synchronized void tokenCame() {
        awaitsToken = false;
        notifyAll();
    }

    /// After which pause to try again, if at all.
    private Optional<Duration> attempt(K key) {
        try {
            return switch (task.run(key)) {
                case DONE -> succeeded(key);
                case TRY_AGAIN -> failed(key, Optional.empty());
            };
        } catch (ProblemException e) {
            return failed(key, Optional.of(e.problem()));
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("object", key).log("a task failed because of a bug");
            var problem = Problem.ofInput("task-failed", e.toString(), "report this as a bug of Fathom");
            return failed(key, Optional.of(problem));
        }
    }

    private synchronized Optional<Duration> succeeded(K key) {
        troubles.remove(key);
        return Optional.empty();
    }

    private Optional<Duration> failed(K key, Optional<Problem> problem) {
        Optional<Problem> before;
        Next next;
        Duration pause;
        synchronized (this) {
            if (closed) {
                return Optional.empty();
            }
            var trouble = troubles.computeIfAbsent(key, _ -> new Trouble(backoff()));
            before = Optional.ofNullable(trouble.problem);
            trouble.problem = problem.orElse(null);
            next = ++trouble.attempts < settings.attempts() ? Next.TRY_AGAIN : Next.GIVE_UP;
            pause = trouble.backoff.next();
            if (next == Next.GIVE_UP) {
                troubles.remove(key);
            }
        }
        problem.ifPresent(it -> listener.failed(key, new Failure(it, before, next)));
        return next == Next.TRY_AGAIN ? Optional.of(pause) : Optional.empty();
    }

    private Backoff backoff() {
        return new Backoff(settings.firstPause(), settings.longestPause(), new SplittableRandom());
    }

    private synchronized void finish(K key, Optional<Duration> pause) {
        running.remove(key);
        if (closed) {
            return;
        }
        if (again.remove(key)) {
            enqueue(key);
        } else if (pause.isPresent() && !later.containsKey(key)) {
            later.put(key, timeline.at(timeline.instant().plus(pause.get()), () -> retry(key)));
        }
    }

    /// Drops what waits, and lets what runs come to its end, within reason.
    @Override
    public void close() {
        List<Thread> workers;
        synchronized (this) {
            closed = true;
            waiting.clear();
            again.clear();
            later.values().forEach(Timeline.Appointment::close);
            later.clear();
            workers = List.copyOf(threads);
            notifyAll();
        }
        if (settings.lastRuns().isZero()) {
            return;
        }
        try {
            for (var worker : workers) {
                var _ = worker.join(settings.lastRuns());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
