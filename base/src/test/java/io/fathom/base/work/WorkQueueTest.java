// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.base.work.WorkQueue.Failure;
import io.fathom.base.work.WorkQueue.Next;
import io.fathom.base.work.WorkQueue.WorkResult;
import io.fathom.base.work.WorkSettings.Rate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkQueueTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeline timeline = new ManualTimeline(Instant.EPOCH);
    private final AtomicInteger runs = new AtomicInteger();
    private final List<Failure> failures = new CopyOnWriteArrayList<>();

    private static WorkSettings settings(int workers, int attempts, Optional<Rate> rate) {
        return new WorkSettings(workers, SECOND, Duration.ofMinutes(1), attempts, rate, LONG);
    }

    private WorkQueue<String> queue(WorkSettings settings, WorkQueue.Task<String> task) {
        return new WorkQueue<String>(settings, timeline, task, (_, failure) -> failures.add(failure)).start("test");
    }

    private WorkQueue<String> queue(int workers, WorkQueue.Task<String> task) {
        return queue(settings(workers, WorkSettings.FOR_EVER, Optional.empty()), task);
    }

    @Test
    void givenAKeyThatRuns_whenAddedAgainAndAgain_thenOnceMore() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var queue = queue(2, _ -> {
            runs.incrementAndGet();
            begun.countDown();
            joined(go);
            return WorkResult.DONE;
        })) {
            queue.add("a");
            begun.await();
            queue.add("a");
            queue.add("a");
            assertThat(queue.isRunning("a")).isTrue();
            go.countDown();
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void givenFailures_whenTimePasses_thenTriedAgainWithGrowingPauses() {
        try (var queue = queue(1, _ -> {
            if (runs.incrementAndGet() < 4) {
                throw new ProblemException(Problem.ofInput("busy", "try later", ""));
            }
            return WorkResult.DONE;
        })) {
            queue.add("a");
            awaitRun(1);
            timeline.advance(SECOND);
            awaitRun(2);
            timeline.advance(Duration.ofMillis(999));
            assertThat(runs).as("the second pause is one second at least").hasValue(2);
            timeline.advance(SECOND);
            awaitRun(3);
            timeline.advance(Duration.ofSeconds(4));
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        assertThat(runs).hasValue(4);
        assertThat(failures).extracting(Failure::isNew).containsExactly(true, false, false);
        assertThat(timeline.nextAppointment()).isEmpty();
    }

    @Test
    void givenABoundedNumberOfAttempts_thenGivenUp_untilAddedAgain() {
        try (var queue = queue(settings(1, 2, Optional.empty()), _ -> {
            runs.incrementAndGet();
            throw new IllegalStateException("a bug");
        })) {
            queue.add("a");
            awaitRun(1);
            timeline.advance(SECOND);
            await().atMost(LONG).until(() -> failures.size() == 2 && queue.size() == 0);
            assertThat(failures).extracting(Failure::next).containsExactly(Next.TRY_AGAIN, Next.GIVE_UP);
            assertThat(failures.getFirst().problem().code()).isEqualTo("task-failed");
            queue.add("a");
            awaitRun(3);
            assertThat(failures.getLast().next()).isEqualTo(Next.TRY_AGAIN);
            assertThat(failures.getLast().isNew()).isTrue();
        }
    }

    @Test
    void givenATaskThatWaitsToBeTriedAgain_whenAskedToRetryNow_thenItRunsWithoutATimePassing() {
        try (var queue = queue(1, _ -> runs.incrementAndGet() < 2 ? WorkResult.TRY_AGAIN : WorkResult.DONE)) {
            queue.add("a");
            awaitRun(1);
            queue.retryNow();
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        assertThat(runs).hasValue(2);
        assertThat(failures).as("the task tells by itself").isEmpty();
    }

    @Test
    void givenARate_thenABurstAndThenOneAfterTheOther() {
        var rate = Optional.of(new Rate(2, 3));
        try (var queue = queue(settings(4, 1, rate), _ -> {
            runs.incrementAndGet();
            return WorkResult.DONE;
        })) {
            queue.addAll(List.of("a", "b", "c", "d", "e"));
            awaitRun(3);
            timeline.advance(Duration.ofMillis(499));
            assertThat(runs).hasValue(3);
            timeline.advance(Duration.ofMillis(1));
            await().atMost(LONG).until(() -> runs.get() == 4);
        }
        assertThat(runs).hasValue(4);
    }

    @Test
    void whenSomethingIsDoneAlone_thenNotWhileTheKeyWaitsOrRuns_andTheTaskNotMeanwhile() {
        var go = new CountDownLatch(1);
        try (var queue = queue(1, _ -> {
            runs.incrementAndGet();
            joined(go);
            return WorkResult.DONE;
        })) {
            assertThat(queue.runAlone("a", () -> {
                        queue.add("a");
                        queue.add("b"); // takes the only thread
                        await().atMost(LONG).until(() -> queue.isRunning("b"));
                        assertThat(runs).hasValue(1);
                        return "seen";
                    }))
                    .hasValue("seen");
            assertThat(queue.runAlone("a", () -> "seen")).as("it waits").isEmpty();
            assertThat(queue.runAlone("b", () -> "seen")).as("it runs").isEmpty();
            go.countDown();
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void whenClosed_thenWhatWaitsIsDropped_andWhatRunsIsWaitedFor() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var queue = queue(1, _ -> {
            begun.countDown();
            joined(go);
            runs.incrementAndGet();
            return WorkResult.TRY_AGAIN;
        });
        queue.addAll(List.of("a", "b"));
        queue.addLater("c", SECOND);
        begun.await();
        var closing = Thread.ofVirtual().start(queue::close);
        await().atMost(LONG).until(() -> queue.size() == 1);
        assertThat(closing.isAlive()).isTrue();
        go.countDown();
        assertThat(closing.join(LONG)).isTrue();
        queue.add("d");
        assertThat(queue.size()).isZero();
        assertThat(runs).hasValue(1);
        assertThat(timeline.nextAppointment()).isEmpty();
    }

    /// The task has run so often, and the next attempt has its appointment.
    private void awaitRun(int count) {
        await().atMost(LONG)
                .until(() -> runs.get() == count && timeline.nextAppointment().isPresent());
    }

    private static void joined(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
