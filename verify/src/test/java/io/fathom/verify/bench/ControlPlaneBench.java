// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.ResourceStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// How much a control plane with a large mesh costs: heap per workload, the first sync of a client, and the time from a
/// change to its arrival at every one of many clients.
///
/// Manifests come from memory; everything from the derivations to the sockets is the real thing.
public final class ControlPlaneBench {
    private static final int WARM_UP_CHANGES = 3000;

    /// What to measure.
    private record Plan(int pods, int services, int streams, int changesPerSecond, Duration duration) {
        static Plan of(String[] args) {
            var plan = new Plan(20_000, 2_000, 200, 100, Duration.ofSeconds(30));
            for (var arg : args) {
                var value = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
                plan = switch (arg.substring(0, arg.indexOf('='))) {
                    case "--pods" ->
                        plan.with(value, plan.services, plan.streams, plan.changesPerSecond, plan.duration);
                    case "--services" ->
                        plan.with(plan.pods, value, plan.streams, plan.changesPerSecond, plan.duration);
                    case "--streams" ->
                        plan.with(plan.pods, plan.services, value, plan.changesPerSecond, plan.duration);
                    case "--rate" -> plan.with(plan.pods, plan.services, plan.streams, value, plan.duration);
                    case "--seconds" ->
                        plan.with(
                                plan.pods,
                                plan.services,
                                plan.streams,
                                plan.changesPerSecond,
                                Duration.ofSeconds(value));
                    default ->
                        throw new IllegalArgumentException(
                                arg + ": use --pods=, --services=, --streams=, --rate=, --seconds=");
                };
            }
            return plan;
        }

        private Plan with(int newPods, int newServices, int newStreams, int newRate, Duration newDuration) {
            return new Plan(newPods, newServices, newStreams, newRate, newDuration);
        }
    }

    private final Plan plan;
    private final LargeMesh manifests;
    private final AmbientMesh mesh = new AmbientMesh(AmbientConfig.defaults());
    private final ResourceStore store = new ResourceStore(InstantSource.system());

    private final Map<String, String> figures = new LinkedHashMap<>();

    private ControlPlaneBench(Plan plan) {
        this.plan = plan;
        this.manifests = new LargeMesh(plan.pods, plan.services);
    }

    public static void main(String[] args) throws IOException {
        new ControlPlaneBench(Plan.of(args)).run();
        System.exit(0);
    }

    private void run() throws IOException {
        System.out.printf(
                "%,d pods in %,d services, %d streams, %d changes/s for %d s, %d processors%n%n",
                plan.pods,
                plan.services,
                plan.streams,
                plan.changesPerSecond,
                plan.duration.toSeconds(),
                Runtime.getRuntime().availableProcessors());
        mesh.subscribe(new Publisher(mesh, store));
        var before = usedHeap();
        var begun = System.nanoTime();
        mesh.apply(manifests.manifests());
        var build = millisSince(begun);
        var perWorkload = (usedHeap() - before) / plan.pods;
        row("build from scratch", "%.0f ms".formatted(build), "");
        row("heap per workload", "%,d bytes".formatted(perWorkload), "below 2,048 bytes");

        var config = AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0);
        try (var server = AdsServer.start(config, store, XdsObserver.NONE, InstantSource.system())) {
            measure(server.plaintextPort().orElseThrow());
        }
        System.out.println(figures.entrySet().stream()
                .map(figure -> "\"%s\":%s".formatted(figure.getKey(), figure.getValue()))
                .collect(Collectors.joining(",", "{", "}")));
    }

    private void measure(int port) throws IOException {
        var process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseParallelGC", // with room for all it gets: its pauses are not the server's
                        "-Xmx3g",
                        "-Xmn2g",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StreamClients.class.getName(),
                        Integer.toString(port),
                        Integer.toString(plan.pods + plan.services))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
                var answers = process.inputReader()) {
            var syncs = new double[5];
            for (var i = 0; i < syncs.length; i++) {
                syncs[i] = Double.parseDouble(ask(commands, answers, "sync"));
            }
            row("first sync of one client", "%.0f ms".formatted(syncs[0]), "below 1,000 ms");
            row("the same, warmed up", "%.0f ms".formatted(syncs[syncs.length - 1]), "");
            var all = Double.parseDouble(ask(commands, answers, "open " + plan.streams));
            row("first sync of all clients", "%.0f ms".formatted(all), "");
            change(WARM_UP_CHANGES);
            awaitArrivals(commands, answers, (long) WARM_UP_CHANGES * plan.streams);
            ask(commands, answers, "reset");
            var changes = (int) (plan.changesPerSecond * plan.duration.toSeconds());
            var used = processorMillis();
            change(changes);
            var report = awaitArrivals(commands, answers, (long) changes * plan.streams);
            row("changes delivered", report.getFirst(), "%,d".formatted((long) changes * plan.streams));
            row("change to wire, p50", report.get(1) + " ms", "");
            row("change to wire, p99", report.get(2) + " ms", "below 10 ms");
            row("change to wire, slowest", report.get(3) + " ms", "");
            row("processor time per change", "%.2f ms".formatted((processorMillis() - used) / changes), "");
            row("heap per workload, with streams", "%,d bytes".formatted(usedHeap() / plan.pods), "");
        } finally {
            process.destroy();
        }
    }

    /// Changes pods at a steady rate; each says when it was due, so that falling behind counts as latency.
    private void change(int count) {
        var step = Duration.ofSeconds(1).toNanos() / plan.changesPerSecond;
        var next = System.nanoTime();
        for (var i = 0; i < count; i++) {
            next += step;
            while (System.nanoTime() < next) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
            var pod = (int) (i * 7919L % plan.pods);
            mesh.apply(List.of(manifests.change(pod, next)));
        }
    }

    private static List<String> awaitArrivals(PrintWriter commands, BufferedReader answers, long expected)
            throws IOException {
        var patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (true) {
            var report = List.of(ask(commands, answers, "report").split(" ", -1));
            if (Long.parseLong(report.getFirst()) >= expected || System.nanoTime() > patience) {
                return report;
            }
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    private static String ask(PrintWriter commands, BufferedReader answers, String command) throws IOException {
        commands.println(command);
        var answer = answers.readLine();
        if (answer == null) {
            throw new IllegalStateException("the clients' process ended");
        }
        return answer;
    }

    private static long usedHeap() {
        var memory = ManagementFactory.getMemoryMXBean();
        for (var i = 0; i < 4; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }

    /// Of this process, the server's.
    private static double processorMillis() throws IOException {
        return ProcessFigures.cpuSeconds(ProcessHandle.current().pid()) * 1000;
    }

    private static double millisSince(long nanoTime) {
        return (System.nanoTime() - nanoTime) / 1e6;
    }

    private void row(String what, String measured, String goal) {
        System.out.printf("%-34s %16s   %s%n", what, measured, goal);
        figures.put(what.replaceAll("[^a-z0-9]+", "_"), measured.replaceAll("[^0-9.]", ""));
    }
}
