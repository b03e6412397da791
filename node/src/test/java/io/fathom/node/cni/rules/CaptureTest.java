// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static java.net.StandardProtocolFamily.INET;
import static java.net.StandardProtocolFamily.INET6;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.CaptureSettings.InboundCapture;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Where traffic really goes, for every tool and both versions of IP. Needs root.
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CaptureTest {
    private static final RuleContext BOTH = RuleContext.of(Families.V4_AND_V6);
    private static final List<StandardProtocolFamily> VERSIONS = List.of(INET, INET6);
    private static final int APP = 8080;

    private final SmallNetwork network = new SmallNetwork();
    private final Deque<NodeRules> written = new ArrayDeque<>();

    @BeforeAll
    void start() throws IOException {
        network.start(network.pod, "app", "" + APP);
        network.start(network.pod, "proxy", client(INET), client(INET6));
        network.start(network.client, "resolver", "53");
        network.start(network.client, "resolver", "5353");
    }

    @AfterEach
    void removeRules() {
        network.host.run("sh", "-c", "ip -4 route flush root 169.254.0.0/16; ip -6 route flush root fd16::/16; exit 0");
        for (var version : VERSIONS) {
            var one = version == INET ? "/32" : "/128";
            network.client.run("sh", "-c", "ip addr del " + probe(version) + one + " dev eth0 2>/dev/null; exit 0");
        }
        while (!written.isEmpty()) {
            var rules = written.pop();
            rules.pods().remove(network.pod.path());
            rules.host().remove();
            rules.probes().discard();
        }
    }

    @AfterAll
    void close() {
        network.close();
    }

    private static String host(StandardProtocolFamily version) {
        return SmallNetwork.address(version, 1, 1);
    }

    private static String pod(StandardProtocolFamily version) {
        return SmallNetwork.address(version, 1, 2);
    }

    private static String client(StandardProtocolFamily version) {
        return SmallNetwork.address(version, 2, 2);
    }

    private static String loopback(StandardProtocolFamily version) {
        return version == INET ? "127.0.0.1" : "::1";
    }

    private static String probe(StandardProtocolFamily version) {
        return (version == INET ? BOTH.probeV4() : BOTH.probeV6()).toString();
    }

    private void capture(Tool tool, CaptureSettings settings) {
        tool.assumeItWorks();
        written.push(tool.rules(BOTH, network.host.path()));
        written.getFirst().pods().apply(network.pod.path(), settings);
    }

    @ParameterizedTest
    @EnumSource
    void whenAClientCallsThePod_thenTheProxyGetsIt_andTheAppStillSeesTheClient(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));

        for (var version : VERSIONS) {
            assertThat(network.call(network.client, pod(version), APP))
                    .isEqualTo("15006 then app saw " + client(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenThePodCallsOut_thenTheProxyGetsIt_butNotWhatStaysInThePod(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));

        for (var version : VERSIONS) {
            assertThat(network.call(network.pod, client(version), 9000))
                    .isEqualTo("15001 to " + client(version) + " 9000");
            assertThat(network.call(network.pod, pod(version), APP)).isEqualTo("app saw " + pod(version));
            assertThat(network.call(network.pod, loopback(version), APP)).isEqualTo("app saw " + loopback(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenThePodAsksForAName_thenTheProxyGetsIt_andItsOwnQuestionReachesTheResolver(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));

        for (var version : VERSIONS) {
            assertThat(network.ask(network.pod, client(version), 53, "where"))
                    .isEqualTo("15053 then resolver saw " + pod(version) + " ask where");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenDnsIsLeftAlone_whenThePodAsksForAName_thenTheResolverGetsIt(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.LEFT_ALONE));

        for (var version : VERSIONS) {
            assertThat(network.ask(network.pod, client(version), 53, "where"))
                    .isEqualTo("resolver saw " + pod(version) + " ask where");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenArrivingTrafficIsLeftAlone_whenAClientCalls_thenTheAppGetsIt(Tool tool) throws IOException {
        capture(tool, new CaptureSettings(DnsCapture.LEFT_ALONE, InboundCapture.LEFT_ALONE, List.of()));

        for (var version : VERSIONS) {
            assertThat(network.call(network.client, pod(version), APP)).isEqualTo("app saw " + client(version));
            assertThat(network.call(network.pod, client(version), 9000)).startsWith("15001 ");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenAVirtualInterface_whenSomethingBehindItCallsOut_thenTheProxyGetsIt(Tool tool) throws IOException {
        capture(tool, new CaptureSettings(DnsCapture.LEFT_ALONE, InboundCapture.CAPTURED, List.of("eth0")));

        for (var version : VERSIONS) { // the client stands for a virtual machine
            assertThat(network.call(network.client, pod(version), APP))
                    .isEqualTo("15001 to " + pod(version) + " " + APP);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenTheHostProbes_thenTheAppGetsIt_butForwardedClientsAreCaptured(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));
        var rules = written.getFirst();
        rules.probes().prepare();
        rules.host().install();
        assertThat(network.call(network.host, pod(INET), APP)).isEqualTo("15006 then app saw " + host(INET));

        for (var version : VERSIONS) {
            rules.probes().put(Ip.parse(pod(version)).orElseThrow(), "uid-1");
            assertThat(network.call(network.host, pod(version), APP)).isEqualTo("app saw " + probe(version));
            assertThat(network.call(network.client, pod(version), APP))
                    .isEqualTo("15006 then app saw " + client(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenSomebodyElsewhereUsesTheProbesAddress_thenTheHostDropsIt(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));
        for (var version : VERSIONS) {
            // even if answers found their way back to the liar
            var one = version == INET ? "/32" : "/128";
            network.client.run("ip", "addr", "replace", probe(version) + one, "dev", "eth0");
            network.host.run("ip", "route", "replace", probe(version) + one, "via", client(version));
            network.await(() -> network.callFrom(network.client, probe(version), pod(version), APP)
                    .equals("app saw " + probe(version)));
        }
        var rules = written.getFirst();
        rules.probes().prepare();
        rules.host().install();

        for (var version : VERSIONS) {
            rules.probes().put(Ip.parse(pod(version)).orElseThrow(), "uid-1");
            assertThatThrownBy(() -> network.tryFrom(network.client, probe(version), pod(version), APP))
                    .isInstanceOf(IOException.class);
            assertThat(network.call(network.host, pod(version), APP)).isEqualTo("app saw " + probe(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenThePodSendsOtherDatagrams_thenTheyAreNotCaptured(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));

        for (var version : VERSIONS) {
            assertThat(network.ask(network.pod, client(version), 5353, "who"))
                    .isEqualTo("resolver saw " + pod(version) + " ask who");
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenTheRulesAreRemoved_thenNothingIsCapturedAnyMore(Tool tool) throws IOException {
        capture(tool, CaptureSettings.of(DnsCapture.CAPTURED));
        assertThat(network.call(network.client, pod(INET), APP)).startsWith("15006");

        written.getFirst().pods().remove(network.pod.path());

        for (var version : VERSIONS) {
            assertThat(network.call(network.client, pod(version), APP)).isEqualTo("app saw " + client(version));
        }
    }
}
