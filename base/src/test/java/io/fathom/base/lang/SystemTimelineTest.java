// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SystemTimelineTest {
    @Test
    void givenATimeThatIsOver_thenTheTaskRunsAtOnceOnAVirtualThread() throws Exception {
        try (var time = new SystemTimeline()) {
            var thread = new CompletableFuture<Thread>();
            time.at(time.instant().minusSeconds(5), () -> thread.complete(Thread.currentThread()));
            assertThat(thread.get(10, TimeUnit.SECONDS).isVirtual()).isTrue();
        }
    }

    @Test
    void givenALaterTime_thenTheTaskDoesNotRunBefore() throws Exception {
        try (var time = new SystemTimeline()) {
            var due = time.instant().plusMillis(150);
            var ran = new CompletableFuture<java.time.Instant>();
            time.at(due, () -> ran.complete(time.instant()));
            assertThat(ran.get(10, TimeUnit.SECONDS)).isAfterOrEqualTo(due);
        }
    }

    @Test
    void givenTasksThatBlock_thenOthersStillRun() throws Exception {
        try (var time = new SystemTimeline()) {
            var gate = new CountDownLatch(1);
            var others = new CountDownLatch(10);
            for (var i = 0; i < 10; i++) {
                time.at(time.instant(), () -> awaited(gate));
                time.at(time.instant().plusMillis(10), others::countDown);
            }
            assertThat(others.await(10, TimeUnit.SECONDS)).isTrue();
            gate.countDown();
        }
    }

    @Test
    void whenTakenBackOrClosed_thenNothingRuns() throws Exception {
        var ran = new AtomicInteger();
        var later = new CountDownLatch(1);
        try (var time = new SystemTimeline()) {
            var due = time.instant().plusMillis(50);
            time.at(due, ran::incrementAndGet).close();
            time.at(due.plus(Duration.ofMillis(50)), later::countDown);
            assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
            time.at(due.plusSeconds(3600), ran::incrementAndGet);
        }
        assertThat(ran).hasValue(0);
    }

    private static void awaited(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
