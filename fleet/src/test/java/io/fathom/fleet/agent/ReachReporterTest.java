// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.agent.LocalControlPlane.LocalReach;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.FleetUp.ReachPart;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.PeerReach.ReachedAddress;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReachReporterTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    private static final List<FleetPeer> PEERS = List.of(peer(2, "east"), peer(3, "south"));

    private final ReachReporter reporter = new ReachReporter();

    private static FleetPeer peer(int handle, String cluster) {
        var fact = new GatewayFact(
                "istio-eastwest/istio-eastwest",
                "net-" + cluster,
                "istio-eastwest",
                "cluster.local",
                List.of(),
                GatewayFact.Place.UNKNOWN,
                GatewayFact.GatewayState.ACTIVE,
                new Audience.Everybody());
        return new FleetPeer(handle, cluster, "uid-" + cluster, fact);
    }

    private static GatewayReach row(String cluster, String address, Reachability verdict, long micros) {
        return new GatewayReach(
                "istio-eastwest/istio-remote-peer-" + cluster,
                cluster,
                "net-" + cluster,
                address,
                verdict,
                NOW,
                0,
                Optional.empty(),
                Duration.ofNanos(micros * 1000),
                "",
                "",
                "");
    }

    private List<FleetUp> due(Instant at, GatewayReach... rows) {
        return reporter.due(new LocalReach(List.of(rows), Optional.empty()), PEERS, at);
    }

    private static FleetUp.Reach only(List<FleetUp> messages) {
        assertThat(messages).hasSize(1);
        return (FleetUp.Reach) messages.getFirst();
    }

    @Test
    void whenAStreamBegins_thenEverythingIsSaid_ofClustersOfTheFleet() {
        var said = only(due(
                NOW,
                row("east", "10.0.0.1:15008", Reachability.REACHABLE, 900),
                row("by-hand", "10.0.0.9:15008", Reachability.DOWN, 0)));

        assertThat(said.part()).isEqualTo(ReachPart.FIRST);
        assertThat(said.changed()).extracting(PeerReach::at).containsExactly(new ReachedAddress(2, "10.0.0.1:15008"));
        reporter.connected();
        assertThat(only(due(NOW, row("east", "10.0.0.1:15008", Reachability.REACHABLE, 900)))
                        .changed())
                .hasSize(1);
    }

    @Test
    void whenSomethingIsDifferent_thenThatIsSaid_andElseTwiceAMinuteThatNothingIs() {
        var _ = due(NOW, row("east", "a:1", Reachability.REACHABLE, 10_000));

        assertThat(due(NOW.plusSeconds(2), row("east", "a:1", Reachability.REACHABLE, 13_000)))
                .isEmpty();
        assertThat(only(due(NOW.plusSeconds(4), row("east", "a:1", Reachability.REACHABLE, 16_000)))
                        .changed())
                .hasSize(1);
        assertThat(only(due(NOW.plusSeconds(6), row("east", "a:1", Reachability.SUSPECT, 16_000)))
                        .changed())
                .extracting(PeerReach::verdict)
                .containsExactly(Reachability.SUSPECT);
        assertThat(due(NOW.plusSeconds(35), row("east", "a:1", Reachability.SUSPECT, 16_000)))
                .isEmpty();
        var confirmed = only(due(NOW.plusSeconds(36), row("east", "a:1", Reachability.SUSPECT, 16_000)));
        assertThat(confirmed.changed()).isEmpty();
        assertThat(confirmed.part()).isEqualTo(ReachPart.DELTA);

        var gone = only(due(NOW.plusSeconds(38), row("south", "b:1", Reachability.UNKNOWN, 0)));
        assertThat(gone.gone()).containsExactly(new ReachedAddress(2, "a:1"));
        assertThat(gone.changed()).hasSize(1);
    }

    @Test
    void givenTwoGatewaysForOneAddress_thenTheWorseVerdictIsSaid() {
        var said =
                only(due(NOW, row("east", "a:1", Reachability.DOWN, 0), row("east", "a:1", Reachability.REACHABLE, 1)));

        assertThat(said.changed()).extracting(PeerReach::verdict).containsExactly(Reachability.DOWN);
    }

    @Test
    void givenMany_thenAMessageHasAnEnd() {
        var rows = IntStream.range(0, 1200)
                .mapToObj(i -> row("east", "10.0.%d.%d:15008".formatted(i / 256, i % 256), Reachability.UNKNOWN, 0))
                .toArray(GatewayReach[]::new);

        var messages = due(NOW, rows).stream().map(FleetUp.Reach.class::cast).toList();

        assertThat(messages)
                .extracting(FleetUp.Reach::part)
                .containsExactly(ReachPart.FIRST, ReachPart.DELTA, ReachPart.DELTA);
        assertThat(messages.stream()
                        .mapToInt(message -> message.changed().size())
                        .sum())
                .isEqualTo(1200);
    }
}
