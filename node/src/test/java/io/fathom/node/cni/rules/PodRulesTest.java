// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.Difference.DifferenceKind;
import io.fathom.node.cni.rules.PodRules.Applied;
import io.fathom.node.cni.rules.RuleContext.Families;
import io.fathom.node.cni.rules.RuleContext.Reconcile;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// For every tool. Needs root.
class PodRulesTest {
    private static final RuleContext BOTH = RuleContext.of(Families.V4_AND_V6);
    private static final CaptureSettings WITH_DNS = CaptureSettings.of(DnsCapture.CAPTURED);
    private static final CaptureSettings WITHOUT_DNS = CaptureSettings.of(DnsCapture.LEFT_ALONE);

    private final TestNamespace pod = TestNamespace.create();

    @AfterEach
    void close() {
        pod.close();
    }

    @ParameterizedTest
    @EnumSource
    void givenANewPod_whenAppliedTwice_thenTheSecondTimeWritesNothing(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();

        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.WRITTEN);
        var first = tool.dump(pod);
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isEmpty();
        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.UNCHANGED);
        assertThat(tool.dump(pod)).isEqualTo(first);
        assertThat(Tool.routes(pod).lines().map(String::strip)).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource
    void givenOtherSettings_whenApplied_thenRulesAreReplaced(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITHOUT_DNS);
        var without = tool.dump(pod);
        rules.apply(pod.path(), WITH_DNS);

        assertThat(rules.inspect(pod.path(), WITHOUT_DNS)).isNotEmpty();
        assertThat(rules.apply(pod.path(), WITHOUT_DNS)).isEqualTo(Applied.REPLACED);

        assertThat(rules.inspect(pod.path(), WITHOUT_DNS)).isEmpty();
        assertThat(meaningful(tool.dump(pod))).isEqualTo(meaningful(without));
    }

    @ParameterizedTest
    @EnumSource
    void givenRules_whenRemovedTwice_thenNothingIsLeft(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITH_DNS);

        rules.remove(pod.path());
        rules.remove(pod.path());

        assertThat(tool.dump(pod)).doesNotContainIgnoringCase("istio");
        assertThat(Tool.routes(pod)).isBlank();
        assertThat(rules.apply(pod.path(), WITH_DNS)).isIn(Applied.WRITTEN);
    }

    @ParameterizedTest
    @EnumSource
    void givenANamespaceThatIsGone_whenRemoved_thenThatIsFine(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        var gone = Path.of("/var/run/netns/" + pod.name() + "-gone");

        rules.remove(gone);

        assertThatThrownBy(() -> rules.apply(gone, WITH_DNS))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(gone.toString());
    }

    @ParameterizedTest
    @EnumSource
    void givenARuleWasTakenOut_thenInspectionNamesIt_andApplyPutsItBack(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITH_DNS);
        var before = tool.dump(pod);
        takeOutTheWayIn(tool);

        assertThat(rules.inspect(pod.path(), WITH_DNS)).hasSize(1).allSatisfy(difference -> {
            assertThat(difference.kind()).isEqualTo(DifferenceKind.MISSING);
            assertThat(difference.place()).containsIgnoringCase("nat output");
        });
        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.REPLACED);
        assertThat(meaningful(tool.dump(pod))).isEqualTo(meaningful(before));
    }

    private void takeOutTheWayIn(Tool tool) {
        switch (tool) {
            case IPTABLES_NFT -> pod.run("iptables-nft", "-t", "nat", "-D", "OUTPUT", "-j", "ISTIO_OUTPUT");
            case IPTABLES_LEGACY -> pod.run("iptables-legacy", "-t", "nat", "-D", "OUTPUT", "-j", "ISTIO_OUTPUT");
            case NFT -> pod.run("nft", "flush", "chain", "inet", "istio-ambient-nat", "output");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenRoutingWasTakenOut_thenInspectionNamesIt_andApplyPutsItBack(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITH_DNS);
        pod.run("ip", "-4", "rule", "del", "pref", "32764");
        pod.run("ip", "-6", "route", "flush", "table", "100");

        assertThat(rules.inspect(pod.path(), WITH_DNS))
                .extracting(Difference::toString)
                .satisfiesExactly(
                        rule -> assertThat(rule).contains("IPv4 routing: missing: ip rule"),
                        route -> assertThat(route).contains("IPv6 routing: missing: ip route"));
        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.UNCHANGED);
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void givenForeignRules_whenAppliedReplacedAndRemoved_thenTheyStay(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        addForeign(tool);
        var foreign = tool.dump(pod);

        rules.apply(pod.path(), WITH_DNS);
        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.UNCHANGED);
        rules.apply(pod.path(), WITHOUT_DNS);
        assertThat(tool.dump(pod)).contains("203.0.113.9").contains("2001:db8::9");
        rules.remove(pod.path());

        assertThat(meaningful(tool.dump(pod))).isEqualTo(meaningful(foreign));
    }

    private void addForeign(Tool tool) {
        var suffix = tool == Tool.IPTABLES_LEGACY ? "-legacy" : "-nft";
        if (tool == Tool.NFT) {
            pod.run(
                    "nft",
                    "add table inet foreign; add chain inet foreign x;"
                            + "add rule inet foreign x ip daddr 203.0.113.9 drop;"
                            + "add rule inet foreign x ip6 daddr 2001:db8::9 drop");
            return;
        }
        pod.run("iptables" + suffix, "-t", "nat", "-A", "OUTPUT", "-d", "203.0.113.9", "-p", "tcp", "-j", "ACCEPT");
        pod.run("ip6tables" + suffix, "-t", "nat", "-A", "OUTPUT", "-d", "2001:db8::9", "-p", "tcp", "-j", "ACCEPT");
        pod.run("iptables" + suffix, "-A", "INPUT", "-m", "comment", "--comment", "see ISTIO_PRERT", "-j", "ACCEPT");
    }

    @ParameterizedTest
    @EnumSource
    void givenAStrangeChainOfOurs_whenApplied_thenItIsSweptAndNothingIsStoppedAfterwards(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITH_DNS);
        var before = tool.dump(pod);
        addStrangeChain(tool);
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isNotEmpty();

        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.REPLACED);

        assertThat(tool.dump(pod)).doesNotContain("DROP").doesNotContainIgnoringCase("istio_test");
        assertThat(meaningful(tool.dump(pod))).isEqualTo(meaningful(before));
    }

    @ParameterizedTest
    @EnumSource(names = {"IPTABLES_NFT", "IPTABLES_LEGACY"})
    void givenAStrangeChainOfOurs_whenRepairIsOff_thenItIsLeftAndComplainedAbout(Tool tool) {
        tool.assumeItWorks();
        tool.rules(BOTH).pods().apply(pod.path(), WITH_DNS);
        addStrangeChain(tool);
        var before = tool.dump(pod);
        var refusing = tool.rules(BOTH.withReconcile(Reconcile.REFUSE)).pods();

        assertThatThrownBy(() -> refusing.apply(pod.path(), WITH_DNS))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("ISTIO_TEST");
        assertThat(tool.dump(pod)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"IPTABLES_NFT", "IPTABLES_LEGACY"})
    void givenAnAgentDiedWhileRepairing_whenTheNextApplies_thenTrafficIsNoLongerStopped(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(BOTH).pods();
        rules.apply(pod.path(), WITH_DNS);
        var suffix = tool == Tool.IPTABLES_LEGACY ? "-legacy" : "-nft";
        pod.run("sh", "-c", "echo '" + IptablesChange.guard() + "' | iptables" + suffix + "-restore --noflush");
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isNotEmpty();

        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.REPLACED);

        assertThat(tool.dump(pod)).doesNotContain("ISTIO_GUARD").doesNotContain("DROP");
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isEmpty();
    }

    private void addStrangeChain(Tool tool) {
        if (tool == Tool.NFT) {
            pod.run(
                    "nft",
                    "add chain inet istio-ambient-nat istio_test;"
                            + "add rule inet istio-ambient-nat output jump istio_test");
            return;
        }
        var iptables = tool == Tool.IPTABLES_LEGACY ? "iptables-legacy" : "iptables-nft";
        pod.run(iptables, "-t", "nat", "-N", "ISTIO_TEST");
        pod.run(iptables, "-t", "nat", "-A", "ISTIO_TEST", "-p", "tcp", "-j", "RETURN");
        pod.run(iptables, "-t", "nat", "-A", "POSTROUTING", "-j", "ISTIO_TEST");
    }

    @ParameterizedTest
    @EnumSource
    void givenIpv6IsOffOnLoopback_thenThatIsFine(Tool tool) {
        tool.assumeItWorks();
        pod.run("sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6");
        var rules = tool.rules(BOTH).pods();

        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.WRITTEN);
        assertThat(rules.apply(pod.path(), WITH_DNS)).isEqualTo(Applied.UNCHANGED);
        assertThat(rules.inspect(pod.path(), WITH_DNS)).isEmpty();
        rules.remove(pod.path());
        assertThat(Tool.routes(pod)).isBlank();
    }

    @ParameterizedTest
    @EnumSource
    void givenIpv4Only_thenIpv6IsNotTouched(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(RuleContext.of(Families.V4)).pods();

        rules.apply(pod.path(), WITH_DNS);

        assertThat(rules.inspect(pod.path(), WITH_DNS)).isEmpty();
        assertThat(Tool.routes(pod).lines()).hasSize(2);
        assertThat(pod.run("ip6tables-nft-save")).isBlank();
    }

    @ParameterizedTest
    @EnumSource
    void theSavedRulesAreTheStoredOnes(GoldenRules golden) {
        Tool.IPTABLES_NFT.rules(BOTH).pods().apply(pod.path(), golden.settings());

        var v4 = Tool.save(pod, "iptables-nft-save");
        var v6 = Tool.save(pod, "ip6tables-nft-save");
        assertThat(GoldenRules.meaning(v4)).isEqualTo(GoldenRules.meaning(golden.stored("iptables-save.txt", v4)));
        assertThat(GoldenRules.meaning(v6)).isEqualTo(GoldenRules.meaning(golden.stored("ip6tables-save.txt", v6)));
    }

    @ParameterizedTest
    @EnumSource
    void legacyTablesSaveTheSameRules(GoldenRules golden) {
        Tool.IPTABLES_LEGACY.assumeItWorks();
        Tool.IPTABLES_LEGACY.rules(BOTH).pods().apply(pod.path(), golden.settings());

        var v4 = Tool.save(pod, "iptables-legacy-save");
        var v6 = Tool.save(pod, "ip6tables-legacy-save");
        assertThat(GoldenRules.meaning(v4)).isEqualTo(GoldenRules.meaning(golden.stored("iptables-save.txt", v4)));
        assertThat(GoldenRules.meaning(v6)).isEqualTo(GoldenRules.meaning(golden.stored("ip6tables-save.txt", v6)));
    }

    /// Tables that were used once stay, empty; chains are listed as they come.
    private static java.util.List<String> meaningful(String dump) {
        return dump.lines()
                .filter(line -> line.startsWith("-A") || line.contains("counter") || line.contains("drop"))
                .sorted()
                .toList();
    }
}
