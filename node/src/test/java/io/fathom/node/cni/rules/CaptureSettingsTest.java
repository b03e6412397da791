// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.CaptureSettings.InboundCapture;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureSettingsTest {
    static Stream<Arguments> dnsCases() {
        var on = DnsCapture.CAPTURED;
        var off = DnsCapture.LEFT_ALONE;
        return Stream.of(
                argumentSet("nothing said, on everywhere", Map.of(), on, on),
                argumentSet("nothing said, off everywhere", Map.of(), off, off),
                argumentSet("the pod says yes", dns("true"), off, on),
                argumentSet("the pod says no", dns("false"), on, off),
                argumentSet("other words for yes", dns("T"), off, on),
                argumentSet("other words for no", dns("0"), on, off),
                argumentSet("no boolean, on everywhere", dns("tweedledum"), on, on),
                argumentSet("no boolean, off everywhere", dns("tweedledum"), off, off),
                argumentSet("yes is no boolean", dns("yes"), off, off),
                argumentSet("blanks are no boolean", dns(" true"), off, off));
    }

    private static Map<String, String> dns(String value) {
        return Map.of("ambient.istio.io/dns-capture", value);
    }

    @ParameterizedTest
    @MethodSource("dnsCases")
    void thePodsWordOnDnsBeatsTheNodes(Map<String, String> annotations, DnsCapture everywhere, DnsCapture want) {
        assertThat(CaptureSettings.of(annotations, everywhere)).isEqualTo(CaptureSettings.of(want));
    }

    @Test
    void givenAnIngressGateway_thenArrivingTrafficIsLeftAlone() {
        var settings =
                CaptureSettings.of(Map.of("ambient.istio.io/bypass-inbound-capture", "true"), DnsCapture.LEFT_ALONE);

        assertThat(settings.inbound()).isEqualTo(InboundCapture.LEFT_ALONE);
    }

    @Test
    void givenInterfaces_thenTheyAreSplitAndTrimmed() {
        var settings = CaptureSettings.of(
                Map.of("istio.io/reroute-virtual-interfaces", " eth1,, tap+ ,"), DnsCapture.LEFT_ALONE);

        assertThat(settings.virtualInterfaces()).isEqualTo(List.of("eth1", "tap+"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"eth0\n-A INPUT -j ACCEPT", "eth0 -j ACCEPT", "a/b", "longer-than-15-letters", "e\"h", "e+h"})
    void givenWhatIsNoNameOfAnInterface_thenThePodIsRefused(String name) {
        var annotations = Map.of("istio.io/reroute-virtual-interfaces", "eth1," + name);

        assertThatThrownBy(() -> CaptureSettings.of(annotations, DnsCapture.LEFT_ALONE))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("reroute-virtual-interfaces");
    }
}
