// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ca.RotationPlanner.RotationStep;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RootCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RotationPlannerTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final RootPolicy POLICY = new RootPolicy(
            KeyAlgorithm.P256,
            Duration.ofDays(100),
            RootPolicy.Renewal.NEW_KEY,
            Duration.ofDays(1),
            Duration.ofDays(10),
            Duration.ofHours(1));

    @Test
    void givenAFreshRoot_thenNothingIsDueUntilItsLastFifth() {
        var state = new RootState(root(START), Optional.empty(), List.of());
        assertThat(next(state, START)).isInstanceOf(RotationStep.Nothing.class);
        assertThat(next(state, at(80).minusSeconds(1))).isInstanceOf(RotationStep.Nothing.class);
        assertThat(next(state, at(80))).isInstanceOf(RotationStep.Announce.class);
        assertThat(RotationPlanner.nextTime(state, POLICY)).isEqualTo(at(80));
    }

    @Test
    void givenAnAnnouncedRoot_thenItSignsOnlyAfterItsAnnouncement() {
        var state = new RootState(root(START), Optional.of(announced(at(80))), List.of());
        assertThat(next(state, at(81).minusSeconds(1))).isInstanceOf(RotationStep.Nothing.class);
        assertThat(next(state, at(81))).isInstanceOf(RotationStep.Activate.class);
        assertThat(RotationPlanner.nextTime(state, POLICY)).isEqualTo(at(81));
    }

    @Test
    void givenASigningRootThatEndsDuringTheAnnouncement_thenTheNextOneSignsThen() {
        var state = new RootState(root(START), Optional.of(announced(at(100).minusSeconds(60))), List.of());
        assertThat(next(state, at(100).minusSeconds(1))).isInstanceOf(RotationStep.Nothing.class);
        assertThat(next(state, at(100))).isInstanceOf(RotationStep.Activate.class);
    }

    @Test
    void givenARetiredRoot_thenItStaysUntilWhatItSignedHasEnded() {
        var old = root(START).certificate();
        var state = new RootState(announced(at(80)), Optional.empty(), List.of(old));
        assertThat(next(state, at(91).minusSeconds(1))).isInstanceOf(RotationStep.Nothing.class);
        assertThat(next(state, at(91))).isEqualTo(new RotationStep.Forget(List.of(old)));
    }

    @Test
    void givenARetiredRootThatEndsItself_thenItIsForgotten() {
        var old = root(START).certificate();
        var state = new RootState(announced(at(99)), Optional.empty(), List.of(old));
        assertThat(next(state, at(100))).isEqualTo(new RotationStep.Forget(List.of(old)));
    }

    @Test
    void givenTheSameKeyPolicy_thenTheRootIsProlonged() {
        var policy = new RootPolicy(
                KeyAlgorithm.P256,
                Duration.ofDays(100),
                RootPolicy.Renewal.SAME_KEY,
                Duration.ofDays(1),
                Duration.ofDays(10),
                Duration.ofHours(1));
        var state = new RootState(root(START), Optional.empty(), List.of());
        assertThat(RotationPlanner.next(state, policy, at(80))).isInstanceOf(RotationStep.Prolong.class);
    }

    private static RotationStep next(RootState state, Instant now) {
        return RotationPlanner.next(state, POLICY, now);
    }

    private static Instant at(int day) {
        return START.plus(Duration.ofDays(day));
    }

    private static RootState.Root announced(Instant time) {
        return root(time.minus(RotationPlanner.CLOCK_SKEW));
    }

    private static RootState.Root root(Instant start) {
        var keys = KeyAlgorithm.P256.generate();
        return new RootState.Root(keys.getPrivate(), RootCertificate.create(keys, "td", start, Duration.ofDays(100)));
    }
}
