// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What a cluster could leave behind on this machine.
record Machine(List<String> links, List<String> routes, List<String> groups, List<String> processes) {
    static final Machine EMPTY = new Machine(List.of(), List.of(), List.of(), List.of());

    static Machine now(int cluster) {
        return new Machine(
                links(cluster),
                routes(cluster),
                groups("fathom-c" + cluster + "-n"),
                processes("kube/node " + cluster));
    }

    /// Other clusters may need the wire; our own cables must be gone.
    private static List<String> links(int cluster) {
        var wire = TestNamespace.execute(List.of("ip", "netns", "list"));
        return wire.contains("fathom-wire")
                ? lines(List.of("ip", "-n", "fathom-wire", "-br", "link"), "c" + cluster + "-n")
                : List.of();
    }

    private static List<String> routes(int cluster) {
        return lines(List.of("ip", "route"), "10.10" + cluster + ".");
    }

    private static List<String> lines(List<String> command, String with) {
        return TestNamespace.execute(command)
                .lines()
                .filter(line -> line.contains(with))
                .toList();
    }

    private static List<String> groups(String prefix) {
        try (Stream<Path> folders = Files.find(
                Path.of("/sys/fs/cgroup"),
                5,
                (path, _) -> path.getFileName().toString().startsWith(prefix))) {
            return folders.map(Path::toString).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> processes(String word) {
        return ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(word))
                .toList();
    }
}
