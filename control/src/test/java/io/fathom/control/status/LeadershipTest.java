// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.testkit.ManualTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeadershipTest {
    private static final Duration RETRY = Duration.ofMillis(7500);
    private static final ConditionFactory SOON =
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));

    private final ManualTimeline time = new ManualTimeline(Instant.parse("2026-01-01T12:00:00Z"));
    private final MemoryLock lock = new MemoryLock();
    private final List<Contender> contenders = new CopyOnWriteArrayList<>();

    /// One that competes, and counts.
    private final class Contender {
        private final MemoryLock.View view = lock.view();
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger begun = new AtomicInteger();
        private final Leadership leadership;

        Contender(Candidate candidate) {
            leadership = new Leadership(ElectionLock.STATUS, candidate, view, time, this::lead);
            contenders.add(this);
            leadership.begin();
            time.settle();
        }

        private AutoCloseable lead() {
            begun.incrementAndGet();
            running.incrementAndGet();
            return running::decrementAndGet;
        }

        void leads() {
            assertThat(leadership.isLeader()).isTrue();
            SOON.until(() -> running.get() == 1);
        }

        void waits() {
            assertThat(leadership.isLeader()).isFalse();
            SOON.until(() -> running.get() == 0);
        }
    }

    @AfterEach
    void stop() {
        contenders.forEach(contender -> contender.leadership.close());
    }

    private Contender contender(String name, String revision) {
        return new Contender(Candidate.of(name, "istio-system", revision));
    }

    @Test
    void givenTwo_thenTheFirstLeadsForAsLongAsItLives() {
        var first = contender("a", "default");
        var second = contender("b", "default");
        for (var i = 0; i < 20; i++) {
            time.advance(RETRY);
            first.leads();
            second.waits();
        }
        assertThat(first.begun).hasValue(1);
    }

    @Test
    void whenTheLeaderStops_thenTheOtherNeedNotWaitForTheTermToEnd() {
        var first = contender("a", "default");
        var second = contender("b", "default");
        first.leads();
        first.leadership.close();
        first.waits();
        time.advance(RETRY);
        second.leads();
    }

    @Test
    void whenTheLeaderIsCutOff_thenItStopsBeforeTheOtherBegins() {
        var first = contender("a", "default");
        var second = contender("b", "default");
        first.leads();
        first.view.cutOff();
        time.advance(Duration.ofSeconds(14));
        first.leads();
        time.advance(Duration.ofSeconds(1));
        first.waits();
        second.waits();
        assertThat(first.leadership.trouble()).isPresent();
        time.advance(Duration.ofSeconds(23));
        second.leads();
        first.view.restore();
        time.advance(RETRY);
        first.waits();
        second.leads();
        assertThat(first.leadership.trouble()).isEmpty();
    }

    @Test
    void whenTheLeaderIsCutOffBriefly_thenItGoesOn() {
        var first = contender("a", "default");
        first.view.cutOff();
        time.advance(RETRY);
        first.view.restore();
        time.advance(Duration.ofMinutes(1));
        first.leads();
        assertThat(first.begun).hasValue(1);
    }

    @Test
    void whenTheLockIsDeleted_thenItComesBackWithOneLeader() {
        var first = contender("a", "default");
        var second = contender("b", "default");
        first.leads();
        lock.delete();
        time.advance(RETRY);
        time.advance(RETRY);
        assertThat(lock.get()).isPresent();
        assertThat(contenders).filteredOn(each -> each.leadership.isLeader()).hasSize(1);
        await().until(() -> first.running.get() + second.running.get() == 1);
    }

    @Test
    void givenAnotherRevisionLeads_whenTheDefaultOneComes_thenItTakesOverAndKeepsIt() {
        var canary = contender("a", "canary");
        canary.leads();
        var normal = contender("b", "default");
        normal.leads();
        time.advance(RETRY);
        canary.waits();
        time.advance(Duration.ofMinutes(5));
        canary.waits();
        normal.leads();
        assertThat(normal.begun).hasValue(1);
    }

    @Test
    void givenNoElection_thenAllLeadAtOnce() {
        var off = Candidate.of("a", "istio-system", "default").with(Candidate.Election.OFF);
        new Contender(off).leads();
        new Contender(off).leads();
        assertThat(lock.get()).isEmpty();
    }

    @Test
    void whenATaskEndsSlowly_thenTheNextTermWaitsForIt() {
        var slow = new CountDownLatch(1);
        var events = new CopyOnWriteArrayList<String>();
        var view = lock.view();
        var candidate = Candidate.of("a", "istio-system", "default");
        try (var leadership = new Leadership(ElectionLock.STATUS, candidate, view, time, () -> {
            events.add("begin");
            return () -> {
                slow.await();
                events.add("end");
            };
        })) {
            leadership.begin();
            time.settle();
            await().until(() -> events.size() == 1);
            view.cutOff();
            time.advance(Duration.ofSeconds(20));
            view.restore();
            time.advance(RETRY);
            assertThat(leadership.isLeader()).isTrue();
            slow.countDown();
            await().until(() -> events.equals(List.of("begin", "end", "begin")));
        }
        assertThat(events).containsExactly("begin", "end", "begin", "end");
        assertThat(lock.get().orElseThrow().holder()).isEmpty();
    }
}
