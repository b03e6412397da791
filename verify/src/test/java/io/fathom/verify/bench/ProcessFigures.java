// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the kernel knows of a process.
final class ProcessFigures {
    private static final double TICKS_PER_SECOND = 100;

    private ProcessFigures() {}

    static double cpuSeconds(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    static double residentMebibytes(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(Double.NaN);
    }
}
