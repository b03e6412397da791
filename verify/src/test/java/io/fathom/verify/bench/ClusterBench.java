// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.Workspace;
import io.fathom.verify.source.Crowd;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Many pods on a real API server, read by our control plane and by a stock istiod side by side: how long each takes
/// from its start until a client holds everything, how long a new client takes, and how long a change takes from the
/// request to the API server until a client of each has it. Each change is one request that both see.
///
/// Prints a table, ratios, and one line of JSON last.
public final class ClusterBench {
    private static final int NAMESPACES = 10;
    private static final int SERVICES = 10; // in each namespace
    private static final int NEW_CLIENTS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private record Plan(int pods, int changes) {
        static Plan of(String[] args) {
            var plan = new Plan(10_000, 200);
            for (var arg : args) {
                var value = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
                plan = switch (arg.substring(0, arg.indexOf('='))) {
                    case "--pods" -> new Plan(value, plan.changes);
                    case "--changes" -> new Plan(plan.pods, value);
                    default -> throw new IllegalArgumentException(arg + ": use --pods=, --changes=");
                };
            }
            return plan;
        }

        /// Pods, their services, and the API server's own service with its endpoint.
        int resources() {
            return pods + NAMESPACES * SERVICES + 2;
        }
    }

    /// A control plane that runs.
    private record Plane(String name, int port, long pid, double startSeconds) {}

    private ClusterBench() {}

    public static void main(String[] args) throws Exception {
        var plan = Plan.of(args);
        try (var cluster = KubeApiServer.start(InstantSource.system());
                var crowd = new Crowd(cluster.kubeconfig())) {
            populate(crowd, plan);
            var ours = ours(cluster, plan);
            var istiod = istiod(cluster, plan);
            var planes = List.of(ours, istiod);
            var figures = new ArrayList<double[]>();
            for (var plane : planes) {
                var sync = newClient(plane, plan);
                figures.add(new double[] {plane.startSeconds, sync, 0, 0, 0, 0});
            }
            changes(crowd, planes, plan, figures);
            for (var i = 0; i < planes.size(); i++) {
                figures.get(i)[4] = ProcessFigures.residentMebibytes(planes.get(i).pid);
                figures.get(i)[5] = ProcessFigures.cpuSeconds(planes.get(i).pid);
            }
            print(plan, planes, figures);
        }
    }

    private static void populate(Crowd crowd, Plan plan) {
        System.err.printf("making %d pods%n", plan.pods);
        crowd.namespace("istio-system");
        var each = plan.pods / NAMESPACES;
        for (var i = 0; i < NAMESPACES; i++) {
            var namespace = "crowd-" + i;
            crowd.namespace(namespace);
            for (var number = 0; number < SERVICES; number++) {
                crowd.service(namespace, number);
            }
            crowd.pods(namespace, i * each, (i + 1) * each);
        }
    }

    private static Plane ours(KubeApiServer cluster, Plan plan) throws Exception {
        var port = Workspace.freePort();
        var http = Workspace.freePort();
        var begun = System.nanoTime();
        var process = cluster.workspace()
                .start(
                        "fathomd",
                        List.of(
                                Path.of("bin/fathomd").toAbsolutePath().toString(),
                                "--kubeconfig=" + cluster.kubeconfig(),
                                "--plaintext-port=" + port,
                                "--http-port=" + http,
                                "--tls-port=0",
                                "--webhook-port=0",
                                "--health-port=0"),
                        Map.of("FATHOM_BUILD", "skip", "POD_NAME", "fathomd-verify"));
        cluster.workspace().await("fathomd", process, PATIENCE, () -> ready(http));
        awaitAll(port, plan);
        return new Plane("fathomd", port, process.pid(), (System.nanoTime() - begun) / 1e9);
    }

    private static Plane istiod(KubeApiServer cluster, Plan plan) throws Exception {
        var begun = System.nanoTime();
        var istiod = Istiod.start(cluster); // ends with the workspace
        awaitAll(istiod.port(), plan);
        return new Plane("istiod", istiod.port(), istiod.pid(), (System.nanoTime() - begun) / 1e9);
    }

    private static boolean ready(int port) {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready"))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void awaitAll(int port, Plan plan) throws InterruptedException {
        var all = new CountDownLatch(1);
        var seen = new int[1]; // one thread of gRPC at a time
        try (var _ = RawStream.open(port, 0, (_, resources) -> {
            seen[0] += resources;
            if (seen[0] >= plan.resources()) {
                all.countDown();
            }
        })) {
            if (!all.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "only " + seen[0] + " of " + plan.resources() + " resources after " + PATIENCE);
            }
        }
    }

    /// Milliseconds until a client that just came holds everything; the median.
    private static double newClient(Plane plane, Plan plan) throws InterruptedException {
        var times = new double[NEW_CLIENTS];
        for (var i = 0; i < NEW_CLIENTS; i++) {
            var begun = System.nanoTime();
            awaitAll(plane.port, plan);
            times[i] = (System.nanoTime() - begun) / 1e6;
        }
        java.util.Arrays.sort(times);
        return times[NEW_CLIENTS / 2];
    }

    /// One pod after the other gets another address.
    private static void changes(Crowd crowd, List<Plane> planes, Plan plan, List<double[]> figures) throws Exception {
        var watches = new ArrayList<Arrivals>();
        for (var plane : planes) {
            watches.add(Arrivals.open(plane.port, plan.resources()));
        }
        var latencies = List.of(new Latencies(), new Latencies());
        var each = plan.pods / NAMESPACES;
        for (var change = 0; change < plan.changes; change++) {
            var number = (int) ((long) change * plan.pods / plan.changes);
            var address = Crowd.addressOf(number, 1);
            watches.forEach(watch -> watch.expect(address));
            var begun = System.nanoTime();
            crowd.address("crowd-" + number / each, number, 1);
            for (var i = 0; i < planes.size(); i++) {
                latencies.get(i).add(watches.get(i).await(PATIENCE) - begun);
            }
        }
        for (var i = 0; i < planes.size(); i++) {
            figures.get(i)[2] = latencies.get(i).millisAt(0.5);
            figures.get(i)[3] = latencies.get(i).millisAt(0.99);
            watches.get(i).close();
        }
    }

    private static void print(Plan plan, List<Plane> planes, List<double[]> figures) {
        var columns = List.of("start_s", "new_client_ms", "change_p50_ms", "change_p99_ms", "memory_mib", "cpu_s");
        System.out.printf(
                "%d pods, %d services, %d changes%n%-10s", plan.pods, NAMESPACES * SERVICES, plan.changes, "");
        columns.forEach(column -> System.out.printf("%16s", column));
        for (var i = 0; i < planes.size(); i++) {
            System.out.printf("%n%-10s", planes.get(i).name);
            for (var figure : figures.get(i)) {
                System.out.printf("%16.1f", figure);
            }
        }
        System.out.printf("%n%-10s", "ratio");
        var json = new ArrayList<String>();
        for (var column = 0; column < columns.size(); column++) {
            var mine = figures.getFirst()[column];
            var theirs = figures.getLast()[column];
            System.out.printf("%16.2f", mine / theirs);
            json.add(String.format(
                    Locale.ROOT,
                    "\"%s\":{\"fathomd\":%.3f,\"istiod\":%.3f,\"ratio\":%.3f}",
                    columns.get(column),
                    mine,
                    theirs,
                    mine / theirs));
        }
        System.out.println("\n{\"pods\":" + plan.pods + "," + String.join(",", json) + "}");
    }
}
