// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.ambient.network.PeerGateway.Discovery;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.ClusterReport;
import io.fathom.control.clusters.FleetOrigins;
import io.fathom.control.clusters.SyncState;
import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.peering.PeerClient;
import io.fathom.wire.peering.PeerSink;
import io.fathom.wire.peering.PeerTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The clusters that Gateways stand for, each followed as long as one does. A cluster whose API server we read is not
/// followed as well: its endpoints would count twice. Nor is one that a fleet speaks for. Any thread.
public final class FollowedPeers implements AutoCloseable {
    private final AmbientMesh mesh;
    private final ClusterRegistry registry;
    private final FleetOrigins fleet;
    private final PeerClient.PeerSettings settings;
    private final Map<String, PeerClient> clients = new ConcurrentSkipListMap<>();
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("peers").factory());
    private final AtomicBoolean asked = new AtomicBoolean();
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private volatile Set<String> joined = Set.of();
    private volatile String network;

    private FollowedPeers(
            AmbientMesh mesh, ClusterRegistry registry, FleetOrigins fleet, PeerClient.PeerSettings settings) {
        this.mesh = mesh;
        this.registry = registry;
        this.fleet = fleet;
        this.settings = settings;
        network = mesh.network();
    }

    /// Begins at once.
    public static FollowedPeers follow(
            AmbientMesh mesh, ClusterRegistry registry, FleetOrigins fleet, PeerClient.PeerSettings settings) {
        var peers = new FollowedPeers(mesh, registry, fleet, settings);
        fleet.relieve(peers::release);
        peers.parts.keep(mesh.subscribe(commit -> {
            if (!commit.changes(mesh.peerGateways()).isEmpty()
                    || !peers.joined.equals(peers.otherwise())
                    || !peers.network.equals(mesh.network())) {
                peers.ask();
            }
        }));
        peers.ask();
        return peers;
    }

    /// Who came meanwhile is looked at in one go.
    private void ask() {
        if (asked.compareAndSet(false, true)) {
            try {
                executor.execute(this::review);
            } catch (RejectedExecutionException _) {
                // closed
            }
        }
    }

    /// Clusters that others tell of.
    private Set<String> otherwise() {
        var others = new HashSet<>(registry.clusters());
        others.addAll(fleet.clusters());
        return others;
    }

    private void review() {
        asked.set(false);
        joined = otherwise();
        fleet.review();
        var wanted = targets();
        if (!network.equals(mesh.network())) {
            network = mesh.network();
            clients.values().forEach(PeerClient::askAnew); // what we ask for depends on it
        }
        for (var cluster : List.copyOf(clients.keySet())) {
            if (!wanted.containsKey(cluster)) {
                leave(cluster);
            }
        }
        wanted.forEach((cluster, target) -> {
            var client = clients.get(cluster);
            if (client == null) {
                clients.put(cluster, PeerClient.start(settings, target, new Intake(cluster, mesh.peers())));
            } else {
                client.move(target);
            }
        });
    }

    /// What is known of a cluster that the fleet speaks for is the fleet's.
    private void leave(String cluster) {
        var client = clients.remove(cluster);
        if (client != null) {
            client.close();
            if (!fleet.speaksFor(cluster)) {
                mesh.peers().remove(cluster);
            }
        }
    }

    /// The fleet speaks for a cluster now: it is asked no more once this has returned, and what is known of it stays.
    private void release(String cluster) {
        try {
            executor.submit(() -> leave(cluster)).get();
        } catch (RejectedExecutionException _) {
            // closed
        } catch (ExecutionException e) {
            throw new IllegalStateException("a peer could not be left", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Map<String, PeerTarget> targets() {
        var byCluster = new TreeMap<String, List<PeerGateway>>();
        mesh.cut()
                .of(mesh.peerGateways())
                .forEach((_, gateway) -> gateway.cluster()
                        .filter(cluster -> !joined.contains(cluster) && !isLeftToFleet(gateway))
                        .ifPresent(cluster -> byCluster
                                .computeIfAbsent(cluster, _ -> new ArrayList<>())
                                .add(gateway)));
        var targets = new TreeMap<String, PeerTarget>();
        byCluster.forEach(
                (cluster, gateways) -> target(cluster, gateways).ifPresent(found -> targets.put(cluster, found)));
        return targets;
    }

    /// Where endpoints are called directly they are told from control plane to control plane.
    private boolean isLeftToFleet(PeerGateway gateway) {
        return gateway.discovery() == Discovery.FLEET && !isNear(mesh, gateway);
    }

    private static boolean isNear(AmbientMesh mesh, PeerGateway gateway) {
        var ours = mesh.network();
        return !ours.isEmpty() && gateway.network().equals(Optional.of(ours));
    }

    /// Whether a Gateway stands for that cluster.
    public static boolean hasGateway(AmbientMesh mesh, String cluster) {
        return gateways(mesh, cluster).findAny().isPresent();
    }

    /// Whether that cluster is on our network, so that its endpoints are called directly.
    public static boolean isNear(AmbientMesh mesh, String cluster) {
        return gateways(mesh, cluster).anyMatch(gateway -> isNear(mesh, gateway));
    }

    private static Stream<PeerGateway> gateways(AmbientMesh mesh, String cluster) {
        var found = new ArrayList<PeerGateway>();
        mesh.cut().of(mesh.peerGateways()).forEach((_, gateway) -> {
            if (gateway.cluster().equals(Optional.of(cluster))) {
                found.add(gateway);
            }
        });
        return found.stream();
    }

    /// Several Gateways for one cluster are several ways to one control plane.
    private Optional<PeerTarget> target(String cluster, List<PeerGateway> gateways) {
        var direct = gateways.stream()
                .filter(gateway -> gateway.discoveryPort().isPresent())
                .toList();
        var tunnelled = gateways.stream()
                .filter(gateway -> gateway.hbonePort().isPresent())
                .toList();
        var used = direct.isEmpty() ? tunnelled : direct;
        var hosts = new LinkedHashSet<String>();
        used.forEach(gateway ->
                gateway.addresses().stream().map(GatewayManifest.Address::value).forEach(hosts::add));
        if (hosts.isEmpty()) {
            return Optional.empty();
        }
        var first = used.getFirst();
        var domain = first.trustDomain().orElseGet(() -> mesh.trustDomains().getFirst());
        var port = direct.isEmpty() ? first.hbonePort() : first.discoveryPort();
        return Optional.of(new PeerTarget(
                cluster,
                List.copyOf(hosts),
                port.getAsInt(),
                Set.of(new Identity(domain, settings.namespace(), settings.account())),
                direct.isEmpty()
                        ? tunnelled.stream()
                                .map(gateway ->
                                        new Identity(domain, gateway.key().namespace(), gateway.account()))
                                .collect(Collectors.toSet())
                        : Set.of()));
    }

    /// Those that are not connected do not wait any longer.
    public void tryAgain() {
        clients.values().stream()
                .filter(client -> !client.standing().connected())
                .forEach(PeerClient::askAnew);
    }

    /// Of each control plane, over a new connection.
    public void askAnew() {
        clients.values().forEach(PeerClient::askAnew);
    }

    /// How it goes with each.
    public List<ClusterReport> reports() {
        var reports = new ArrayList<ClusterReport>();
        clients.forEach((cluster, client) -> {
            var standing = client.standing();
            reports.add(new ClusterReport(
                    cluster,
                    "Gateway",
                    standing.heard().isPresent() ? SyncState.SYNCED : SyncState.SYNCING,
                    mesh.peers().cluster(cluster).map(ClusterSummary::network).orElse(""),
                    age(standing),
                    Map.of("ServiceSummary", standing.services()),
                    standing.trouble()));
        });
        reports.addAll(fleet.reports());
        reports.addAll(awaited());
        return reports;
    }

    /// Clusters that the fleet is to speak for and has not yet.
    private List<ClusterReport> awaited() {
        var awaited = new TreeMap<String, ClusterReport>();
        mesh.cut()
                .of(mesh.peerGateways())
                .forEach((_, gateway) -> gateway.cluster()
                        .filter(cluster -> isLeftToFleet(gateway)
                                && !fleet.speaksFor(cluster)
                                && !registry.clusters().contains(cluster)
                                && !clients.containsKey(cluster))
                        .ifPresent(cluster -> awaited.put(
                                cluster,
                                new ClusterReport(
                                        cluster,
                                        "Fleet",
                                        SyncState.SYNCING,
                                        gateway.network().orElse(""),
                                        Duration.ZERO,
                                        Map.of(),
                                        fleet.trouble()))));
        return List.copyOf(awaited.values());
    }

    private Duration age(PeerClient.Standing standing) {
        return standing.connected() || standing.heard().isEmpty()
                ? Duration.ZERO
                : Duration.between(standing.heard().get(), settings.timeline().instant());
    }

    /// Those that are not followed now, and why.
    public List<ManifestProblem> problems() {
        var problems = new ArrayList<ManifestProblem>();
        for (var report : reports()) {
            report.trouble().ifPresent(trouble -> problems.add(problem(report, trouble)));
        }
        return problems;
    }

    private static ManifestProblem problem(ClusterReport report, Problem trouble) {
        var known = report.state() == SyncState.SYNCED
                ? "; what is served of it is " + report.age().toSeconds() + " s old"
                : "; nothing is known of it";
        return new ManifestProblem(
                Severity.ERROR,
                "",
                0,
                "Cluster " + report.cluster() + " (" + report.origin() + ")",
                "",
                new Problem(
                        trouble.code(), trouble.message() + known, trouble.fix(), trouble.origin(), trouble.retry()));
    }

    @Override
    public void close() {
        parts.close();
        executor.close();
        clients.values().forEach(PeerClient::close);
    }

    private record Intake(String cluster, PeerSources sources) implements PeerSink {
        @Override
        public void cluster(ClusterSummary summary) {
            sources.put(cluster, summary);
        }

        @Override
        public void services(List<ServiceSummary> changed, List<String> gone) {
            sources.apply(cluster, changed, gone);
        }

        @Override
        public void endpoints(List<ServiceEndpoints> changed, List<String> gone) {
            sources.applyEndpoints(cluster, changed, gone);
        }
    }
}
