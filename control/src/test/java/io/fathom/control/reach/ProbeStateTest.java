// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.reach;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.reach.ProbeState.Usage;
import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProbeStateTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ProbeFinding GOOD = new ProbeFinding.Proven("spiffe://a", Duration.ofMillis(3));
    private static final ProbeFinding BAD = new ProbeFinding.Failed("", "gateway-silent", "no answer");
    private static final ProbeFinding ODD =
            new ProbeFinding.Unproven("spiffe://a", Duration.ofMillis(3), "gateway-not-proven", "who knows");

    /// `+` is a success, `-` a failure, `?` an answer that proves nothing.
    @ParameterizedTest(name = "{0}: {1}, then the next after {2} ms")
    @CsvSource({
        "+,          REACHABLE, 10000",
        "?,          UNKNOWN,   10000",
        "-,          UNKNOWN,    2000",
        "+--,        REACHABLE,  2000",
        "+---,       SUSPECT,    2000",
        "+-----,     SUSPECT,    2000",
        "+------,    DOWN,      10000",
        "+---------, DOWN,      10000",
        "------,     DOWN,      10000",
        "------+,    REACHABLE, 10000",
        "------?,    UNKNOWN,   10000",
        "+--+--,     REACHABLE,  2000",
        "--?---,     SUSPECT,    2000"
    })
    void givenFindings_whenTheyComeInARow_thenTheVerdictFollows(String findings, Reachability want, long pause) {
        var state = play(ProbeState.unknown(START), findings);
        assertThat(state.verdict()).isEqualTo(want);
        assertThat(state.pause(Usage.IN_USE, 0.5)).hasMillis(pause);
    }

    @Test
    void whenTheVerdictStays_thenItsBeginStays_andTheLastProofIsKept() {
        var state = play(ProbeState.unknown(START), "+--------");
        assertThat(state.since()).isEqualTo(START.plusSeconds(7)); // the sixth failure
        assertThat(state.answered()).contains(START.plusSeconds(1));
        assertThat(state.failures()).isEqualTo(8);
    }

    @Test
    void givenGatewayThatIsNotUsed_thenItIsAskedRarely_andNeverAllAtOnce() {
        var state = play(ProbeState.unknown(START), "+");
        assertThat(state.pause(Usage.IDLE, 0.5)).isEqualTo(Duration.ofMinutes(2));
        assertThat(state.pause(Usage.IN_USE, 0)).isEqualTo(Duration.ofSeconds(8));
        assertThat(state.pause(Usage.IN_USE, 1)).isEqualTo(Duration.ofSeconds(12));
    }

    @Test
    void givenVerdictOfAnEarlierRun_thenOneSuccessEndsIt_andAFailureDoesNot() {
        var state = ProbeState.remembered(Reachability.DOWN, START);
        assertThat(play(state, "-").verdict()).isEqualTo(Reachability.DOWN);
        assertThat(play(state, "-").since()).isEqualTo(START);
        assertThat(play(state, "+").verdict()).isEqualTo(Reachability.REACHABLE);
    }

    private static ProbeState play(ProbeState begin, String findings) {
        var state = begin;
        var now = START;
        for (int i = 0; i < findings.length(); i++) {
            now = now.plusSeconds(1);
            state = state.after(
                    switch (findings.charAt(i)) {
                        case '+' -> GOOD;
                        case '-' -> BAD;
                        default -> ODD;
                    },
                    now);
        }
        return state;
    }
}
