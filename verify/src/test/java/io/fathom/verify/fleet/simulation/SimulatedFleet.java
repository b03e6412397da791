// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.fleet.server.FleetHub;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.FleetStore;
import io.fathom.fleet.server.FolderStore;
import io.fathom.fleet.server.Registration;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.model.fleet.Interest;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.fleet.JoinOrder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// The server and all clusters. Each step is a second: everybody's clock ticks, and messages move until nobody has
/// any, or those that read slowly have had what they take.
final class SimulatedFleet implements AutoCloseable {
    private static final FleetPolicy POLICY =
            new FleetPolicy("fleet.local", Set.of("istio-eastwest"), Duration.ofDays(7), ServicePolicy.OPEN);
    private static final String SERVER_KEY = "S".repeat(43);

    final SplittableRandom random;
    final ManualTimeline clock = new ManualTimeline(Instant.parse("2026-11-18T12:00:00Z"));
    final TrafficTotals up = new TrafficTotals();
    final TrafficTotals down = new TrafficTotals();
    final Map<String, SimulatedCluster> clusters = new LinkedHashMap<>();
    private final Path folder;
    private FleetStore store;
    private FleetHub hub;
    private boolean serverUp = true;

    SimulatedFleet(Path folder, long seed) {
        this.folder = folder;
        this.random = new SplittableRandom(seed);
        this.store = FolderStore.open(folder);
        this.hub = FleetHub.open(store, POLICY, clock, new SecureRandom());
    }

    Instant now() {
        return clock.instant();
    }

    FleetHub hub() {
        return hub;
    }

    /// A new cluster, which is a member but not connected yet.
    SimulatedCluster join(String name, Interest interest) {
        var told = new ToldServices(
                (origin, service) -> find(origin)
                        .ifPresent(from -> assertThat(from.ever)
                                .as("what %s is told of %s has been said by it", name, origin)
                                .contains(service)),
                (origin, path) -> find(origin).ifPresent(from -> judgeLoss(name, from, path, interest)));
        var token = hub.issue(name, new Registration.Bounds(List.of(), List.of()), Duration.ofHours(1), SERVER_KEY);
        var order =
                new JoinOrder(token.text(), name, "uid-" + name, "", List.of("cluster.local"), List.of("net-" + name));
        hub.join(order, "key-" + name, "simulation");
        var cluster = new SimulatedCluster(name, clusters.size() + 1, interest, told);
        clusters.put(name, cluster);
        return cluster;
    }

    SimulatedCluster cluster(String name) {
        return find(name).orElseThrow();
    }

    private Optional<SimulatedCluster> find(String name) {
        return Optional.ofNullable(clusters.get(name));
    }

    /// A service may go from a view when its cluster took it back, or when there are better clusters that have it.
    private void judgeLoss(String viewer, SimulatedCluster from, String path, Interest interest) {
        var others = clusters.values().stream()
                .filter(other -> !other.name.equals(viewer) && other.member)
                .filter(other -> other.exports.containsKey(path) || other.everRemoved.contains(path))
                .count();
        assertThat(!from.member || from.everRemoved.contains(path) || others > interest.mostOrigins())
                .as("%s loses %s of %s only if that is so", viewer, path, from.name)
                .isTrue();
    }

    /// The process dies: what it knew of services is gone, members are not.
    void crashServer() {
        serverUp = false;
        clusters.values().forEach(cluster -> cluster.stream().ifPresent(SimulatedStream::cut));
        store.close();
    }

    void startServer() {
        store = FolderStore.open(folder);
        hub = FleetHub.open(store, POLICY, clock, new SecureRandom());
        serverUp = true;
    }

    void leave(String name) {
        hub.leave(name);
        cluster(name).member = false;
    }

    private void connect(SimulatedCluster cluster) {
        var stream = new SimulatedStream(cluster, up, down);
        cluster.stream = stream;
        var member = Optional.ofNullable(hub.registrations().get(cluster.uid())).orElseThrow();
        stream.begin(hub.open(member, "simulation", stream));
    }

