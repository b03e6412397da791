// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.wire.kube.api.KubeClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a task while we lead, and only then.
///
/// A leader that cannot renew its lock stops its task before others may begin theirs; a lock that somebody deleted is
/// made again by whoever is first. Only where the default revision takes a shared lock from another one may two tasks
/// overlap, until the loser looks at the lock again: tasks must bear that. Closing ends the task and then gives up the
/// lock, so that the next leader need not wait. Any thread may call any method.
public final class Leadership implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Leadership.class);
    private static final int HASTE = 5; // how much sooner to try again what failed: a leader has little time left
    private static final Set<String> LOST_RACES = Set.of("kube-conflict", "lock-gone");
    private static final Duration FAREWELL = Duration.ofSeconds(10);

    private final ElectionLock lock;
    private final Candidate candidate;
    private final LockStore store;
    private final Timeline timeline;
    private final LeaderTask task;
    private final ReentrantLock stepping = new ReentrantLock(); // held while we talk to the server

    // guarded by this
    private @Nullable Tenure tenure;
    private boolean leading;
    private boolean closed;
    private Timeline.@Nullable Appointment next;
    private Timeline.@Nullable Appointment deadline;
    private Optional<Problem> trouble = Optional.empty();

    // guarded by stepping
    private Optional<LockRecord> observed = Optional.empty();
    private Instant observedAt = Instant.MIN;

    Leadership(ElectionLock lock, Candidate candidate, LockStore store, Timeline timeline, LeaderTask task) {
        this.lock = lock;
        this.candidate = candidate;
        this.store = store;
        this.timeline = timeline;
        this.task = task;
    }

    /// Competes for the lock until closed.
    public static Leadership start(
            KubeClient client, ElectionLock lock, Candidate candidate, Timeline timeline, LeaderTask task) {
        return new Leadership(lock, candidate, new KubeLockStore(client, lock, candidate), timeline, task).begin();
    }

    Leadership begin() {
        if (candidate.election() == Candidate.Election.OFF) {
            lead();
        } else {
            plan(timeline.instant());
        }
        return this;
    }

    public synchronized boolean isLeader() {
        return leading;
    }

    /// Why we do not know at the moment who leads, if so.
    public synchronized Optional<Problem> trouble() {
        return trouble;
    }

    private synchronized void plan(Instant time) {
        if (!closed) {
            next = timeline.at(time, this::step);
        }
    }

    private void step() {
        var now = timeline.instant();
        var pause = candidate.terms().retry();
        stepping.lock();
        try {
            if (!isClosed()) {
                compete(now);
                report(Optional.empty());
            }
        } catch (ProblemException e) {
            if (!LOST_RACES.contains(e.problem().code())) {
                report(Optional.of(e.problem()));
            }
            pause = pause.dividedBy(HASTE);
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("lock", name()).log("competing for a lock failed");
        } finally {
            stepping.unlock();
            plan(now.plus(pause));
        }
    }

    private void compete(Instant now) {
        var found = store.read();
        observe(found.map(LockStore.HeldLock::record), now);
        switch (ElectionMove.decide(lock, candidate, observed, observedAt, now)) {
            case ElectionMove.Wait wait -> lose("it is held by " + wait.leader());
            case ElectionMove.Write write -> {
                if (found.isPresent()) {
                    store.replace(found.get(), write.record());
                } else {
                    store.create(write.record());
                }
                observe(Optional.of(write.record()), now);
                won(now, write.why());
            }
        }
    }

    private void observe(Optional<LockRecord> record, Instant now) {
        if (!record.equals(observed)) {
            observed = record;
            observedAt = now;
        }
    }

    /// We hold the lock, as of a moment before we asked for it.
    private synchronized void won(Instant since, ElectionMove.Why why) {
        if (closed) {
            return;
        }
        if (deadline != null) {
            deadline.close();
        }
        deadline = timeline.at(since.plus(candidate.terms().renewal()), () -> lose("it could not be renewed in time"));
        if (!leading) {
            log.atInfo().addKeyValue("lock", name()).addKeyValue("why", why).log("leading");
            lead();
        }
    }

    private synchronized void lead() {
        leading = true;
        tenure = tenure == null ? Tenure.first(name(), task) : tenure.next(name(), task);
    }

    private synchronized void lose(String why) {
        if (deadline != null) {
            deadline.close();
            deadline = null;
        }
        if (leading) {
            log.atInfo().addKeyValue("lock", name()).addKeyValue("why", why).log("not leading any more");
            leading = false;
        }
        if (tenure != null) {
            tenure.end();
        }
    }

    private synchronized void report(Optional<Problem> problem) {
        if (problem.isPresent() && trouble.isEmpty() && !closed) {
            log.atWarn()
                    .addKeyValue("lock", name())
                    .addKeyValue("code", problem.get().code())
                    .addKeyValue("problem", problem.get())
                    .log("cannot compete for a lock");
        }
        trouble = problem;
    }

    private String name() {
        return lock.nameFor(candidate.revision());
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /// Waits for the task to end, within reason; a lock that is not given up ends by itself.
    @Override
    public void close() {
        Tenure last;
        boolean led;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            // a step that is under way may win yet
            led = candidate.election() == Candidate.Election.ON && (leading || stepping.isLocked());
            last = tenure;
            if (next != null) {
                next.close();
            }
            lose("we stop");
        }
        var ended = last == null || last.hasEnded(FAREWELL);
        if (led && ended) {
            var release = Thread.ofVirtual().name("release " + name()).start(this::release);
            try {
                release.join(FAREWELL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void release() {
        stepping.lock();
        try {
            store.read()
                    .filter(held -> held.record().holder().equals(candidate.identity()))
                    .ifPresent(held -> store.replace(held, held.record().released(timeline.instant())));
        } catch (ProblemException e) {
            log.atInfo()
                    .addKeyValue("lock", name())
                    .addKeyValue("problem", e.problem())
                    .log("lock not given up");
        } finally {
            stepping.unlock();
        }
    }
}
