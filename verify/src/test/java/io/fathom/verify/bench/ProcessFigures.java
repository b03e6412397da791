// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What the kernel knows of a process.
final class ProcessFigures {
    private static final double TICKS_PER_SECOND = 100;

    private ProcessFigures() {}

    static double cpuSeconds(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /// The threads that ran most, for people to read.
    static String busiest(long pid) throws IOException {
        var millis = new TreeMap<String, Double>();
        try (var tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (var task : tasks.toList()) {
                var nanos = Files.readString(task.resolve("schedstat")).split(" ", 2)[0];
                millis.merge(Files.readString(task.resolve("comm")).strip(), Long.parseLong(nanos) / 1e6, Double::sum);
            }
        }
        return millis.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(8)
                .map(entry -> String.format(Locale.ROOT, "%s %.0f", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    static double residentMebibytes(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(Double.NaN);
    }
}
