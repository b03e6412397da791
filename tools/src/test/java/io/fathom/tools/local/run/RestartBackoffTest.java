// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RestartBackoffTest {
    private static final Duration BRIEF = Duration.ofMillis(5);

    private final RestartBackoff backoff =
            new RestartBackoff(Duration.ofSeconds(30), Duration.ofSeconds(10), RandomGenerator.getDefault());

    @Test
    void whenAProcessEndsForTheFirstTime_thenItIsStartedAgainAtOnce() {
        assertThat(backoff.after(BRIEF)).isLessThan(Duration.ofMillis(50));
    }

    @Test
    void whenItEndsAgainAndAgain_thenItWaitsLongerAndLonger_upToABound() {
        for (int i = 0; i < 20; i++) {
            var _ = backoff.after(BRIEF);
        }

        assertThat(backoff.after(BRIEF)).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
    }

    @Test
    void givenALongLife_whenItEnds_thenWhatWasBeforeIsForgotten() {
        for (int i = 0; i < 20; i++) {
            var _ = backoff.after(BRIEF);
        }

        assertThat(backoff.after(Duration.ofSeconds(11))).isLessThan(Duration.ofMillis(50));
    }
}
