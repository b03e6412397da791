// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.app.log.LogLevel;
import io.fathom.verify.fleet.simulation.FleetHistory.FleetSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;

/// A fleet of full size on one thread: the real server, and for each cluster the real agent's exchange. Time and
/// network are moved by hand. Prints what each event costs.
///
/// Flags: `--clusters=N --services=N --interest=N --joins=N --viewers=N --seed=N --plot=FILE`; `--no-heap` and
/// `--heap` leave out or measure alone what the server holds.
public final class FleetBench {
    private FleetBench() {}

    public static void main(String[] arguments) throws IOException {
        var base = Files.isWritable(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("target");
        var folder = Files.createTempDirectory(
                base, "fleet-bench-" + ProcessHandle.current().pid());
        var clusters = number(arguments, "clusters", 1000);
        var size = new FleetSize(
                clusters,
                number(arguments, "services", 10_000),
                number(arguments, "interest", 200),
                number(arguments, "joins", 20),
                number(arguments, "viewers", 20));
        var seed = number(arguments, "seed", 1);
        System.err.println("bench: seed " + seed);
        LogLevel.set("off");
        try {
            var report = new FleetReport(size);
            var given = Arrays.asList(arguments);
            if (!given.contains("--no-heap")) {
                report.heap(ServerHeap.measure(Files.createDirectory(folder.resolve("heap")), size));
            }
            if (given.contains("--heap")) {
                System.out.println(report.json());
                return;
            }
            try (var fleet = new SimulatedFleet(Files.createDirectory(folder.resolve("fleet")), seed)) {
                new FleetHistory(fleet, size, report::add).play();
            }
            System.out.print(report.table());
            for (var argument : arguments) {
                if (argument.startsWith("--plot=")) {
                    Files.writeString(Path.of(argument.substring("--plot=".length())), report.plot());
                }
            }
            System.out.println(report.json());
        } finally {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static int number(String[] arguments, String name, int fallback) {
        for (var argument : arguments) {
            if (argument.startsWith("--" + name + "=")) {
                return Integer.parseInt(argument.substring(name.length() + 3));
            }
        }
        return fallback;
    }
}
