// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Things to be looked at again, each at most once in the queue and by one thread at a time.
///
/// What fails is tried again with growing pauses, and logged when its problem is a new one. The task runs on virtual
/// threads; any thread may call the other methods.
final class KeyedWork<K> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KeyedWork.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);
    private static final Duration FAREWELL = Duration.ofSeconds(10);

    private final Timeline timeline;
    private final Consumer<K> task;
    private final List<Thread> workers = new ArrayList<>();

    // guarded by this
    private final Set<K> waiting = new LinkedHashSet<>();
    private final Set<K> running = new HashSet<>();
    private final Set<K> again = new HashSet<>();
    private final Map<K, Timeline.Appointment> later = new HashMap<>();
    private final Map<K, Failure> failures = new HashMap<>();
    private boolean closed;

    private record Failure(Backoff backoff, Problem problem) {}

    KeyedWork(String name, int threads, Timeline timeline, Consumer<K> task) {
        this.timeline = timeline;
        this.task = task;
        for (var i = 0; i < threads; i++) {
            workers.add(Thread.ofVirtual().name(name + " " + i).start(this::work));
        }
    }

    /// Soon; what is being looked at already is looked at once more.
    synchronized void add(K key) {
        if (closed) {
            return;
        }
        cancel(key);
        if (running.contains(key)) {
            again.add(key);
        } else if (waiting.add(key)) {
            notifyAll();
        }
    }

    /// Not before that time has passed, unless something else asks for it earlier.
    synchronized void addLater(K key, Duration pause) {
        if (!closed && !later.containsKey(key)) {
            later.put(key, timeline.at(timeline.instant().plus(pause), () -> add(key)));
        }
    }

    /// What went wrong when this was last looked at.
    synchronized Optional<Problem> failure(K key) {
        return Optional.ofNullable(failures.get(key)).map(Failure::problem);
    }

    private void work() {
        try {
            for (var key = take(); key.isPresent(); key = take()) {
                run(key.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody waits for us any more
        }
    }

    private synchronized Optional<K> take() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        if (closed) {
            return Optional.empty();
        }
        var key = waiting.iterator().next();
        waiting.remove(key);
        running.add(key);
        return Optional.of(key);
    }

    private void run(K key) {
        try {
            task.accept(key);
            done(key);
        } catch (ProblemException e) {
            failed(key, e.problem());
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("object", key).log("looking after an object failed");
            failed(key, Problem.ofInput("task-failed", e.toString(), "report this as a bug of Fathom"));
        }
    }

    private synchronized void done(K key) {
        failures.remove(key);
        next(key);
    }

    private synchronized void failed(K key, Problem problem) {
        var before = failures.get(key);
        if (before == null || !before.problem().code().equals(problem.code())) {
            log.atWarn()
                    .addKeyValue("object", key)
                    .addKeyValue("code", problem.code())
                    .addKeyValue("problem", problem)
                    .log("cannot look after an object");
        }
        var backoff =
                before == null ? new Backoff(FIRST_RETRY, LONGEST_RETRY, new SplittableRandom()) : before.backoff();
        failures.put(key, new Failure(backoff, problem));
        if (!next(key)) {
            addLater(key, backoff.next());
        }
    }

    /// Whether it is queued again.
    private boolean next(K key) {
        running.remove(key);
        if (again.remove(key)) {
            waiting.add(key);
            notifyAll();
            return true;
        }
        return false;
    }

    private void cancel(K key) {
        var appointment = later.remove(key);
        if (appointment != null) {
            appointment.close();
        }
    }

    /// Lets what runs come to its end, within reason.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            later.values().forEach(Timeline.Appointment::close);
            later.clear();
            notifyAll();
        }
        try {
            for (var worker : workers) {
                worker.join(FAREWELL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
