// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What a mesh could leave behind on the machine, and what others may have there.
record Machine(List<String> links, List<String> routes, List<String> rules) {
    static Machine now() {
        return new Machine(
                lines(Stream.of("ip", "-br", "link"), "fathom")
                        .map(line -> line.split("[@\\s]", -1)[0])
                        .toList(),
                lines(Stream.of("ip", "route"), " dev fathom").toList(),
                lines(Stream.of("iptables-save"), "198.19.").toList());
    }

    private static Stream<String> lines(Stream<String> command, String with) {
        return TestNamespace.execute(command.toList())
                .lines()
                .filter(line -> line.contains(with))
                .sorted();
    }

    /// Whether something below that folder is mounted, where we can see it.
    static boolean hasMounts(Path run) {
        try (var lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.anyMatch(line -> line.contains(run.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The processes that have that folder on their command line.
    static Stream<ProcessHandle> processes(Path run) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).contains(run.toString()));
    }

    static String commandLine(ProcessHandle process) {
        return process.info().commandLine().orElse("");
    }
}
