// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class RenewalPlannerTest {
    private static final Instant TAKEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final RenewalPolicy POLICY = new RenewalPolicy(
            0.6,
            0.1,
            0.2,
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5));
    private static final RenewalPlanner PLANNER = new RenewalPlanner(POLICY);

    static Stream<Arguments> renewals() {
        return Stream.of(
                argumentSet("without chance at the share asked for", 1000, 0.0, 600),
                argumentSet("chance only makes it earlier", 1000, 0.5, 550),
                argumentSet("a lifetime of no time at all still waits a little", 0, 0.0, 1),
                argumentSet("so does one that is over", -50, 0.9, 1),
                argumentSet("30 days", 30 * 86400, 0.0, 18 * 86400));
    }

    @ParameterizedTest
    @MethodSource("renewals")
    void whenRenewalIsPlanned(long lifetime, double chance, long want) {
        assertThat(PLANNER.renewal(TAKEN, TAKEN.plusSeconds(lifetime), chance)).isEqualTo(TAKEN.plusSeconds(want));
    }

    static Stream<Arguments> retries() {
        return Stream.of(
                argumentSet("the first failure", 1, 86400, 0.0, 1000),
                argumentSet("chance takes up to a half", 1, 86400, 0.5, 750),
                argumentSet("the wait doubles", 4, 86400, 0.0, 8000),
                argumentSet("up to the longest", 20, 86400, 0.0, 60_000),
                argumentSet("however many failures", Integer.MAX_VALUE, 86400, 0.0, 60_000),
                argumentSet("near the end there is time for a few more", 20, 40, 0.0, 10_000),
                argumentSet("but never a busy loop", 20, 1, 0.0, 1000),
                argumentSet("after the end as usual", 20, -5, 0.0, 60_000),
                argumentSet("with nothing in hand as usual", 3, 0, 0.0, 4000));
    }

    @ParameterizedTest
    @MethodSource("retries")
    void whenAnAttemptHasFailed(int failures, long left, double chance, long wantMillis) {
        assertThat(PLANNER.retry(failures, Duration.ofSeconds(left), chance)).isEqualTo(Duration.ofMillis(wantMillis));
    }

    static Stream<Arguments> alarms() {
        return Stream.of(
                argumentSet("fresh", 0, Alarm.NONE),
                argumentSet("renewal due, alarm not yet", 700, Alarm.NONE),
                argumentSet("just before", 799, Alarm.NONE),
                argumentSet("a fifth is left", 800, Alarm.EXPIRING),
                argumentSet("the last second", 999, Alarm.EXPIRING),
                argumentSet("over", 1000, Alarm.EXPIRED));
    }

    @ParameterizedTest
    @MethodSource("alarms")
    void whenTimePasses(long seconds, Alarm want) {
        assertThat(PLANNER.alarm(TAKEN, TAKEN.plusSeconds(1000), TAKEN.plusSeconds(seconds)))
                .isEqualTo(want);
    }

    @Test
    void givenANewRoot_thenTheOverlapNeverOutlivesTheOldSigner() {
        assertThat(PLANNER.overlap(Duration.ofHours(1))).isEqualTo(Duration.ofMinutes(5));
        assertThat(PLANNER.overlap(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(5));
        assertThat(PLANNER.overlap(Duration.ofSeconds(-1))).isEqualTo(Duration.ZERO);
    }

    @Test
    void givenAnyLifetimeAndChance_thenRenewalComesBeforeTheAlarmAndLeavesManyAttempts() {
        var random = new SplittableRandom(42);
        IntStream.range(0, 10_000).forEach(_ -> {
            var end = TAKEN.plusSeconds(random.nextLong(60, 365 * 86400));
            var renewal = PLANNER.renewal(TAKEN, end, random.nextDouble());
            assertThat(renewal).isAfter(TAKEN).isBefore(PLANNER.alarmAt(TAKEN, end));
            var attempts = 0;
            for (var now = renewal; now.isBefore(end); attempts++) {
                now = now.plus(PLANNER.retry(attempts + 1, Duration.between(now, end), random.nextDouble()));
                if (attempts == 5) {
                    return;
                }
            }
            assertThat(attempts).isGreaterThanOrEqualTo(5);
        });
    }

    @Test
    void givenSharesThatMakeNoSense_thenTheyAreRefused() {
        assertThatThrownBy(() -> POLICY.withRenewAfter(1.0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POLICY.withAlarmBelow(0.5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POLICY.withRetry(Duration.ZERO, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
