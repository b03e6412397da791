// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static io.fathom.fleet.server.Facts.cluster;
import static io.fathom.fleet.server.Facts.gateway;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.GatewayFact;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FactCheckTest {
    private static final String ID = "istio-eastwest/istio-eastwest";

    static Stream<Arguments> cases() {
        return Stream.of(
                argumentSet("given what is registered, then it counts", gateway("west", "10.1.0.1"), ""),
                argumentSet("given an IPv6 address, then it counts", gateway("west", "fd00::1"), ""),
                argumentSet("given a host name, then it counts", gateway("west", "lb.example.com"), ""),
                argumentSet(
                        "given another namespace, then not",
                        gateway("kube-system/istio-eastwest", "net-west", "cluster.local", "10.1.0.1"),
                        "namespace-not-allowed"),
                argumentSet(
                        "given another's network, then not",
                        gateway(ID, "net-east", "cluster.local", "10.1.0.1"),
                        "network-not-registered"),
                argumentSet(
                        "given another's trust domain, then not",
                        gateway(ID, "net-west", "east.local", "10.1.0.1"),
                        "trust-domain-not-registered"),
                argumentSet("given loopback, then not", gateway("west", "127.0.0.2"), "address-refused"),
                argumentSet("given loopback of IPv6, then not", gateway("west", "::1"), "address-refused"),
                argumentSet(
                        "given loopback in disguise, then not", gateway("west", "::ffff:127.0.0.1"), "address-refused"),
                argumentSet("given link-local, then not", gateway("west", "169.254.169.254"), "address-refused"),
                argumentSet("given link-local of IPv6, then not", gateway("west", "fe80::1"), "address-refused"),
                argumentSet("given multicast, then not", gateway("west", "224.0.0.1"), "address-refused"),
                argumentSet("given multicast of IPv6, then not", gateway("west", "ff02::1"), "address-refused"),
                argumentSet("given no address at all, then not", gateway("west", "0.0.0.0"), "address-refused"),
                argumentSet("given localhost, then not", gateway("west", "localhost"), "address-refused"),
                argumentSet("given half an address, then not", gateway("west", "10.1.1"), "address-refused"),
                argumentSet("given another cluster's address, then not", gateway("west", "10.2.0.1"), "address-taken"),
                argumentSet(
                        "given no names, then not",
                        gateway(ID, "net west\n", "cluster.local", "10.1.0.1"),
                        "fact-malformed"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenAClusterSaysIt(GatewayFact fact, String code) {
        var east = cluster("east", Optional.of(gateway("east", "10.2.0.1")));

        var rejection =
                FactCheck.rejection(fact, cluster("west", Optional.empty()), Set.of("istio-eastwest"), List.of(east));

        assertThat(rejection.map(Rejection::code).orElse("")).isEqualTo(code);
        rejection.ifPresent(it -> assertThat(it.id()).isEqualTo(fact.id()));
    }
}
