// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static io.fathom.fleet.server.Facts.cluster;
import static io.fathom.fleet.server.Facts.gateway;
import static io.fathom.fleet.server.Facts.root;
import static io.fathom.fleet.server.Facts.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FactCheckTest {
    private static final TrustRoot OLD = root();
    private static final TrustRoot NEW = root();
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
                        "fact-malformed"),
                argumentSet(
                        "given an audience of names and labels, then it counts",
                        to(gateway("west", "10.1.0.1"), "east, label:env=prod,label:example.com/tier="),
                        ""),
                argumentSet(
                        "given a label without a value, then not",
                        to(gateway("west", "10.1.0.1"), "east,label:env"),
                        "audience-malformed"),
                argumentSet(
                        "given a value that is none, then not",
                        to(gateway("west", "10.1.0.1"), "label:env=a=b"),
                        "audience-malformed"),
                argumentSet(
                        "given a label that does not say that it is one, then not",
                        to(gateway("west", "10.1.0.1"), "label:env=prod,tier=gold"),
                        "audience-malformed"));
    }

    static Stream<Arguments> rootCases() {
        return Stream.of(
                argumentSet("given none, then nothing is wrong with them", List.of(), ""),
                argumentSet("given those of the others of that domain, then they count", List.of(OLD), ""),
                argumentSet("given another one, then not", List.of(NEW), "trust-domain-taken"),
                argumentSet("given one more, then not", List.of(OLD, NEW), "trust-domain-taken"),
                argumentSet(
                        "given what is no certificate, then not",
                        List.of(TrustRoot.of(new byte[] {1, 2, 3})),
                        "trust-root-malformed"),
                argumentSet(
                        "given something behind the certificate, then not",
                        List.of(TrustRoot.of(Arrays.copyOf(OLD.der(), OLD.der().length + 1))),
                        "trust-root-malformed"),
                argumentSet(
                        "given too many, then not",
                        IntStream.range(0, 9)
                                .mapToObj(i -> TrustRoot.of(new byte[] {(byte) i}))
                                .toList(),
                        "trust-bundle-size"),
                argumentSet(
                        "given one that is too large, then not",
                        List.of(TrustRoot.of(new byte[20_000])),
                        "trust-bundle-size"));
    }

    @ParameterizedTest
    @MethodSource("rootCases")
    void whenAClusterTellsItsRoots(List<TrustRoot> roots, String code) {
        var east = cluster("east", Optional.of(gateway("east", "10.2.0.1").vouchedFor(List.of(OLD))));
        var silent = cluster("north", Optional.of(gateway("north", "10.3.0.1")));
        var fact = gateway("west", "10.1.0.1").vouchedFor(roots);

        assertThat(FactCheck.objectionToRoots(fact, List.of(east, silent))
                        .map(Rejection::code)
                        .orElse(""))
                .isEqualTo(code);
    }

    @Test
    void givenAClusterThatLeft_orAnotherDomain_thenItsRootsAreInNobodysWay() {
        var theirs = Optional.of(gateway("east", "10.2.0.1").vouchedFor(List.of(OLD)));
        var fact = gateway(ID, "net-west", "west.local", "10.1.0.1").vouchedFor(List.of(NEW));

        assertThat(FactCheck.objectionToRoots(fact, List.of(cluster("east", theirs))))
                .isEmpty();
        assertThat(FactCheck.objectionToRoots(
                        gateway("west", "10.1.0.1").vouchedFor(List.of(NEW)),
                        List.of(cluster("east", theirs).left())))
                .isEmpty();
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
