// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PodPlanTest {
    private static final RuleContext BOTH = RuleContext.of(Families.V4_AND_V6);

    @ParameterizedTest
    @EnumSource
    void rulesOfIpv4(GoldenRules rules) {
        var text = restore(rules, Ip.Family.V4);

        assertThat(text).isEqualTo(rules.stored("iptables-restore.txt", text));
    }

    @ParameterizedTest
    @EnumSource
    void rulesOfIpv6(GoldenRules rules) {
        var text = restore(rules, Ip.Family.V6);

        assertThat(text).isEqualTo(rules.stored("ip6tables-restore.txt", text));
    }

    @ParameterizedTest
    @EnumSource
    void rulesOfNftables(GoldenRules rules) {
        var text = NftChange.pod(PodPlan.of(rules.settings(), BOTH), Map.of());

        assertThat(text).isEqualTo(rules.stored("nft.txt", text));
    }

    @ParameterizedTest
    @EnumSource
    void givenIpv4Only_thenNoRuleOfNftablesTouchesIpv6(GoldenRules rules) {
        var text = NftChange.pod(PodPlan.of(rules.settings(), RuleContext.of(Families.V4)), Map.of());

        assertThat(text.lines()
                        .filter(line -> line.startsWith("add rule") && !line.contains(" jump "))
                        .filter(line -> !line.contains(" ip saddr ")
                                && !line.contains(" ip daddr ")
                                && !line.contains(" nfproto ipv4 "))
                        .toList())
                .isEqualTo(List.of());
        assertThat(text).doesNotContain("ip6");
    }

    private static String restore(GoldenRules rules, Ip.Family family) {
        return IptablesChange.replace(new SavedRules(Map.of()), PodPlan.of(family, rules.settings(), BOTH));
    }
}
