// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClusterReviewTest {
    private static final ClusterFacts EAST = LinkSamples.cluster("east", 1);

    static Stream<Arguments> cases() {
        var west = LinkSamples.cluster("west", 2);
        var gateways = west.gateways();
        return Stream.of(
                argumentSet("what can be linked is fine", west, ""),
                argumentSet("the same id", with(west, "east", "net-west"), "cluster-id-twice"),
                argumentSet("the same network", with(west, "west", "net-east"), "network-shared"),
                argumentSet("no control plane", with(west, "", "net-west"), "cluster-without-control-plane"),
                argumentSet("no network", with(west, "west", ""), "cluster-without-network"),
                argumentSet("no gateway", gateways(), "cluster-without-gateway"),
                argumentSet("no address", gateways(LinkSamples.gateway()), "gateway-without-address"),
                argumentSet("loopback", gateways(LinkSamples.gateway("127.0.0.1")), "gateway-address-unroutable"),
                argumentSet("link-local", gateways(LinkSamples.gateway("fe80::1")), "gateway-address-unroutable"),
                argumentSet("the other's address", gateways(LinkSamples.gateway("192.0.2.1")), "gateway-address-twice"),
                argumentSet(
                        "another root",
                        new ClusterFacts(
                                "west",
                                "west",
                                "net-west",
                                "west.example",
                                List.of(LinkSamples.root("two")),
                                gateways,
                                List.of()),
                        "no-common-root"),
                argumentSet(
                        "both roots in one of them",
                        new ClusterFacts(
                                "west",
                                "west",
                                "net-west",
                                "west.example",
                                List.of(LinkSamples.root("two"), LinkSamples.ROOT),
                                gateways,
                                List.of()),
                        "root-not-pinned"));
    }

    private static ClusterFacts with(ClusterFacts cluster, String id, String network) {
        return new ClusterFacts(
                cluster.context(),
                id,
                network,
                cluster.trustDomain(),
                cluster.roots(),
                cluster.gateways(),
                cluster.peers());
    }

    private static ClusterFacts gateways(EastWestGateway... gateways) {
        return LinkSamples.cluster("west", List.of(gateways));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenASecondCluster(ClusterFacts second, String code) {
        var found = ClusterReview.of(List.of(EAST, second), LinkSamples.STRICT);

        // what two clusters believe of each other is told of each
        assertThat(found.stream().map(LinkFinding::code).distinct().toList())
                .containsExactlyElementsOf(code.isEmpty() ? List.of() : List.of(code));
        assertThat(found).allSatisfy(finding -> {
            assertThat(finding.fix()).isNotBlank();
            assertThat(finding.where()).contains("west");
        });
    }
}
