// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyedWorkTest {
    private final ManualTimeline timeline = new ManualTimeline(Instant.EPOCH);
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void givenKeyThatIsBeingLookedAt_whenAddedAgainAndAgain_thenOnceMore() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var work = new KeyedWork<String>("test", 2, timeline, _ -> {
            runs.incrementAndGet();
            begun.countDown();
            joined(go);
        })) {
            work.add("a");
            begun.await();
            work.add("a");
            work.add("a");
            go.countDown();

            await().atMost(Duration.ofSeconds(30)).until(() -> runs.get() == 2);
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void givenFailure_whenTimePasses_thenTriedAgain() {
        try (var work = new KeyedWork<String>("test", 1, timeline, _ -> {
            if (runs.incrementAndGet() < 3) {
                throw new ProblemException(Problem.ofInput("busy", "try later", ""));
            }
        })) {
            work.add("a");
            await().atMost(Duration.ofSeconds(30)).until(() -> work.failure("a").isPresent());
            // It may not have asked to be woken yet when its failure is seen.
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                timeline.advance(Duration.ofSeconds(2));
                return runs.get() == 3 && work.failure("a").isEmpty();
            });
        }
    }

    private static void joined(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
