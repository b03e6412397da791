// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.Difference.DifferenceKind;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final RulePlan PLAN =
            PodPlan.of(Ip.Family.V4, CaptureSettings.of(DnsCapture.LEFT_ALONE), RuleContext.of(Families.V4));

    private final String asPlanned =
            IptablesChange.replace(new SavedRules(Map.of()), PLAN).replaceAll("(?m)^-N (\\S+)$", ":$1 - [0:0]");

    private static List<Difference> compare(String saved) {
        return Comparison.of(PLAN, SavedRules.parse(saved), (_, _) -> false);
    }

    @Test
    void givenThePlan_thenNothingDiffers() {
        assertThat(compare(asPlanned)).isEmpty();
    }

    @Test
    void givenForeignRulesAndChains_thenNothingDiffers() {
        var more = asPlanned.replace("*nat\n", """
                *nat
                :KUBE-X - [0:0]
                -A OUTPUT -m comment --comment "for ISTIO_OUTPUT" -j KUBE-X
                -A KUBE-X -j RETURN
                """);

        assertThat(compare(more)).isEmpty();
    }

    @Test
    void givenAMissingRule_thenItIsNamed() {
        assertThat(compare(asPlanned.replaceFirst("-A ISTIO_OUTPUT .*0x111/0xfff -j ACCEPT\n", "")))
                .containsExactly(new Difference(
                        DifferenceKind.MISSING,
                        "IPv4 nat ISTIO_OUTPUT",
                        "-p tcp -m mark --mark 0x111/0xfff -j ACCEPT"));
    }

    @Test
    void givenTwoRulesInTheWrongOrder_thenItIsNoticed() {
        var first = "-A ISTIO_OUTPUT ! -d 127.0.0.1/32 -o lo -j ACCEPT\n";
        var swapped = asPlanned
                .replace(first, "")
                .replace("-A ISTIO_OUTPUT -d 169.254.7.127", first + "-A ISTIO_OUTPUT -d 169.254.7.127");

        assertThat(compare(swapped))
                .hasSize(1)
                .first()
                .extracting(Difference::kind)
                .isEqualTo(DifferenceKind.MISPLACED);
    }

    @Test
    void givenNoWayIn_thenItIsMissing() {
        assertThat(compare(asPlanned.replaceFirst("-A OUTPUT -j ISTIO_OUTPUT\n", "")))
                .containsExactly(new Difference(DifferenceKind.MISSING, "IPv4 mangle OUTPUT", "-j ISTIO_OUTPUT"));
    }

    @Test
    void givenAnotherWayIn_thenItIsUnexpected() {
        assertThat(compare(asPlanned.replace("*nat\n", "*nat\n-A INPUT -j ISTIO_PRERT\n")))
                .containsExactly(new Difference(DifferenceKind.UNEXPECTED, "IPv4 nat INPUT", "-j ISTIO_PRERT"));
    }

    @Test
    void givenAnotherChainOfOurs_thenItIsUnexpected() {
        assertThat(compare(asPlanned.replace("*nat\n", "*nat\n:ISTIO_TEST - [0:0]\n")))
                .containsExactly(new Difference(DifferenceKind.UNEXPECTED, "IPv4 nat ISTIO_TEST", "the chain"));
    }

    @Test
    void givenARuleInWordsThatAreUnknown_thenTheToolIsAsked() {
        var other =
                SavedRules.parse(asPlanned.replace("--mark 0x111/0xfff -j ACCEPT", "--brand 0x111/0xfff -j ACCEPT"));

        assertThat(Comparison.of(PLAN, other, (_, _) -> true)).isEmpty();
        assertThat(Comparison.of(PLAN, other, (_, _) -> false)).hasSize(2);
    }
}
