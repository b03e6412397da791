// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.verify.envoy.PortRelay;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// Three clusters that share all their services, each on a network and with a control plane of its own: first each asks
/// the others' control planes, then one reads the others' objects itself, as with remote secrets. How much memory a
/// service of another cluster takes, and what it takes until a client in one cluster hears of an endpoint that became
/// ready, or is it no more, in another one.
///
/// Control planes are programs of their own on folders; what goes between them passes a relay that counts it. Prints a
/// table, and one line of JSON last.
public final class ClustersBench {
    private static final int CLUSTERS = 3;
    private static final int WARM_UP_CHANGES = 1_000;
    private static final int WARM_UP_RATE = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration QUIET = Duration.ofSeconds(2);

    private record Plan(int pods, int services, int changes, int rate) {
        static Plan of(String[] args) {
            var plan = new Plan(10_000, 1_000, 500, 10);
            for (var arg : args) {
                var value = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
                plan = switch (arg.substring(0, arg.indexOf('='))) {
                    case "--pods" -> new Plan(value, plan.services, plan.changes, plan.rate);
                    case "--services" -> new Plan(plan.pods, value, plan.changes, plan.rate);
                    case "--changes" -> new Plan(plan.pods, plan.services, value, plan.rate);
                    case "--rate" -> new Plan(plan.pods, plan.services, plan.changes, value);
                    default ->
                        throw new IllegalArgumentException(arg + ": use --pods=, --services=, --changes=, --rate=");
                };
            }
            return plan;
        }

        int remoteServices() {
            return (CLUSTERS - 1) * services;
        }
    }

    private final Plan plan;
    private final Workspace workspace = new Workspace();
    private final Path authority = workspace.directory().resolve("ca.pem");
    private final List<BenchCluster> clusters = new ArrayList<>();
    private final List<PortRelay> discovery = new ArrayList<>();
    private int turn;

    private ClustersBench(Plan plan) {
        this.plan = plan;
    }

    public static void main(String[] args) throws Exception {
        new ClustersBench(Plan.of(args)).run();
        System.exit(0); // the workspace ends what runs
    }

    private void run() throws Exception {
        // Addresses of loopback that no other run has.
        var pid = ProcessHandle.current().pid();
        for (var number = 1; number <= CLUSTERS; number++) {
            var cluster = new BenchCluster(
                    workspace.directory().resolve("cluster-" + number),
                    number,
                    "network-" + number,
                    "127.%d.%d.%d".formatted(1 + pid / 250 % 250, 1 + pid % 250, number),
                    plan.pods,
                    plan.services);
            cluster.write();
            clusters.add(cluster);
        }
        var planes = new ArrayList<BenchPlane>();
        for (var cluster : clusters) {
            var plane = BenchPlane.start(workspace, cluster.id(), cluster, authority, List.of());
            planes.add(plane);
            discovery.add(new PortRelay(cluster.gateway(), 15012, "127.0.0.1", plane.tlsPort()));
            // Whoever asks whether a gateway is there gets an answer.
            var _ = new PortRelay(cluster.gateway(), 15008, "127.0.0.1", plane.tlsPort());
        }
        Map<String, Double> gateways;
        Map<String, Double> manifests;
        var origin = planes.getFirst();
        var other = planes.get(1);
        try (var here = Arrivals.open(origin.port(), plan.pods);
                var there = Arrivals.open(other.port(), plan.pods)) {
            awaitQuiet(there);
            var alone = other.liveHeap();
            var aloneResident = ProcessFigures.residentMebibytes(other.pid());
            link();
            awaitPeers(planes);
            awaitQuiet(there);
            gateways = figures(origin, here, other, there, alone, aloneResident);
            // Of each change two clusters are told.
            gateways.computeIfPresent("bytes_between_per_change", (_, sum) -> sum / (CLUSTERS - 1));
            other.close();
            var reads = clusters.stream()
                    .filter(cluster -> cluster.number() != 2)
                    .map(cluster -> "--remote-manifests=" + cluster.id() + "=" + cluster.folder())
                    .toList();
            clusters.get(1).unlink(clusters.get(0));
            clusters.get(1).unlink(clusters.get(2));
            try (var reader = BenchPlane.start(workspace, "reader", clusters.get(1), authority, reads);
                    var heard = Arrivals.open(reader.port(), plan.pods)) {
                awaitQuiet(heard);
                manifests = figures(origin, here, reader, heard, alone, aloneResident);
                manifests.put("bytes_between_per_change", (double)
                        clusters.getFirst().pod(0, true).length());
            }
        }
        print(gateways, manifests);
    }

    /// Each with each.
    private void link() throws IOException {
        for (var cluster : clusters) {
            for (var other : clusters) {
                if (!other.equals(cluster)) {
                    cluster.link(other);
                }
            }
        }
    }

