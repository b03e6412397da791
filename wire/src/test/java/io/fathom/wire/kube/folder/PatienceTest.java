// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private static final long GRACE = Duration.ofMillis(100).toNanos();

    private final Patience patience = new Patience(Duration.ofMillis(100));

    @Test
    void givenFileThatStaysTheSame_thenItIsBelievedAfterTheGraceTime() {
        assertThat(patience.shallWait("a", 1, 0)).isTrue();
        assertThat(patience.nanosToNext(GRACE / 2)).hasValue(GRACE / 2);
        assertThat(patience.due(GRACE - 1)).isEmpty();
        assertThat(patience.shallWait("a", 1, GRACE - 1)).isTrue();
        assertThat(patience.due(GRACE)).containsExactly("a");
        assertThat(patience.shallWait("a", 1, GRACE)).isFalse();
    }

    @Test
    void givenFileThatGoesOnChanging_thenTheTimeStartsAnewButNotForEver() {
        var steps = 0;
        while (patience.shallWait("a", steps, steps * GRACE / 2)) {
            steps++;
        }

        assertThat(steps).isEqualTo(40);
    }

    @Test
    void whenForgotten_thenNothingIsDue() {
        assertThat(patience.shallWait("a", 1, 0)).isTrue();
        patience.forget("a");

        assertThat(patience.due(10 * GRACE)).isEmpty();
        assertThat(patience.nanosToNext(0)).isEmpty();
    }

    @Test
    void givenNoGrace_thenNothingWaits() {
        assertThat(new Patience(Duration.ZERO).shallWait("a", 1, 0)).isFalse();
    }
}
