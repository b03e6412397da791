// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// For every tool, in a namespace that plays the host. Needs root.
class HostRulesTest {
    private static final RuleContext BOTH = RuleContext.of(Families.V4_AND_V6);
    private static final Ip V4 = Ip.parse("198.18.1.2").orElseThrow();
    private static final Ip V6 = Ip.parse("2001:db8:1::2").orElseThrow();

    private final TestNamespace host = TestNamespace.create();

    @AfterEach
    void close() {
        host.close();
    }

    @ParameterizedTest
    @EnumSource
    void whenAddressesComeAndGo_thenTheSetsKnowWhoseTheyAre(Tool tool) {
        var probes = tool.rules(BOTH, host.path()).probes();
        probes.prepare();
        assertThat(probes.entries()).isEmpty();

        probes.put(V4, "uid-1");
        probes.put(V6, "uid-1");
        assertThat(probes.entries()).isEqualTo(Map.of(V4, "uid-1", V6, "uid-1"));

        probes.put(V4, "uid-2"); // the next pod has got the address
        probes.prepare();
        assertThat(probes.entries()).isEqualTo(Map.of(V4, "uid-2", V6, "uid-1"));

        probes.remove(V4, "uid-1"); // the previous one goes late
        probes.remove(V6, "uid-1");
        probes.remove(V6, "uid-1");
        assertThat(probes.entries()).isEqualTo(Map.of(V4, "uid-2"));

        probes.put(V6, "uid-3");
        probes.flush();
        assertThat(probes.entries()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whenManyAddressesAreThere_thenAllAreListed(Tool tool) {
        var probes = tool.rules(BOTH, host.path()).probes();
        probes.prepare();

        for (int i = 1; i <= 20; i++) {
            probes.put(Ip.parse("198.18.1." + i).orElseThrow(), "uid-" + i);
        }

        assertThat(probes.entries())
                .hasSize(20)
                .containsEntry(Ip.parse("198.18.1.7").orElseThrow(), "uid-7");
    }

    @ParameterizedTest
    @EnumSource
    void whenInstalledTwice_thenThereIsOneRuleBeforeAllOthers_andRemovalLeavesNothing(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH, host.path());
        addForeign(tool);
        var foreign = tool.dump(host);
        rules.probes().prepare();
        assertThat(rules.host().inspect()).isNotEmpty();

        rules.host().install();
        var once = tool.dump(host);
        rules.host().install();

        assertThat(tool.dump(host)).isEqualTo(once);
        assertThat(rules.host().inspect()).isEmpty();
        if (tool != Tool.NFT) {
            assertThat(once.lines()
                            .filter(line -> line.startsWith("-A POSTROUTING"))
                            .findFirst())
                    .contains("-A POSTROUTING -j ISTIO_POSTRT");
        }

        rules.host().remove();
        rules.host().remove();
        rules.probes().discard();
        rules.probes().discard();
        assertThat(tool.dump(host).lines().filter(line -> line.startsWith("-A") || line.contains("drop")))
                .isEqualTo(foreign.lines()
                        .filter(line -> line.startsWith("-A") || line.contains("drop"))
                        .toList());
        assertThat(tool.dump(host))
                .doesNotContainIgnoringCase("istio_postrt")
                .doesNotContain("ISTIO_CLAIMS")
                .doesNotContain("istio-ambient");
        assertThat(host.run("ipset", "list", "-name")).isBlank();
    }

    @ParameterizedTest
    @EnumSource
    void givenSomebodyTookTheRuleOut_thenInspectionNamesIt(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH, host.path());
        rules.probes().prepare();
        rules.host().install();
        switch (tool) {
            case IPTABLES_NFT -> host.run("iptables-nft", "-t", "nat", "-F", "POSTROUTING");
            case IPTABLES_LEGACY -> host.run("iptables-legacy", "-t", "nat", "-F", "POSTROUTING");
            case NFT -> host.run("nft", "flush", "chain", "inet", "istio-ambient-nat", "postrouting");
        }

        assertThat(rules.host().inspect()).hasSize(1);
        rules.host().install();
        assertThat(rules.host().inspect()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void givenEntries_whenRulesAreInstalledAgain_thenEntriesStay(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH, host.path());
        rules.probes().prepare();
        rules.host().install();
        rules.probes().put(V4, "uid-1");

        rules.host().install();

        assertThat(rules.probes().entries()).isEqualTo(Map.of(V4, "uid-1"));
    }

    @ParameterizedTest
    @EnumSource
    void givenIpv4Only_thenIpv6AddressesAreIgnored(Tool tool) {
        var probes = tool.rules(RuleContext.of(Families.V4), host.path()).probes();
        probes.prepare();

        probes.put(V6, "uid-1");
        probes.put(V4, "uid-1");
        probes.remove(V6, "uid-1");

        assertThat(probes.entries()).isEqualTo(Map.of(V4, "uid-1"));
    }

    private void addForeign(Tool tool) {
        if (tool == Tool.NFT) {
            host.run("nft", "add table inet foreign; add chain inet foreign x; add rule inet foreign x drop");
            return;
        }
        var suffix = tool == Tool.IPTABLES_LEGACY ? "-legacy" : "-nft";
        for (var program : java.util.List.of("iptables" + suffix, "ip6tables" + suffix)) {
            host.run(program, "-t", "nat", "-A", "POSTROUTING", "-p", "tcp", "-j", "MASQUERADE");
            host.run(program, "-t", "nat", "-N", "ISTIO_OF_ANOTHER");
            host.run(program, "-t", "nat", "-A", "POSTROUTING", "-j", "ISTIO_OF_ANOTHER");
        }
    }
}
