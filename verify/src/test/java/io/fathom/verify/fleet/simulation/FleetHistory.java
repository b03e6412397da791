// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.model.fleet.Interest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The life of a fleet of some size, and what each part of it costs: clusters join, change, are cut off, come back, are
/// attacked and leave. All agents are real. What has to hold at each moment is checked at each moment; that all have
/// converged is checked with some of the clusters.
final class FleetHistory {
    /// Clusters that come back are in sync after this long.
    static final int IN_SYNC = 120;

    private static final int NAMESPACES = 100;
    private static final String RARE = "shared/rare";
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int EDGES_PER_ROLLOUT = 10;

    private final SimulatedFleet fleet;
    private final FleetSize size;
    private final Consumer<FleetEvent> events;
    private final List<SimulatedCluster> viewers = new ArrayList<>();
    private final Map<Integer, List<Runnable>> agenda = new LinkedHashMap<>();
    private int second;

    /// @param interest services that each cluster wants
    /// @param joins clusters that join in a second
    /// @param viewers clusters that are looked at in whole
    record FleetSize(int clusters, int services, int interest, int joins, int viewers) {}

    /// What happened, and what it took.
    ///
    /// @param simulated seconds until all were in sync
    record FleetEvent(String name, Traffic up, Traffic down, int simulated, double seconds) {}

    /// Sums and marks, which go on all the time, are not in it.
    record Traffic(long frames, long bytes, String kinds) {
        static Traffic of(TrafficTotals totals) {
            return new Traffic(totals.frames(), totals.bytes(), totals.toString());
        }
    }

    FleetHistory(SimulatedFleet fleet, FleetSize size, Consumer<FleetEvent> events) {
        this.fleet = fleet;
        this.size = size;
        this.events = events;
    }

    static String path(int service) {
        return "ns-" + service % NAMESPACES + "/s" + service;
    }

    /// What many clusters have, and one that few have and all want.
    private Interest wanted(int number) {
        Set<String> paths = IntStream.range(0, Math.min(size.interest, size.services) - 1)
                .mapToObj(i -> path((number * 31 + i * 37) % size.services))
                .collect(Collectors.toCollection(HashSet::new));
        paths.add(RARE);
        return new Interest(new Interest.InterestScope.Listed(paths), Interest.USUAL_ORIGINS);
    }

    private SimulatedCluster add(int number) {
        var cluster = fleet.join("c" + number, wanted(number));
        for (var i = 0; i < size.services; i++) {
            var service = cluster.service("ns-" + i % NAMESPACES, "s" + i, 1 + (number + i) % 5, 80);
            cluster.exports.put(path(i), service);
        }
        if (number < 3) {
            cluster.exports.put(RARE, cluster.service("shared", "rare", 2, 80));
        }
        cluster.exportAll(fleet.now());
        return cluster;
    }

    /// One that can be told, and heard of.
    private SimulatedCluster anyone() {
        while (true) {
            var cluster = fleet.cluster("c" + fleet.random.nextInt(size.clusters));
            if (cluster.member && cluster.appetite > 0) {
                return cluster;
            }
        }
    }

    /// All of it.
    void play() {
        everybodyJoins();
        oneMoreJoins();
        aGatewayMoves();
        endpointsAppear();
        rollouts(60);
        aPartition(60);
        everybodyReconnects();
        theServerCrashes();
        theServerForgets();
        attackersAndSluggards(60);
        someLeave();
        quiet();
    }

    private void everybodyJoins() {
        measure("all clusters join", () -> {
            for (var i = 0; i < size.clusters; i++) {
                var cluster = add(i);
                if (i % Math.max(1, size.clusters / size.viewers) == 0) {
                    viewers.add(cluster);
                }
                if (i % size.joins == size.joins - 1) {
                    step();
                }
            }
            return untilInSync();
        });
    }

    private void oneMoreJoins() {
        measure("one more cluster joins", () -> {
            viewers.add(add(size.clusters));
            return untilInSync();
        });
    }

    private void aGatewayMoves() {
        measure("a gateway has another address", () -> {
            fleet.cluster("c0").moveGateway();
            return untilInSync();
        });
    }

    private void endpointsAppear() {
        var origin = fleet.cluster("c1");
        var service = Optional.ofNullable(origin.exports.get(RARE)).orElseThrow();
        origin.scale(service, 0, fleet.now());
        steps(75);
        measure("one service of one cluster, 0 to 1 endpoints", () -> {
            origin.scale(service, 1, fleet.now());
            return untilInSync();
        });
    }

    /// Deployments of five pods, each once a day.
    private void rollouts(int seconds) {
        measure("rollouts, " + seconds + " s", () -> {
            play(seconds, () -> {});
            return 0;
        });
        calmDown();
    }

