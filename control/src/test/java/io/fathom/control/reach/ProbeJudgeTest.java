// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.reach;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Our cluster is `west`; `east` and `north` have keys of their own, `twin` shares that of `twin-2`, and `mute` does
/// not say which it has.
final class ProbeJudgeTest {
    private static final ProbeJudge JUDGE = new ProbeJudge(
            "west",
            Set.of("west-key"),
            Set.of("192.0.2.1"),
            Map.of(
                    "east", Set.of("east-key", "east-old-key"),
                    "north", Set.of("north-key"),
                    "twin", Set.of("twin-key"),
                    "twin-2", Set.of("twin-key"),
                    "same-as-ours", Set.of("west-key")));

    @ParameterizedTest(name = "{0} at {1}: {2} signed by {3} is {4}")
    @CsvSource({
        "east,         192.0.2.9, eastwest, east-key,     proven",
        "east,         192.0.2.9, eastwest, east-old-key, proven",
        "east,         192.0.2.9, other,    east-key,     gateway-wrong-identity",
        "east,         192.0.2.9, eastwest, west-key,     gateway-is-ourselves",
        "east,         192.0.2.1, eastwest, east-key,     gateway-is-ourselves",
        "east,         192.0.2.9, eastwest, north-key,    gateway-is-another-cluster",
        "east,         192.0.2.9, eastwest, new-key,      gateway-not-proven",
        "east,         192.0.2.9, eastwest, ,             gateway-not-proven",
        "twin,         192.0.2.9, eastwest, twin-key,     gateway-not-proven",
        "same-as-ours, 192.0.2.9, eastwest, west-key,     gateway-not-proven",
        "mute,         192.0.2.9, eastwest, mute-key,     gateway-not-proven",
        "mute,         192.0.2.9, other,    mute-key,     gateway-wrong-identity",
        "'',           192.0.2.9, eastwest, west-key,     gateway-not-proven"
    })
    void givenAnswer_whenJudged_thenItIsKnownWhoItWas(
            String cluster, String address, String account, String issuer, String want) {
        var answer = new ProbeJudge.Answer(
                List.of(new Identity("td", "edge", account)), Optional.ofNullable(issuer), Duration.ofMillis(1));
        var finding = JUDGE.judge(cluster, new Identity("td", "edge", "eastwest"), address, answer);
        assertThat(word(finding)).isEqualTo(want);
    }

    private static String word(ProbeFinding finding) {
        return switch (finding) {
            case ProbeFinding.Proven _ -> "proven";
            case ProbeFinding.Unproven unproven -> unproven.code();
            case ProbeFinding.Failed failed -> failed.code();
        };
    }
}
