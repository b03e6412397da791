// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.run.Commands;
import io.fathom.tools.local.run.RestartBackoff;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The life of one pod, on a virtual thread of its own: wires, enrolment, and only then its process, which is started
/// again when it ends; probes all the while; and everything taken away in the end. The other methods may be called by
/// any thread.
public final class LocalPod {
    private static final Logger log = LoggerFactory.getLogger(LocalPod.class);
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration FAREWELL = Duration.ofMillis(500);
    private static final int NOT_STARTED = 128;
    private static final Duration IMPATIENT = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration SETTLED = Duration.ofSeconds(30);

    private final PodFacts facts;
    private final Kubelet kubelet;
    private final Runnable changed;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Semaphore wake = new Semaphore(0); // something happened that a probe need not find out
    private volatile PodState state = PodState.NEW;
    private volatile long pid;
    private volatile String complaint = "";

    public LocalPod(PodFacts facts, Kubelet kubelet, Runnable changed) {
        this.facts = facts;
        this.kubelet = kubelet;
        this.changed = changed;
    }

    public void start() {
        Thread.ofVirtual().name("pod " + facts.title()).start(this::live);
    }

    /// Begins its end.
    public void stop() {
        stop.countDown();
        wake.release();
    }

    public boolean isStopping() {
        return stop.getCount() == 0;
    }

    public PodFacts facts() {
        return facts;
    }

    public PodState state() {
        return state;
    }

    /// The id of its process; 0 while there is none.
    public long pid() {
        return pid;
    }

    /// Why it does not get on; empty if it does.
    public String complaint() {
        return complaint;
    }

    private void live() {
        var cable = Optional.<String>empty();
        try {
            cable = Optional.of(kubelet.prepare(facts));
            if (enrol()) {
                run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            complain(String.valueOf(e.getMessage()));
            log.atError().addKeyValue("pod", facts.title()).setCause(e).log("a pod was given up");
        } finally {
            cable.ifPresent(this::remove);
            become(state.in(PodState.LocalPodPhase.GONE));
        }
    }

    private void remove(String cable) {
        try {
            kubelet.remove(facts, cable);
        } catch (RuntimeException e) {
            log.atWarn().addKeyValue("pod", facts.title()).setCause(e).log("a pod left something behind");
        }
    }

    /// Fails closed: until the agent says yes, nothing is started. False when it is to stop instead.
    private boolean enrol() throws InterruptedException {
        var backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2), RandomGenerator.getDefault());
        while (!isStopping()) {
            try {
                kubelet.enrol(facts);
                complain("");
                return true;
            } catch (ProblemException e) {
                complain(e.problem().toString());
                var _ = stop.await(backoff.next().toNanos(), TimeUnit.NANOSECONDS);
            }
        }
        return false;
    }

    private void run() throws InterruptedException {
        var backoff = new RestartBackoff(LONGEST_PAUSE, SETTLED, RandomGenerator.getDefault());
        while (!isStopping()) {
            var begun = System.nanoTime();
            var exitCode = NOT_STARTED;
            try {
                var process = kubelet.start(facts);
                pid = process.pid();
                var _ = process.onExit().thenRun(wake::release);
                become(state.in(PodState.LocalPodPhase.RUNNING)
                        .withReady(facts.template().readiness().isEmpty()));
                watch(process);
                exitCode = process.exitValue();
            } catch (IOException e) {
                complain("cannot be started: " + e.getMessage());
            }
            if (!isStopping()) {
                if (!facts.template().restart().applies(exitCode)) {
                    become(state.in(exitCode == 0 ? PodState.LocalPodPhase.SUCCEEDED : PodState.LocalPodPhase.FAILED));
                    stop.await();
                    return;
                }
                become(state.restarted());
                var pause = backoff.after(Duration.ofNanos(System.nanoTime() - begun));
                var _ = stop.await(pause.toNanos(), TimeUnit.NANOSECONDS);
            }
        }
    }

    /// Until the process has ended, by itself or because it was told to.
    private void watch(Process process) throws InterruptedException {
        var readiness = new ProbeRecord(facts.template().readiness());
        var liveness = new ProbeRecord(facts.template().liveness());
        try {
            while (process.isAlive() && !isStopping()) {
                if (readiness.isDue()) {
                    var ready = readiness.note(probe -> kubelet.answers(facts, probe), state.ready());
                    if (ready != state.ready()) {
                        become(state.withReady(ready));
                    }
                }
                if (liveness.isDue() && !liveness.note(probe -> kubelet.answers(facts, probe), true)) {
                    complain("was started again: its liveness probe failed");
                    return;
                }
                var nap = Math.min(readiness.nanosToNext(), liveness.nanosToNext());
                if (!state.ready()) {
                    nap = Math.min(nap, IMPATIENT.toNanos());
                }
                var _ = wake.tryAcquire(Math.max(nap, 1), TimeUnit.NANOSECONDS);
            }
            if (!isStopping()) {
                complain("its process ended with code " + process.exitValue());
            }
        } finally {
            end(process);
        }
    }

    /// Clients learn first, then the process.
    private void end(Process process) throws InterruptedException {
        if (isStopping()) {
            become(state.in(PodState.LocalPodPhase.STOPPING));
            kubelet.announceEnd(facts);
            var _ = process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        } else if (state.ready()) {
            become(state.withReady(false));
        }
        process.destroy();
        var _ = process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        try {
            Commands.run("kill", "-KILL", "--", "-" + process.pid());
        } catch (ProblemException _) {
            // Nobody is left.
        }
        process.destroyForcibly().waitFor();
        pid = 0;
    }

    private void become(PodState next) {
        state = next;
        if (next.phase() == PodState.LocalPodPhase.RUNNING || next.isOver()) {
            kubelet.publish(facts, next);
        }
        changed.run();
    }

    private void complain(String text) {
        if (!complaint.equals(text)) {
            complaint = text;
            changed.run();
        }
    }
}
