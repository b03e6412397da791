// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.status.WriteObserver.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteQueueTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final WriteSettings FAST = new WriteSettings(4, 100_000, 100_000, 5, Duration.ofMillis(1));

    private final SystemTimeline timeline = new SystemTimeline();
    private final Map<WriteResult, AtomicInteger> outcomes = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> looks = new ConcurrentHashMap<>();

    @AfterEach
    void stop() {
        timeline.close();
    }

    private WriteQueue<String> queue(WriteSettings settings, WriteQueue.Work<String> work) {
        return WriteQueue.start(
                "test",
                settings,
                timeline,
                (_, outcome) -> outcomes.computeIfAbsent(outcome, _ -> new AtomicInteger())
                        .incrementAndGet(),
                Function.identity(),
                key -> {
                    looks.computeIfAbsent(key, _ -> new AtomicInteger()).incrementAndGet();
                    return work.look(key);
                });
    }

    private int count(WriteResult outcome) {
        return outcomes.getOrDefault(outcome, new AtomicInteger()).get();
    }

    @Test
    void givenAThousandObjectsThatChangeAllTheTime_thenEachIsLookedAtOnceWhileItWaits() {
        var keys = IntStream.range(0, 1000).mapToObj(i -> "s" + i).toList();
        var open = new CountDownLatch(1);
        try (var queue = queue(FAST, _ -> {
            awaitLatch(open);
            return WriteResult.WRITTEN;
        })) {
            for (var i = 0; i < 20; i++) {
                queue.add(keys);
            }
            assertThat(queue.size()).isLessThanOrEqualTo(1000 + FAST.writers());
            open.countDown();
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        // those that were in somebody's hands at the time are looked at again
        assertThat(count(WriteResult.WRITTEN)).isBetween(1000, 1000 + FAST.writers());
    }

    @Test
    void whenAnObjectChangesWhileItIsLookedAt_thenItIsLookedAtAgainAfterwardsAndNeverTwiceAtOnce() {
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        var started = new CountDownLatch(1);
        var open = new CountDownLatch(1);
        try (var queue = queue(FAST, _ -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            started.countDown();
            awaitLatch(open);
            inside.decrementAndGet();
            return WriteResult.UNCHANGED;
        })) {
            queue.add(List.of("a"));
            awaitLatch(started);
            queue.add(List.of("a"));
            queue.add(List.of("a"));
            open.countDown();
            await().atMost(LONG).until(() -> queue.size() == 0);
        }
        assertThat(looks.get("a")).hasValue(2);
        assertThat(most).hasValue(1);
    }

    @Test
    void whenWritingFails_thenItIsTriedFiveTimesAndThenNotBeforeTheNextChange() {
        var broken = new AtomicInteger(1);
        try (var queue = queue(FAST, _ -> {
            if (broken.get() == 1) {
                throw new ProblemException(new Problem(
                        "kube-conflict", "changed", "again", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
            }
            return WriteResult.WRITTEN;
        })) {
            queue.add(List.of("a"));
            await().atMost(LONG).until(() -> count(WriteResult.FAILED) == 1 && queue.size() == 0);
            assertThat(looks.get("a")).hasValue(5);
            assertThat(count(WriteResult.RETRIED)).isEqualTo(4);
            broken.set(0);
            queue.add(List.of("a"));
            await().atMost(LONG).until(() -> count(WriteResult.WRITTEN) == 1);
        }
    }

    @Test
    void givenABoundedRate_thenABurstIsFollowedByAPauseAndNothingIsLost() {
        var slow = new WriteSettings(4, 20, 5, 5, Duration.ofMillis(1));
        var begun = System.nanoTime();
        try (var queue = queue(slow, _ -> WriteResult.WRITTEN)) {
            queue.add(IntStream.range(0, 15).mapToObj(i -> "s" + i).toList());
            await().atMost(LONG).until(() -> count(WriteResult.WRITTEN) == 15);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(400));
    }

    @Test
    void whenClosed_thenWhatWaitsIsDroppedAndWhatIsUnderWayEnds() {
        var started = new CountDownLatch(1);
        var open = new CountDownLatch(1);
        var queue = queue(new WriteSettings(1, 1000, 1000, 5, Duration.ofMillis(1)), _ -> {
            started.countDown();
            awaitLatch(open);
            return WriteResult.WRITTEN;
        });
        queue.add(List.of("a", "b"));
        awaitLatch(started);
        var closing = Thread.ofVirtual().start(queue::close);
        await().atMost(LONG).until(() -> queue.size() == 1);
        open.countDown();
        await().atMost(LONG).until(() -> !closing.isAlive());
        queue.add(List.of("c"));
        assertThat(looks.keySet()).containsExactly("a");
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
