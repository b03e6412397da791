// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.fleet.server.ServicePolicy;
import io.fathom.fleet.server.ServicePolicy.ClusterRule;
import io.fathom.model.fleet.Interest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Random histories of fleets. A failure names its seed; `-Dfathom.seed=N` fails again.
class FleetSimulationTest {
    private static final int QUIET = 150;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private static SimulatedFleet fleet(Path folder, long seed, int clusters, int services, int most) {
        var fleet = new SimulatedFleet(folder, seed);
        for (var i = 0; i < clusters; i++) {
            var cluster = fleet.join("c" + i, new Interest(new Interest.InterestScope.Everything(), most));
            for (var j = 0; j < services; j++) {
                if (fleet.random.nextInt(3) > 0) {
                    var service = cluster.service("ns-" + j % 7, "s" + j, fleet.random.nextInt(4), 80);
                    cluster.exports.put(service.path(), service);
                }
            }
            cluster.exportAll(fleet.now());
        }
        return fleet;
    }

    private static void act(SimulatedFleet fleet, int services) {
        var random = fleet.random;
        var all = List.copyOf(fleet.clusters.values());
        var cluster = all.get(random.nextInt(all.size()));
        switch (random.nextInt(20)) {
            case 0 -> cluster.stream().ifPresent(SimulatedStream::cut);
            case 1 -> {
                cluster.stream().ifPresent(SimulatedStream::cut);
                cluster.restart(fleet.now());
            }
            case 2 -> cluster.appetite = 1 + random.nextInt(3);
            case 3 -> cluster.appetite = Integer.MAX_VALUE;
            case 4 ->
                cluster.exports.keySet().stream()
                        .skip(random.nextInt(services))
                        .findFirst()
                        .ifPresent(gone -> cluster.withdraw(gone, fleet.now()));
            case 5 -> {
                var number = random.nextInt(services);
                cluster.export(cluster.service("ns-" + number % 7, "s" + number, random.nextInt(4), 80), fleet.now());
            }
            default ->
                cluster.exports.values().stream()
                        .skip(random.nextInt(services))
                        .findFirst()
                        .ifPresent(service -> cluster.export(
                                cluster.service(service.namespace(), service.name(), random.nextInt(6), 80),
                                fleet.now()));
        }
    }

    private static void play(SimulatedFleet fleet, int seconds, int services) {
        for (var second = 0; second < seconds; second++) {
            for (var i = 0; i < 3; i++) {
                act(fleet, services);
            }
            if (second % 97 == 50) {
                fleet.crashServer();
                if (second > 97) {
                    fleet.loseCache();
                }
            } else if (second % 97 == 60) {
                fleet.startServer();
            }
            if (second == seconds / 2) {
                fleet.leave("c1");
                var late = fleet.join("late", new Interest(new Interest.InterestScope.Everything(), 3));
                late.export(late.service("ns-0", "s0", 2, 80), fleet.now());
                late.exportAll(fleet.now());
            }
            fleet.step();
        }
        if (seconds % 97 > 50 && seconds % 97 <= 60) {
            fleet.startServer();
        }
        fleet.clusters.values().forEach(cluster -> cluster.appetite = Integer.MAX_VALUE);
        fleet.steps(QUIET);
    }

    static LongStream seeds() {
        var given = Long.getLong("fathom.seed");
        return given == null ? LongStream.rangeClosed(1, 6) : LongStream.of(given);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void givenARandomHistory_thenAllClustersConverge(long seed) {
        try (var fleet = fleet(folder, seed, 7, 30, 3)) {
            play(fleet, 200, 30);
            fleet.assertConverged();
            var repairs = fleet.hub().status().events();
            fleet.steps(130);
            fleet.assertConverged();
            assertThat(fleet.hub().status().events()).as("digests are equal").isEqualTo(repairs);
        }
    }

    @Tag("slow")
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12})
    void givenALargeFleet_thenAllClustersConverge(long seed) {
        try (var fleet = fleet(folder, seed, 40, 120, 8)) {
            play(fleet, 300, 120);
            fleet.assertConverged();
        }
    }

    private static Set<String> namespaces(SimulatedFleet fleet, String viewer, String origin) {
        return fleet.cluster(viewer).plane.told().getOrDefault(origin, Map.of()).keySet().stream()
                .map(path -> path.substring(0, path.indexOf('/')))
                .collect(Collectors.toSet());
    }

    @Test
    void whenThePolicyForServicesChanges_thenTheyGoAndComeBack() {
        try (var fleet = fleet(folder, 5, 3, 30, 8)) {
            fleet.steps(QUIET);
            fleet.assertConverged();
            // from here on services go that nobody took back
            fleet.clusters.values().forEach(cluster -> cluster.everRemoved.addAll(cluster.exports.keySet()));
            var first = fleet.cluster("c0");
            var all = namespaces(fleet, "c2", "c0");
            assertThat(all).contains("ns-1", "ns-2").hasSizeGreaterThan(2);

            fleet.hub()
                    .use(new ServicePolicy(
                            50_000,
                            List.of(
                                    new ClusterRule(Set.of("c0"), Set.of("ns-1", "ns-2"), Set.of("*")),
                                    new ClusterRule(Set.of("c1"), Set.of("*"), Set.of("ns-2")))));
            fleet.steps(3);

            assertThat(namespaces(fleet, "c2", "c0")).containsExactlyInAnyOrder("ns-1", "ns-2");
            assertThat(namespaces(fleet, "c1", "c0")).containsExactly("ns-2");
            assertThat(namespaces(fleet, "c1", "c2")).containsExactly("ns-2");
            assertThat(namespaces(fleet, "c0", "c1")).isEqualTo(all);

            first.export(first.service("ns-3", "late", 2, 80), fleet.now()); // may not be, and changes
            fleet.steps(3);
            first.export(first.service("ns-3", "late", 9, 80), fleet.now());
            fleet.steps(60);
            var repairs = fleet.hub().status().events();
            fleet.steps(130);
            assertThat(fleet.hub().status().events())
                    .as("nothing is said again in vain")
                    .isEqualTo(repairs);
            assertThat(namespaces(fleet, "c2", "c0")).containsExactlyInAnyOrder("ns-1", "ns-2");

            fleet.hub().use(ServicePolicy.OPEN);
            fleet.steps(3);

            fleet.assertConverged();
        }
    }

    @Test
    void givenAnInterestInSome_thenNothingElseIsSent() {
        try (var fleet = fleet(folder, 7, 3, 30, 8)) {
            var one =
                    fleet.join("one", new Interest(new Interest.InterestScope.Listed(Set.of("ns-1/s1", "ns-0/s0")), 8));
            one.exportAll(fleet.now());
            fleet.steps(QUIET);
            fleet.assertConverged();
            assertThat(one.plane.told().values())
                    .allSatisfy(
                            services -> assertThat(Set.of("ns-1/s1", "ns-0/s0")).containsAll(services.keySet()));
        }
    }
}
