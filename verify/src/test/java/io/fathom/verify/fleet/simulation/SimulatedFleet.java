// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.fleet.server.FactCache;
import io.fathom.fleet.server.FleetHub;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.FleetStore;
import io.fathom.fleet.server.FolderStore;
import io.fathom.fleet.server.Registration;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.model.fleet.Interest;
import io.fathom.wire.fleet.JoinOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
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
    private static final int LARGEST_MESSAGE = 256 << 10;

    final SplittableRandom random;
    final ManualTimeline clock = new ManualTimeline(Instant.parse("2026-11-18T12:00:00Z"));
    final TrafficTotals up = new TrafficTotals();
    final TrafficTotals down = new TrafficTotals();
    final Map<String, SimulatedCluster> clusters = new LinkedHashMap<>();
    private final FleetInvariants invariants = new FleetInvariants(clusters);
    private final ServicePool pool = new ServicePool();
    private final Path folder;
    private FleetStore store;
    private FleetHub hub;
    private boolean serverUp = true;

    SimulatedFleet(Path folder, long seed) {
        this.folder = folder;
        this.random = new SplittableRandom(seed);
        this.store = FolderStore.open(folder);
        this.hub = openHub();
    }

    private FleetHub openHub() {
        return FleetHub.open(
                store, Optional.of(FactCache.in(folder.resolve("services"))), POLICY, clock, new SecureRandom());
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
                (origin, service) -> invariants.heard(name, origin, service),
                (origin, path) -> invariants.lost(cluster(name), origin, path));
        admit(name);
        var cluster = new SimulatedCluster(name, clusters.size() + 1, interest, told, pool);
        clusters.put(name, cluster);
        return cluster;
    }

    private void admit(String name) {
        var token = hub.issue(name, new Registration.Bounds(List.of(), List.of()), Duration.ofHours(1), SERVER_KEY);
        var order =
                new JoinOrder(token.text(), name, "uid-" + name, "", List.of("cluster.local"), List.of("net-" + name));
        hub.join(order, "key-" + name, "simulation");
    }

    SimulatedCluster cluster(String name) {
        return Optional.ofNullable(clusters.get(name)).orElseThrow();
    }

    /// The process dies.
    void crashServer() {
        serverUp = false;
        cutAll();
        store.close();
    }

    /// All streams end, as when another replica takes over.
    void cutAll() {
        clusters.values().forEach(SimulatedFleet::cut);
    }

    private static void cut(SimulatedCluster cluster) {
        cluster.stream().ifPresent(SimulatedStream::cut);
    }

    /// The network between the server and these is gone, and later it is back.
    void reachable(Collection<SimulatedCluster> some, boolean now) {
        for (var cluster : some) {
            cluster.reachable = now;
            if (!now) {
                cut(cluster);
            }
        }
    }

    /// What clusters have said of services is gone, members are not.
    void loseCache() {
        var cache = folder.resolve("services");
        try (var files = Files.list(cache)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void startServer() {
        store = FolderStore.open(folder);
        hub = openHub();
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
        deliver();
        invariants.addressesStay();
    }

    /// Messages move until there are none.
    void deliver() {
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
        if (Math.max(up.largest(), down.largest()) > LARGEST_MESSAGE) {
            throw new AssertionError("a message has " + Math.max(up.largest(), down.largest()) + " bytes");
        }
    }

    /// As agents do: after a while that grows, and is different for each.
    private void reconnect(SimulatedCluster cluster) {
        if (!cluster.member || !cluster.reachable || !serverUp || now().isBefore(cluster.nextAttempt)) {
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
        assertConverged(clusters.values());
    }

    /// All that can have a stream.
    void assertConnected() {
        for (var cluster : clusters.values()) {
            if (cluster.member && cluster.reachable) {
                var connected = cluster.stream().filter(stream -> !stream.isOver());
                if (connected.isEmpty()) {
                    throw new AssertionError(cluster.name + " has no stream");
                }
            }
        }
    }

    void assertConverged(Collection<SimulatedCluster> viewers) {
        invariants.converged(viewers);
    }

    @Override
    public void close() {
        store.close();
    }
}