    /// Each rollout makes ten changes of how many are ready, four seconds apart.
    private void play(int seconds, Runnable each) {
        var perSecond = (double) size.clusters * size.services / SECONDS_PER_DAY;
        for (var i = 0; i < seconds; i++) {
            var begun = (int) perSecond + (fleet.random.nextDouble() < perSecond % 1 ? 1 : 0);
            for (var rollout = 0; rollout < Math.max(1, begun); rollout++) {
                var origin = anyone();
                var path = path(fleet.random.nextInt(size.services));
                for (var edge = 1; edge <= EDGES_PER_ROLLOUT; edge++) {
                    var ready = edge == EDGES_PER_ROLLOUT ? 5 : 4 + fleet.random.nextInt(4);
                    agenda.computeIfAbsent(second + 4 * edge, _ -> new ArrayList<>())
                            .add(() -> scale(origin, path, ready));
                }
            }
            each.run();
            step();
        }
    }

    private void scale(SimulatedCluster origin, String path, int ready) {
        var service = origin.exports.get(path);
        if (origin.member && service != null) {
            origin.scale(service, ready, fleet.now());
        }
    }

    private void step() {
        second++;
        var due = agenda.remove(second);
        if (due != null) {
            due.forEach(Runnable::run);
        }
        fleet.step();
    }

    private void steps(int count) {
        for (var i = 0; i < count; i++) {
            step();
        }
    }

    /// What has begun ends, and what may wait has waited.
    private void calmDown() {
        steps(4 * EDGES_PER_ROLLOUT + 31);
    }

    /// Some are cut off, everything goes on, and they come back.
    private void aPartition(int seconds) {
        var some = fleet.clusters.values().stream()
                .filter(cluster -> cluster.number % 10 == 3)
                .toList();
        viewers.add(some.getFirst());
        fleet.reachable(some, false);
        play(seconds, () -> {});
        calmDown();
        measure("a tenth comes back after " + seconds + " s of rollouts", () -> {
            fleet.reachable(some, true);
            return untilInSync();
        });
    }

    /// All streams end; whoever serves now knows everything.
    private void everybodyReconnects() {
        measure("all come back at once", () -> {
            fleet.cutAll();
            return untilInSync();
        });
    }

    /// The server dies, and all come at once when it is back.
    private void theServerCrashes() {
        fleet.crashServer();
        play(10, () -> {});
        measure("the server is killed and started, all come back at once", () -> {
            fleet.startServer();
            return untilInSync();
        });
        calmDown();
    }

    /// The same with nothing on its disk but members.
    private void theServerForgets() {
        fleet.crashServer();
        fleet.loseCache();
        steps(10);
        measure("the server has forgotten all, all come back at once", () -> {
            fleet.startServer();
            return untilInSync();
        });
    }

    /// Members that say what they like, and members that read a message in ten seconds or none.
    private void attackersAndSluggards(int seconds) {
        var hostile = List.of(hostile(size.clusters + 1), hostile(size.clusters + 2));
        steps(40);
        var slow = fleet.clusters.values().stream()
                .filter(cluster -> cluster.number % 20 == 7)
                .toList();
        viewers.add(slow.getFirst());
        slow.forEach(cluster -> cluster.appetite = 0);
        hostile.getLast().cluster().appetite = 0; // asks, and does not read
        var others = viewers.stream().filter(viewer -> !slow.contains(viewer)).toList();
        measure("attackers and slow readers, " + seconds + " s of rollouts", () -> {
            play(seconds, () -> hostile.forEach(one -> one.act(anyone())));
            return 0;
        });
        hostile.forEach(one -> fleet.leave(one.cluster().name));
        calmDown();
        fleet.assertConverged(others);
        measure("slow readers read on", () -> {
            slow.forEach(cluster -> cluster.appetite = Integer.MAX_VALUE);
            slow.forEach(cluster -> cluster.stream().ifPresent(SimulatedStream::wake));
            return untilInSync();
        });
    }

    private HostileMember hostile(int number) {
        return new HostileMember(add(number), fleet.random);
    }

    private void someLeave() {
        measure("one in a hundred leaves", () -> {
            for (var i = 2; i < size.clusters; i += 100) {
                fleet.leave("c" + i);
            }
            return untilInSync();
        });
    }

    /// Two minutes in which nothing happens, and nobody finds that sums differ.
    private void quiet() {
        var before = fleet.hub().status().events();
        fleet.up.clear();
        fleet.down.clear();
        steps(125);
        fleet.assertConverged(viewers);
        var after = fleet.hub().status().events();
        if (!before.equals(after)) {
            throw new AssertionError("sums differ when nothing has happened: " + before + ", then " + after);
        }
        events.accept(new FleetEvent(
                "two minutes in which nothing happens", Traffic.of(fleet.up), Traffic.of(fleet.down), 125, 0));
    }

    private int untilInSync() {
        for (var waited = 1; ; waited++) {
            step();
            try {
                fleet.assertConnected();
                fleet.assertConverged(viewers);
                return waited;
            } catch (AssertionError e) {
                if (waited >= IN_SYNC) {
                    throw e;
                }
            }
        }
    }

    /// Something that takes until all are in sync.
    private interface Act {
        /// @return how long that took
        int run();
    }

    private void measure(String name, Act act) {
        fleet.up.clear();
        fleet.down.clear();
        var started = System.nanoTime();
        var simulated = act.run();
        events.accept(new FleetEvent(
                name, Traffic.of(fleet.up), Traffic.of(fleet.down), simulated, (System.nanoTime() - started) / 1e9));
    }
}
