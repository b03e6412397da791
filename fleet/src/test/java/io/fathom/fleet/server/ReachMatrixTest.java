// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static io.fathom.fleet.server.Facts.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.FleetUp.ReachPart;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.PeerReach.ReachedAddress;
import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReachMatrixTest {
    private static final Registration WEST = Facts.cluster("west", Optional.empty());

    private final ReachMatrix matrix = new ReachMatrix();

    /// All clusters of [Facts] have number 1.
    private static PeerReach row(int target, String address, Reachability verdict) {
        return new PeerReach(new ReachedAddress(target, address), verdict, NOW, Duration.ZERO, "", "", "");
    }

    private void say(ReachPart part, Optional<Duration> age, PeerReach... rows) {
        matrix.heard("uid-west", new FleetUp.Reach(List.of(rows), List.of(), part, age), 1, NOW);
    }

    private FleetReach west() {
        var all = matrix.of(List.of(WEST));
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    @Test
    void whatWasSaidHolds_untilSomethingElseIsSaid() {
        assertThat(west().asOf()).isEmpty();

        say(ReachPart.FIRST, Optional.empty(), row(1, "a:1", Reachability.DOWN), row(1, "b:1", Reachability.REACHABLE));
        say(ReachPart.DELTA, Optional.of(Duration.ofSeconds(7)));
        assertThat(Objects.requireNonNull(west().peers().get("west")))
                .extracting(PeerReach::verdict)
                .containsExactly(Reachability.DOWN, Reachability.REACHABLE);
        assertThat(FleetReach.verdict(Objects.requireNonNull(west().peers().get("west"))))
                .isEqualTo(Reachability.REACHABLE);
        assertThat(west().asOf()).contains(NOW.minusSeconds(7));
        assertThat(matrix.counts(List.of(WEST)).getFirst().clusters()).isEqualTo(Map.of(Reachability.REACHABLE, 1));

        matrix.heard(
                "uid-west",
                new FleetUp.Reach(List.of(), List.of(new ReachedAddress(1, "b:1")), ReachPart.DELTA, Optional.empty()),
                1,
                NOW);
        assertThat(Objects.requireNonNull(west().peers().get("west"))).hasSize(1);
        say(ReachPart.FIRST, Optional.empty());
        assertThat(west().peers()).isEmpty();
        assertThat(west().asOf()).contains(NOW);

        matrix.forget("uid-west");
        assertThat(west().asOf()).isEmpty();
    }

    @Test
    void givenClustersThatAreNone_orFarTooMany_thenTheyAreNotShown() {
        say(ReachPart.FIRST, Optional.empty(), row(99, "a:1", Reachability.DOWN));
        assertThat(west().peers()).isEmpty();

        say(
                ReachPart.DELTA,
                Optional.empty(),
                IntStream.range(0, 1000)
                        .mapToObj(i -> row(1, "a:" + i, Reachability.DOWN))
                        .toArray(PeerReach[]::new));
        assertThat(Objects.requireNonNull(west().peers().get("west"))).hasSizeLessThan(100);
    }
}