    /// One second.
    void step() {
        clock.advance(Duration.ofSeconds(1));
        if (serverUp) {
            hub.tick();
        }
        for (var cluster : clusters.values()) {
            if (cluster.stream().isEmpty() || cluster.stream().get().isOver()) {
                reconnect(cluster);
            }
            cluster.exchange.tick(now());
        }
        var left = new HashMap<String, Integer>();
        for (var moved = true; moved; ) {
            moved = false;
            for (var cluster : clusters.values()) {
                var most = Math.min(8, left.getOrDefault(cluster.name, cluster.appetite));
                if (cluster.stream().isPresent() && cluster.stream().get().move(most, now())) {
                    left.merge(cluster.name, cluster.appetite - most, (old, _) -> old - most);
                    moved = true;
                }
            }
        }
        assertThat(up.largest()).isLessThanOrEqualTo(256 << 10);
        assertThat(down.largest()).isLessThanOrEqualTo(256 << 10);
    }

    /// As agents do: after a while that grows, and is different for each.
    private void reconnect(SimulatedCluster cluster) {
        if (!cluster.member || !serverUp || now().isBefore(cluster.nextAttempt)) {
            return;
        }
        cluster.nextAttempt = now().plusSeconds(1 + random.nextInt(30));
        connect(cluster);
    }

    void steps(int count) {
        for (var i = 0; i < count; i++) {
            step();
        }
    }

    /// What everybody should hold when nothing is under way.
    void assertConverged() {
        var byPath = new HashMap<String, List<SimulatedCluster>>();
        clusters.values().stream()
                .filter(cluster -> cluster.member)
                .forEach(cluster -> cluster.exports
                        .keySet()
                        .forEach(path -> byPath.computeIfAbsent(path, _ -> new ArrayList<>())
                                .add(cluster)));
        for (var viewer : clusters.values()) {
            if (viewer.member) {
                assertConverged(viewer, byPath);
            }
        }
    }

    private static void assertConverged(SimulatedCluster viewer, Map<String, List<SimulatedCluster>> byPath) {
        var seen = new HashMap<String, Map<String, ServiceSummary>>();
        viewer.plane
                .told()
                .forEach((origin, services) -> services.forEach((path, service) ->
                        seen.computeIfAbsent(path, _ -> new HashMap<>()).put(origin, service)));
        for (var path : byPath.keySet()) {
            if (!viewer.interest.includes(path)) {
                continue;
            }
            var origins = byPath.getOrDefault(path, List.of()).stream()
                    .filter(origin -> !origin.equals(viewer))
                    .toList();
            var held = seen.getOrDefault(path, Map.of());
            var most = viewer.interest.mostOrigins();
            assertThat(held)
                    .as("%s knows so many clusters with %s", viewer.name, path)
                    .hasSize(Math.min(most, origins.size()));
            var ready = origins.stream()
                    .filter(origin -> current(origin, path).ready() > 0)
                    .count();
            var readyHeld = 0;
            for (var origin : origins) {
                var service = held.get(origin.name);
                if (service != null) {
                    assertThat(service)
                            .as("%s holds what %s says of %s", viewer.name, origin.name, path)
                            .isEqualTo(current(origin, path));
                    readyHeld += service.ready() > 0 ? 1 : 0;
                }
            }
            assertThat((long) readyHeld)
                    .as("%s knows those that have endpoints of %s", viewer.name, path)
                    .isEqualTo(Math.min(most, ready));
        }
        assertThat(byPath.keySet())
                .as("%s holds nothing that nobody has", viewer.name)
                .containsAll(seen.keySet());
    }

    private static ServiceSummary current(SimulatedCluster origin, String path) {
        return Optional.ofNullable(origin.exports.get(path)).orElseThrow();
    }

    @Override
    public void close() {
        store.close();
    }
}
