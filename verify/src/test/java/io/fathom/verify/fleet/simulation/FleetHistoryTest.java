// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.fleet.simulation.FleetHistory.FleetEvent;
import io.fathom.verify.fleet.simulation.FleetHistory.FleetSize;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What `bin/bench fleet` does with a thousand clusters, with sixty: everything that has to hold is looked at in all of
/// them, and nothing costs more than was computed before any of it was built. `-Dfathom.seed=N` replays a failure.
class FleetHistoryTest {
    private static final FleetSize SIZE = new FleetSize(60, 200, 40, 10, 60);
    private static final double TOLERANCE = 1.5;

    /// Computed sizes, of plain records with numbers for names.
    private static final long SUMMARY = 81;

    private static final long GATEWAY = 164;
    private static final long VIEW = 135;
    private static final long MARK = 10;
    private static final long ROLLOUTS_PER_SECOND = 90;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final Map<String, FleetEvent> events = new HashMap<>();

    static LongStream seeds() {
        var given = Long.getLong("fathom.seed");
        return given == null ? LongStream.of(1, 2) : LongStream.of(given);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void givenAllThatHappensToAFleet_thenItConverges_andCostsWhatWasComputed(long seed) {
        try (var fleet = new SimulatedFleet(folder, seed)) {
            new FleetHistory(fleet, SIZE, event -> events.put(event.name(), event)).play();

            assertThat(fleet.hub().status().events())
                    .as("what attackers said was refused")
                    .containsKeys(
                            "service-malformed",
                            "service-unknown",
                            "version-stale",
                            "address-taken",
                            "network-not-registered",
                            "cluster-uid-mismatch");
        }
        long clusters = SIZE.clusters() + 1L;
        var views = VIEW * SIZE.interest();
        costs("all clusters join", SUMMARY * SIZE.services() * clusters, Long.MAX_VALUE);
        costs("one more cluster joins", SUMMARY * SIZE.services(), 2 * GATEWAY * clusters + views);
        costs("a gateway has another address", GATEWAY, GATEWAY * clusters);
        costs("rollouts, 60 s", Long.MAX_VALUE, 60 * ROLLOUTS_PER_SECOND * clusters);
        costs(
                "all come back at once",
                (MARK * clusters + 60L * SIZE.interest()) * clusters,
                (GATEWAY * clusters + views) * clusters);
        costs(
                "the server is killed and started, all come back at once",
                (MARK * clusters + 60L * SIZE.interest()) * clusters,
                (GATEWAY * clusters + views) * clusters);
        costs("slow readers read on", 0, clusters / 20 * (views + 20 * clusters));
        // names of places are in each message: 14 and 9 bytes were computed with numbers for them
        costs("one service of one cluster, 0 to 1 endpoints", 32, 32 * clusters);
    }

    private void costs(String name, long up, long down) {
        var event = Optional.ofNullable(events.get(name)).orElseThrow();
        assertThat((double) event.up().bytes()).as("%s, up", event).isLessThanOrEqualTo(TOLERANCE * up);
        assertThat((double) event.down().bytes()).as("%s, down", event).isLessThanOrEqualTo(TOLERANCE * down);
    }
}
