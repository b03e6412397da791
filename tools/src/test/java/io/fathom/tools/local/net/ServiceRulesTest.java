// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.local.folder.LocalServicePort;
import io.fathom.tools.local.folder.LocalServicePort.Protocol;
import io.fathom.tools.local.net.ServiceRules.Forwarding;
import io.fathom.tools.local.net.ServiceRules.Pod;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceRulesTest {
    private static final Slot SLOT = new Slot(1);

    @Test
    void givenPods_thenEachConnectionGoesToOneOfThem() {
        var rules = ServiceRules.of(
                SLOT,
                0,
                List.of(
                        new Forwarding(
                                "198.19.24.1",
                                Protocol.TCP,
                                80,
                                List.of(new Pod("198.19.17.2", 8080), new Pod("198.19.18.2", 8081))),
                        new Forwarding("198.19.24.2", Protocol.UDP, 53, List.of(new Pod("198.19.17.3", 5353)))));

        assertThat(rules.lines().map(String::strip))
                .contains(
                        "ip daddr 198.19.24.1 tcp dport 80 dnat ip to numgen random mod 2 map"
                                + " { 0 : 198.19.17.2 . 8080, 1 : 198.19.18.2 . 8081 }",
                        "ip daddr 198.19.24.2 udp dport 53 dnat ip to numgen random mod 1 map { 0 : 198.19.17.3 . 5353 }");
    }

    @Test
    void givenNoPod_thenTheAddressIsRefused_andNothingOfItLeaves() {
        var rules = ServiceRules.of(SLOT, 1, List.of(new Forwarding("198.19.24.1", Protocol.TCP, 80, List.of())));

        assertThat(rules)
                .doesNotContain("198.19.24.1")
                .contains(
                        "ip daddr 198.19.24.0/24 meta l4proto tcp reject with tcp reset",
                        "ip daddr 198.19.24.0/24 reject");
        assertThat(rules).contains("ip saddr 198.19.18.0/24 ip daddr 198.19.18.0/24 masquerade");
    }

    @Test
    void givenANamedPort_thenThePodSaysWhichItIs() {
        assertThat(new LocalServicePort(Protocol.TCP, 80, "http").of(Map.of("http", 8080)))
                .contains(8080);
        assertThat(new LocalServicePort(Protocol.TCP, 80, "web").of(Map.of("http", 8080)))
                .isEmpty();
        assertThat(new LocalServicePort(Protocol.TCP, 80, "9090").of(Map.of())).contains(9090);
    }
}
