// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.link.LinkPlanner.Strays;
import io.fathom.tools.link.LinkStep.LinkAction;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LinkPlannerTest {
    private static final ClusterFacts EAST = LinkSamples.cluster("east", 1);
    private static final ClusterFacts WEST = LinkSamples.cluster("west", 2);
    private static final ClusterFacts NORTH = LinkSamples.cluster("north", 3);

    @Test
    void givenNoLinks_thenEachClusterGetsAGatewayForEachOther() {
        var steps = LinkPlanner.link(List.of(EAST, WEST, NORTH), Strays.LEFT);

        assertThat(steps)
                .hasSize(6)
                .allMatch(step -> step.action() == LinkAction.CREATED)
                .extracting(step -> step.context() + " " + step.shape().path() + " "
                        + step.shape().addresses())
                .contains("east istio-eastwest/istio-remote-peer-west [192.0.2.2]")
                .doesNotContain("east istio-eastwest/istio-remote-peer-east [192.0.2.1]");
    }

    @Test
    void givenAllLinks_thenNothingIsWritten_alsoWhereAnApiServerAddedFields() {
        var west = LinkSamples.cluster("west", 2, LinkSamples.peer(EAST));
        var east = LinkSamples.cluster(
                "east",
                1,
                read(Json.compact(LinkSamples.peer(WEST).tree())
                        .replace(
                                "\"port\":15008",
                                "\"port\":15008,\"allowedRoutes\":{\"namespaces\":{\"from\":\"Same\"}}")
                        .replace("\"labels\":{", "\"labels\":{\"someone\":\"else\",")));

        assertThat(LinkPlanner.link(List.of(east, west), Strays.LEFT))
                .allMatch(step -> step.action() == LinkAction.UNCHANGED)
                .hasSize(2);
    }

    @Test
    void whenAnAddressHasChanged_thenOnlyTheGatewaysForThatClusterChange_andItSaysWhat() {
        var west = LinkSamples.cluster("west", 20, LinkSamples.peer(EAST));
        var east = LinkSamples.cluster("east", 1, LinkSamples.peer(WEST));

        var steps = LinkPlanner.link(List.of(east, west), Strays.LEFT);

        assertThat(steps).filteredOn(LinkStep::writes).singleElement().satisfies(step -> {
            assertThat(step.context()).isEqualTo("east");
            assertThat(step.action()).isEqualTo(LinkAction.CHANGED);
            assertThat(step.why()).isEqualTo("address [192.0.2.2] to [192.0.2.20]");
        });
    }

    @Test
    void givenSomebodyElsesGateway_thenItCounts_andOursGoes() {
        var manual = read("""
                {"kind": "Gateway", "metadata": {"name": "istio-remote-peer-west", "namespace": "edge"},
                 "spec": {"gatewayClassName": "istio-remote", "addresses": [{"value": "198.51.100.1"}]}}""");
        var east = LinkSamples.cluster("east", 1, LinkSamples.peer(WEST), manual);

        var steps = LinkPlanner.link(List.of(east, WEST), Strays.REMOVED);

        assertThat(steps)
                .filteredOn(step -> step.context().equals("east"))
                .extracting(LinkStep::action)
                .containsExactly(LinkAction.WITHHELD, LinkAction.REMOVED);
        assertThat(steps).noneMatch(step -> step.shape().equals(manual));
        assertThat(LinkPlanner.unlink(List.of(east, WEST), Set.of("east", "west")))
                .extracting(step -> step.shape().path())
                .containsExactly("istio-eastwest/istio-remote-peer-west");
    }

    @Test
    void givenTwoGatewaysOfACluster_thenBothAreToldOf_andOneThatIsGoneIsRemoved() {
        var both = LinkSamples.cluster(
                "west", List.of(LinkSamples.gateway("192.0.2.2"), LinkSamples.gateway("192.0.2.4")));
        var shapes = LinkPlanner.shapes(both);
        assertThat(shapes)
                .extracting(PeerShape::name)
                .containsExactly("istio-remote-peer-west", "istio-remote-peer-west-2");
        assertThat(shapes).allMatch(shape -> shape.cluster().equals("west"));

        var east = LinkSamples.cluster("east", 1, shapes.toArray(PeerShape[]::new));
        assertThat(LinkPlanner.link(List.of(east, WEST), Strays.LEFT))
                .filteredOn(step -> step.context().equals("east"))
                .extracting(LinkStep::action)
                .containsExactly(LinkAction.UNCHANGED, LinkAction.REMOVED);
    }

    @Test
    void givenAClusterThatIsNotNamed_thenItsGatewayStays_unlessAsked() {
        var east = LinkSamples.cluster("east", 1, LinkSamples.peer(WEST), LinkSamples.peer(NORTH));

        assertThat(actions(LinkPlanner.link(List.of(east, WEST), Strays.LEFT)))
                .containsExactly(LinkAction.UNCHANGED, LinkAction.LEFT_ALONE, LinkAction.CREATED);
        assertThat(actions(LinkPlanner.link(List.of(east, WEST), Strays.REMOVED)))
                .containsExactly(LinkAction.UNCHANGED, LinkAction.REMOVED, LinkAction.CREATED);
    }

    private static List<LinkAction> actions(List<LinkStep> steps) {
        return steps.stream().map(LinkStep::action).toList();
    }

    private static PeerShape read(String json) {
        return Documents.ofJson("gateway", json, Limits.DEFAULT).stream()
                .map(document -> PeerShape.read(((Document.Parsed) document).root()))
                .findFirst()
                .orElseThrow();
    }
}
