// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.ca.RenewalPlanner;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RenewalPlannerTest {
    private static final Instant START = Instant.parse("2026-11-15T12:00:00Z");

    @ParameterizedTest
    @CsvSource({"0, 27", "0.5, 30", "1, 33"})
    void givenAnHour_thenRenewedAroundItsHalf(double chance, int minutes) {
        assertThat(RenewalPlanner.renewal(START, START.plus(Duration.ofHours(1)), chance))
                .isEqualTo(START.plus(Duration.ofMinutes(minutes)));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 4", "8, 128", "9, 150", "1000, 150"})
    void givenFailuresInARow_thenTheDelayDoubles(int failures, int seconds) {
        var whole = Duration.ofSeconds(seconds);
        assertThat(RenewalPlanner.retry(failures, 0.5)).isEqualTo(whole);
        assertThat(RenewalPlanner.retry(failures, 0))
                .isEqualTo(whole.multipliedBy(4).dividedBy(5));
        assertThat(RenewalPlanner.retry(failures, 1))
                .isEqualTo(whole.multipliedBy(6).dividedBy(5));
    }

    @Test
    void givenAQueue_thenUrgentFirst_thenInOrder_andRaisedOnceOnly() {
        var queue = new FetchQueue();
        queue.add(Certificates.identity("background"), Priority.BACKGROUND);
        queue.add(Certificates.identity("warm"), Priority.WARMUP);
        queue.add(Certificates.identity("real"), Priority.REAL_TIME);
        queue.add(Certificates.identity("real"), Priority.BACKGROUND);
        queue.add(Certificates.identity("background"), Priority.REAL_TIME);
        queue.add(Certificates.identity("gone"), Priority.REAL_TIME);
        queue.remove(Certificates.identity("gone"));
        assertThat(queue.take()).contains(Certificates.identity("real"));
        assertThat(queue.take()).contains(Certificates.identity("background"));
        assertThat(queue.take()).contains(Certificates.identity("warm"));
        assertThat(queue.take()).isEmpty();
    }
}
