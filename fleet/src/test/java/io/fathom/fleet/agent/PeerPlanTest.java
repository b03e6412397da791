// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.agent.AgentConfig.ServiceSource;
import io.fathom.fleet.agent.PeerPlan.Knowledge;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.kube.tree.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeerPlanTest {
    private static final String NAMESPACE = "istio-eastwest";

    private static FleetPeer peer(String cluster) {
        return new FleetPeer(
                2,
                cluster,
                "uid-" + cluster,
                new GatewayFact(
                        NAMESPACE + "/istio-eastwest",
                        "net-" + cluster,
                        "istio-eastwest",
                        "cluster.local",
                        List.of(
                                new GatewayAddress(GatewayAddress.Kind.LB_IP, "10.4.5.6", 15008, 15012),
                                new GatewayAddress(GatewayAddress.Kind.LB_HOST, "lb.example.com", 15008, 15012)),
                        new GatewayFact.Place("eu-1", ""),
                        GatewayFact.GatewayState.ACTIVE,
                        new Audience.Everybody()));
    }

    private static ExistingGateway ours(String cluster) {
        return ExistingGateway.of(
                NAMESPACE,
                "istio-remote-peer-" + cluster,
                PeerManifest.of(peer(cluster), ServiceSource.PEER).labels());
    }

    private static ExistingGateway manual(String cluster) {
        return ExistingGateway.of(NAMESPACE, "link", Map.of("topology.istio.io/cluster", cluster));
    }

    private static PeerPlan plan(Knowledge known, ExistingGateway... existing) {
        return PeerPlan.of(NAMESPACE, known, List.of(existing));
    }

    private static Knowledge known(FleetPeer... peers) {
        return new Knowledge(Optional.empty(), "uid-west", List.of(peers), Set.of(), ServiceSource.PEER);
    }

    private static List<String> puts(PeerPlan plan) {
        return plan.puts().stream().map(PeerManifest::name).toList();
    }

    @Test
    void givenAPeer_thenItsGatewaySaysAllThatTheControlPlaneNeeds() {
        assertThat(Json.compact(Json.of(
                        PeerManifest.of(peer("east"), ServiceSource.PEER).content())))
                .contains("\"gatewayClassName\":\"istio-remote\"")
                .contains("\"topology.istio.io/network\":\"net-east\"")
                .contains("\"topology.istio.io/cluster\":\"east\"")
                .contains("\"topology.kubernetes.io/region\":\"eu-1\"")
                .doesNotContain("topology.kubernetes.io/zone")
                .contains("\"app.kubernetes.io/managed-by\":\"fathom-fleet\"")
                .contains("\"fleet.fathom.io/origin-uid\":\"uid-east\"")
                .contains("\"gateway.istio.io/service-account\":\"istio-eastwest\"")
                .contains("\"gateway.istio.io/trust-domain\":\"cluster.local\"")
                .contains("\"fleet.fathom.io/distribute-to\":\"*\"")
                .contains("IPAddress")
                .contains("Hostname")
                .contains("15008")
                .contains("xds-tls");
        assertThat(Json.compact(Json.of(
                        PeerManifest.of(peer("east"), ServiceSource.AGENT).content())))
                .contains("\"fleet.fathom.io/services\":\"agent\"");
        assertThat(PeerManifest.of(peer("east"), ServiceSource.PEER))
                .isEqualTo(PeerManifest.of(peer("east"), ServiceSource.PEER));
    }

    @Test
    void givenPeersAndItself_thenThereIsAGatewayForEach() {
        var known = new Knowledge(
                Optional.of(peer("west")), "uid-west", List.of(peer("east")), Set.of(), ServiceSource.PEER);

        assertThat(puts(plan(known))).containsExactly("istio-remote-peer-east", "istio-remote-peer-west");
    }

    @Test
    void givenAManualGateway_thenItWins_andOursGoes() {
        var plan = plan(known(peer("east")), manual("east"), ours("east"));

        assertThat(plan.puts()).isEmpty();
        assertThat(plan.withheld()).containsExactly("east");
        assertThat(plan.removals()).containsExactly(ours("east"));
    }

    @Test
    void givenAClusterThatLeft_thenItsGatewayGoes() {
        var known = new Knowledge(Optional.empty(), "uid-west", List.of(), Set.of("uid-east"), ServiceSource.PEER);

        assertThat(plan(known, ours("east"), ours("south")).removals()).containsExactly(ours("east"));
    }

    @Test
    void givenAnAgentThatKnowsNothing_thenEverythingStays() {
        assertThat(plan(known(), ours("east"), ours("south")).removals()).isEmpty();
    }

    @Test
    void givenItsOwnGatewayIsGone_thenSoIsTheSelfDescription() {
        assertThat(plan(known(peer("east")), ours("west"), ours("east")).removals())
                .containsExactly(ours("west"));
    }

    @Test
    void givenAClusterThatCameBackWithAnotherUid_thenItsGatewayStays() {
        var known = new Knowledge(
                Optional.empty(), "uid-west", List.of(peer("east")), Set.of("uid-old"), ServiceSource.PEER);
        var old = ExistingGateway.of(
                NAMESPACE,
                "istio-remote-peer-east",
                Map.of("app.kubernetes.io/managed-by", "fathom-fleet", "fleet.fathom.io/origin-uid", "uid-old"));

        assertThat(plan(known, old).removals()).isEmpty();
        assertThat(puts(plan(known, old))).containsExactly("istio-remote-peer-east");
    }

    @Test
    void givenAnotherNamespace_thenNothingIsWrittenThere() {
        assertThat(PeerPlan.of("other", known(peer("east")), List.of()).puts()).isEmpty();
    }

    @Test
    void whenTheClusterLeaves_thenOursGo_andManualOnesStay() {
        assertThat(PeerPlan.farewell(List.of(ours("east"), manual("south"))).removals())
                .containsExactly(ours("east"));
    }

    @Test
    void givenALabelThatAnOperatorTookAway_thenTheGatewayIsNotOursAnyMore() {
        var disowned = ExistingGateway.of(
                NAMESPACE, "istio-remote-peer-east", Map.of("fleet.fathom.io/origin-uid", "uid-east"));

        var plan = plan(known(peer("east")), disowned);

        assertThat(plan.removals()).isEmpty();
        assertThat(plan.withheld()).containsExactly("east");
    }
}
