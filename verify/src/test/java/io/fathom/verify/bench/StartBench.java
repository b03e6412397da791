// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.app.ztunnel.RehearsalPods;
import io.fathom.app.ztunnel.RehearsalTraffic;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The first half minute of a node proxy with two pods, in processor time of its process: start until a first
/// connection is through, then new connections, small requests and bulk, and the same again when it is warm. Started
/// by `bin/lib/bench-start`, in a network of its own. Variants take turns; each proxy is killed, so the next one finds
/// its listeners kept and the connection waiting.
///
/// Prints medians with the least and the most, and one line of JSON last.
public final class StartBench {
    private static final int CONNECTIONS = 2_000;
    private static final int REQUESTS = 5_000;
    private static final int MEBIBYTES = 64;
    private static final int WARM = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> COLUMNS = List.of(
            "first_ms",
            "first_cpu_ms",
            "connections_cpu_ms",
            "requests_cpu_ms",
            "bulk_cpu_ms",
            "sum_cpu_ms",
            "sum_ms",
            "memory_mib",
            "warm_connections_cpu_ms",
            "warm_requests_cpu_ms",
            "warm_bulk_cpu_ms",
            "warm_memory_mib");

    private StartBench() {}

    /// Arguments: the agent's socket, the network namespaces of client and server, rounds, how often all traffic is
    /// repeated until it counts as warm, and for each variant `NAME=FILE`, a file with the arguments of `java`.
    public static void main(String[] args) throws IOException {
        var traffic = new RehearsalTraffic(RehearsalPods.start(Path.of(args[0]), Path.of(args[1]), Path.of(args[2])));
        var rounds = Integer.parseInt(args[3]);
        var repeats = Integer.parseInt(args[4]);
        var figures = new LinkedHashMap<String, List<double[]>>();
        for (var round = 0; round <= rounds; round++) { // the first brings files into memory
            for (var variant : List.of(args).subList(5, args.length)) {
                var name = variant.substring(0, variant.indexOf('='));
                var row = row(traffic, variant.substring(variant.indexOf('=') + 1), repeats);
                System.err.printf("round %d, %s:%s%n", round, name, text(row));
                if (round > 0) {
                    figures.computeIfAbsent(name, _ -> new ArrayList<>()).add(row);
                }
            }
        }
        print(figures);
        System.exit(0);
    }

    private static double[] row(RehearsalTraffic traffic, String file, int repeats) throws IOException {
        var row = new ArrayList<Double>();
        var began = System.nanoTime();
        var process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"), "@" + file)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.appendTo(new File(file + ".log")))
                .start();
        try {
            first(traffic);
            row.add((System.nanoTime() - began) / 1e6);
            row.add(cpu(process));
            System.err.println("  ms by thread, first connection: " + ProcessFigures.busiest(process.pid()));
            pass(traffic, process, row);
            row.add(cpu(process));
            System.err.println("  ms by thread, first pass: " + ProcessFigures.busiest(process.pid()));
            row.add((System.nanoTime() - began) / 1e6);
            row.add(ProcessFigures.residentMebibytes(process.pid()));
            for (var repeat = 0; repeat < repeats; repeat++) {
                pass(traffic, process, new ArrayList<>());
            }
            var warm = new ArrayList<Double>();
            for (var repeat = 0; repeat < WARM; repeat++) {
                pass(traffic, process, warm);
            }
            for (var column = 0; column < 3; column++) {
                var at = column;
                row.add(IntStream.range(0, WARM)
                        .mapToDouble(i -> warm.get(3 * i + at))
                        .average()
                        .orElseThrow());
            }
            row.add(ProcessFigures.residentMebibytes(process.pid()));
        } finally {
            process.destroyForcibly();
        }
        try {
            var _ = process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return row.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static void first(RehearsalTraffic traffic) {
        var end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                traffic.connections(8);
                return;
            } catch (IllegalStateException refused) { // by nobody yet, or cut with the proxy before
                if (System.nanoTime() > end) {
                    throw refused;
                }
            }
        }
    }

    private static void pass(RehearsalTraffic traffic, Process process, List<Double> row) throws IOException {
        var before = cpu(process);
        traffic.connections(CONNECTIONS);
        var connected = cpu(process);
        traffic.requests(REQUESTS);
        var asked = cpu(process);
        traffic.download(MEBIBYTES);
        row.addAll(List.of(connected - before, asked - connected, cpu(process) - asked));
    }

    private static double cpu(Process process) throws IOException {
        return ProcessFigures.cpuSeconds(process.pid()) * 1000;
    }

    private static String text(double[] row) {
        return IntStream.range(0, row.length)
                .mapToObj(column -> String.format(Locale.ROOT, " %s %.0f", COLUMNS.get(column), row[column]))
                .collect(Collectors.joining(","));
    }

    private static void print(Map<String, List<double[]>> figures) {
        var json = new ArrayList<String>();
        figures.forEach((name, rows) -> {
            var medians = new ArrayList<String>();
            System.out.println(name);
            for (var column = 0; column < COLUMNS.size(); column++) {
                var at = column;
                var sorted = rows.stream().mapToDouble(row -> row[at]).sorted().toArray();
                var median = sorted[sorted.length / 2];
                System.out.printf(
                        Locale.ROOT,
                        "  %-24s %8.0f   (%.0f to %.0f)%n",
                        COLUMNS.get(column),
                        median,
                        sorted[0],
                        sorted[sorted.length - 1]);
                medians.add(String.format(Locale.ROOT, "\"%s\":%.0f", COLUMNS.get(column), median));
            }
            json.add("\"" + name + "\":{" + String.join(",", medians) + "}");
        });
        System.out.println("{" + String.join(",", json) + "}");
    }
}
