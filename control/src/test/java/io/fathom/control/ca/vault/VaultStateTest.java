// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.ca.AuthorityHealth.State;
import io.fathom.wire.pki.SigningMaterial;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class VaultStateTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final RenewalPlanner PLANNER = new RenewalPlanner(RenewalPolicy.DEFAULT);
    private static final Problem SEALED =
            new Problem("vault-sealed", "Vault is sealed", "unseal it", Problem.Origin.SERVER, Problem.Retry.SENSIBLE);

    private final TestCa oldRoot = TestCa.root("old", NOW.minusSeconds(60), NOW.plus(Duration.ofDays(10)));
    private final TestCa newRoot = TestCa.root("new", NOW.minusSeconds(60), NOW.plus(Duration.ofDays(10)));

    @Test
    void givenNothingYet_thenMaterialIsUsedAtOnceAndTheStateIsReady() {
        assertThat(status(VaultState.INITIAL, NOW).health().state()).isEqualTo(State.DOWN);
        var held = held(oldRoot, NOW, Duration.ofHours(1));
        var state = VaultState.INITIAL.received(held, NOW, PLANNER).worked(NOW);
        assertThat(state.current()).contains(held);
        assertThat(status(state, NOW).health().state()).isEqualTo(State.READY);
    }

    @Test
    void givenTheSameRoot_whenRenewed_thenUsedAtOnceAndNothingIsKept() {
        var state = VaultState.INITIAL.received(held(oldRoot, NOW, Duration.ofHours(1)), NOW, PLANNER);
        var next = held(oldRoot, NOW, Duration.ofHours(2));
        state = state.received(next, NOW, PLANNER);
        assertThat(state.current()).contains(next);
        assertThat(state.former()).isEmpty();
        assertThat(state.roots()).containsExactly(oldRoot.certificate());
    }

    @Test
    void givenAnotherRoot_whenRenewed_thenTheRootIsAnnouncedBeforeItIsUsedAndTheOldOneStaysUntilItsSignerEnds() {
        var old = held(oldRoot, NOW, Duration.ofHours(1));
        var next = held(newRoot, NOW, Duration.ofHours(2));
        var state = VaultState.INITIAL.received(old, NOW, PLANNER).received(next, NOW, PLANNER);

        assertThat(state.current()).contains(old);
        assertThat(state.newest()).contains(next);
        assertThat(state.roots()).containsExactly(oldRoot.certificate(), newRoot.certificate());

        var early = state.at(NOW.plus(Duration.ofMinutes(5)).minusMillis(1));
        assertThat(early.current()).contains(old);
        var switched = state.at(NOW.plus(Duration.ofMinutes(5)));
        assertThat(switched.current()).contains(next);
        assertThat(switched.staged()).isEmpty();
        assertThat(switched.roots()).containsExactly(newRoot.certificate(), oldRoot.certificate());

        assertThat(switched.at(old.notAfter().minusMillis(1)).roots()).hasSize(2);
        assertThat(switched.at(old.notAfter()).roots()).containsExactly(newRoot.certificate());
    }

    @Test
    void givenAnExpiredSigner_whenAnotherRootComes_thenItIsUsedAtOnce() {
        var later = NOW.plus(Duration.ofHours(2));
        var state = VaultState.INITIAL.received(held(oldRoot, NOW, Duration.ofHours(1)), NOW, PLANNER);
        var next = held(newRoot, later, Duration.ofHours(1));
        assertThat(state.received(next, later, PLANNER).current()).contains(next);
    }

    @Test
    void givenTrouble_thenTheStateSaysSinceWhenAndWhyAndTheAlarmComesWithTheEnd() {
        var held = held(oldRoot, NOW, Duration.ofHours(1));
        var state = VaultState.INITIAL.received(held, NOW, PLANNER).worked(NOW);
        var since = NOW.plusSeconds(60);
        state = state.failed(SEALED, since).failed(SEALED, since.plusSeconds(30));

        var soon = status(state, since.plusSeconds(60));
        assertThat(soon.health().state()).isEqualTo(State.DEGRADED);
        assertThat(soon.failingSince()).contains(since);
        assertThat(soon.failuresInARow()).isEqualTo(2);
        assertThat(soon.health().problem().orElseThrow().code()).isEqualTo("vault-sealed");
        assertThat(soon.health().problem().orElseThrow().message())
                .contains("Vault is sealed", since.toString(), held.notAfter().toString());
        assertThat(soon.metrics())
                .containsEntry("fathom_vault_up", 0.0)
                .containsEntry("fathom_vault_intermediate_alarm", 0.0)
                .containsEntry("fathom_vault_failing_since_timestamp_seconds", (double) since.getEpochSecond());

        var near = status(state, held.notAfter().minusSeconds(30));
        assertThat(near.health().state()).isEqualTo(State.DEGRADED);
        assertThat(near.health().problem().orElseThrow().code()).isEqualTo("vault-intermediate-expiring");
        assertThat(near.health().problem().orElseThrow().fix()).isEqualTo("unseal it");
        assertThat(near.metrics()).containsEntry("fathom_vault_intermediate_alarm", 1.0);

        var over = status(state, held.notAfter());
        assertThat(over.health().state()).isEqualTo(State.DOWN);
        assertThat(over.health().problem().orElseThrow().code()).isEqualTo("vault-intermediate-expired");
        assertThat(over.metrics()).containsEntry("fathom_vault_intermediate_alarm", 2.0);

        var well = status(state.worked(since.plusSeconds(90)), since.plusSeconds(90));
        assertThat(well.health().state()).isEqualTo(State.READY);
        assertThat(well.health().problem()).isEmpty();
        assertThat(well.metrics()).containsEntry("fathom_vault_up", 1.0);
    }

    @Test
    void givenARootThatEndsFirst_thenThatIsTheEndThatCounts() {
        var root = TestCa.root("short", NOW.minusSeconds(60), NOW.plusSeconds(600));
        assertThat(held(root, NOW, Duration.ofHours(1)).notAfter()).isEqualTo(NOW.plusSeconds(600));
    }

    private static VaultStatus status(VaultState state, Instant now) {
        return VaultStatus.of(state, PLANNER, now);
    }

    private static HeldMaterial held(TestCa root, Instant taken, Duration lifetime) {
        var keys = TestCa.keys();
        var signer = root.authority(
                "signer", keys.getPublic(), OptionalInt.of(0), taken.minusSeconds(30), taken.plus(lifetime));
        var material = new SigningMaterial(keys.getPrivate(), List.of(signer), List.of(root.certificate()));
        return HeldMaterial.of(material, taken, PLANNER, 0.5);
    }
}
