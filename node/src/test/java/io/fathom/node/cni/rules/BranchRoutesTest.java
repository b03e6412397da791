// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static java.net.StandardProtocolFamily.INET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A host whose pod has a routing table of its own, as with branch network cards on AWS. Needs root.
@Tag("slow")
class BranchRoutesTest {
    private static final RuleContext CONTEXT = RuleContext.of(Families.V4);
    private static final String POD = SmallNetwork.address(INET, 1, 2);
    private static final Ip ADDRESS = Ip.parse(POD).orElseThrow();

    private final SmallNetwork network = new SmallNetwork();
    private final NodeRules rules = Tool.NFT.rules(CONTEXT, network.host.path());

    @BeforeEach
    void makeBranch() throws IOException {
        // only table 101 knows the pod; what comes from it leaves by another card, whatever it is for
        network.host.run("ip", "route", "del", "198.18.1.0/24", "dev", "veth1");
        network.host.run("ip", "route", "add", POD, "dev", "veth1", "table", "101");
        network.host.run("ip", "route", "add", "default", "via", SmallNetwork.address(INET, 2, 2), "table", "101");
        network.host.run("ip", "rule", "add", "iif", "veth1", "lookup", "101", "pref", "10");
        network.host.run("ip", "rule", "del", "pref", "0");
        network.host.run("ip", "rule", "add", "lookup", "local", "pref", "512"); // as the VPC's own plugin does
        network.start(network.pod, "app", "8080");
        rules.pods().apply(network.pod.path(), CaptureSettings.of(DnsCapture.LEFT_ALONE));
        rules.probes().prepare();
        rules.host().install();
    }

    @AfterEach
    void close() {
        network.close();
    }

    @Test
    void givenABranch_whenThePodIsKnown_thenProbesReachIt_andAfterwardsNothingIsLeft() throws IOException {
        earlyDemux("0");
        var before = network.host.run("ip", "rule");
        assertThatThrownBy(() -> network.tryFrom(network.host, "", POD, 8080)).isInstanceOf(IOException.class);

        rules.probes().put(ADDRESS, "uid-1");
        rules.probes().put(ADDRESS, "uid-1");
        assertThat(network.call(network.host, POD, 8080)).isEqualTo("app saw " + CONTEXT.probeV4());

        rules.probes().remove(ADDRESS, "another");
        assertThat(network.host.run("ip", "rule")).isNotEqualTo(before);
        rules.probes().remove(ADDRESS, "uid-1");
        assertThat(network.host.run("ip", "rule")).isEqualTo(before);
    }

    @Test
    void givenTheLinkIsGone_whenThePodIsRemoved_thenItsRulesGoToo() {
        earlyDemux("0");
        rules.probes().put(ADDRESS, "uid-1");
        network.host.run("ip", "link", "del", "veth1");

        rules.probes().remove(ADDRESS, "uid-1");

        assertThat(network.host.run("ip", "rule")).doesNotContain("iif veth1 [detached] lookup local", " to " + POD);
    }

    @Test
    void givenAnyOtherHost_thenRoutingIsNotTouched() {
        earlyDemux("1");
        var before = network.host.run("ip", "rule");

        rules.probes().put(ADDRESS, "uid-1");

        assertThat(network.host.run("ip", "rule")).isEqualTo(before);
    }

    private void earlyDemux(String value) {
        network.host.run("sh", "-c", "echo " + value + " > /proc/sys/net/ipv4/tcp_early_demux");
    }
}