    private void awaitPeers(List<BenchPlane> planes) {
        var patience = System.nanoTime() + PATIENCE.toNanos();
        while (!planes.stream().allMatch(this::hearsAll)) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("the clusters did not hear each other: "
                        + planes.getFirst().clusters());
            }
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    private boolean hearsAll(BenchPlane plane) {
        var known = 0;
        for (var cluster : plane.clusters()) {
            known += cluster.at("/objects/ServiceSummary").asInt();
        }
        return known == plan.remoteServices();
    }

    /// Until nothing has come for a while.
    private static void awaitQuiet(Arrivals client) {
        var before = -1L;
        while (before != client.resources()) {
            before = client.resources();
            LockSupport.parkNanos(QUIET.toNanos());
        }
    }

    private Map<String, Double> figures(
            BenchPlane origin, Arrivals here, BenchPlane other, Arrivals there, long alone, double aloneResident)
            throws Exception {
        var figures = new LinkedHashMap<String, Double>();
        figures.put("heap_bytes_per_remote_service", (other.liveHeap() - alone) / (double) plan.remoteServices());
        figures.put("resident_mib_alone", aloneResident);
        figures.put("resident_mib", ProcessFigures.residentMebibytes(other.pid()));
        changes(here, there, WARM_UP_CHANGES, WARM_UP_RATE, new Latencies(), new Latencies(), new Latencies());
        var bytes = bytesBetween();
        var begun = System.nanoTime();
        var usedHere = ProcessFigures.cpuSeconds(origin.pid());
        var usedThere = ProcessFigures.cpuSeconds(other.pid());
        var toHere = new Latencies();
        var toThere = new Latencies();
        var between = new Latencies();
        changes(here, there, plan.changes, plan.rate, toHere, toThere, between);
        var seconds = (System.nanoTime() - begun) / 1e9;
        figures.put("written_to_own_wire_p50_ms", toHere.millisAt(0.5));
        figures.put("written_to_own_wire_p99_ms", toHere.millisAt(0.99));
        figures.put("written_to_other_wire_p50_ms", toThere.millisAt(0.5));
        figures.put("written_to_other_wire_p99_ms", toThere.millisAt(0.99));
        figures.put("written_to_other_wire_slowest_ms", toThere.millisAt(1));
        figures.put("own_to_other_wire_p50_ms", between.millisAt(0.5));
        figures.put("own_to_other_wire_p99_ms", between.millisAt(0.99));
        figures.put("bytes_between_per_change", (bytesBetween() - bytes) / (double) plan.changes);
        figures.put(
                "origin_cpu_ms_per_change", (ProcessFigures.cpuSeconds(origin.pid()) - usedHere) * 1e3 / plan.changes);
        figures.put(
                "other_cpu_ms_per_change", (ProcessFigures.cpuSeconds(other.pid()) - usedThere) * 1e3 / plan.changes);
        figures.put("changes_per_second", plan.changes / seconds);
        return figures;
    }

    private long bytesBetween() {
        return discovery.stream().mapToLong(PortRelay::bytes).sum();
    }

    /// One after the other, not more often than told; each is an endpoint of another service.
    private void changes(
            Arrivals here, Arrivals there, int count, int rate, Latencies toHere, Latencies toThere, Latencies between)
            throws Exception {
        var next = System.nanoTime();
        for (var change = 0; change < count; change++, turn++) {
            LockSupport.parkNanos(Math.max(0, next - System.nanoTime()));
            var service = (int) (turn * 37L % plan.services);
            here.expect(BenchCluster.key(service));
            there.expect(BenchCluster.key(service));
            var begun = System.nanoTime();
            next = begun + Duration.ofSeconds(1).toNanos() / rate;
            clusters.getFirst().ready(service, turn / plan.services % 2 == 1);
            var own = here.await(PATIENCE);
            var others = there.await(PATIENCE);
            toHere.add(own - begun);
            toThere.add(others - begun);
            between.add(Math.max(0, others - own));
        }
    }

    private void print(Map<String, Double> gateways, Map<String, Double> manifests) {
        System.out.printf(
                Locale.ROOT,
                "%d clusters of %,d pods and %,d global services, %d changes, %d processors%n%n%-36s%14s%14s%n",
                CLUSTERS,
                plan.pods,
                plan.services,
                plan.changes,
                Runtime.getRuntime().availableProcessors(),
                "",
                "gateways",
                "manifests");
        gateways.forEach((row, figure) -> System.out.printf(
                Locale.ROOT, "%-36s%14.2f%14.2f%n", row, figure, manifests.getOrDefault(row, Double.NaN)));
        System.out.printf(Locale.ROOT, "{\"gateways\":%s,\"manifests\":%s}%n", json(gateways), json(manifests));
    }

    private static String json(Map<String, Double> figures) {
        return figures.entrySet().stream()
                .map(figure -> String.format(Locale.ROOT, "\"%s\":%.3f", figure.getKey(), figure.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }
}
