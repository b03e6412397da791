// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void whenFailing_thenDoublesToTheLimitWithJitter_andResets() {
        var backoff = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(15), new Random(1));
        var whole = 10L;
        var seen = new TreeSet<Duration>();
        for (int i = 0; i < 30; i++) {
            var delay = backoff.next();
            assertThat(delay).isBetween(Duration.ofMillis(whole).dividedBy(2), Duration.ofMillis(whole));
            seen.add(delay);
            whole = Math.min(whole * 2, 15_000);
        }
        assertThat(seen).as("nodes do not come back as one").hasSize(30);
        backoff.reset();
        assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(10));
    }
}
