// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Upstream's `istioctl proxy-config` on what a running proxy says of itself.
final class ConfigTool {
    /// One way into a chain, as the tool found it.
    ///
    /// @param match what leads to the chain; `NONE` when the tool found nothing
    record Chain(String listener, String name, String match) {}

    private ConfigTool() {}

    /// What it prints for a kind of configuration.
    static String print(LabEnvoy envoy, Path folder, String kind, String... flags) throws IOException {
        return run(folder, envoy.admin("/config_dump?include_eds"), kind, flags);
    }

    /// Endpoints as the proxy sees them.
    static String endpoints(LabEnvoy envoy, Path folder) throws IOException {
        return run(folder, envoy.admin("/clusters?format=json"), "endpoints");
    }

    /// The chains of all listeners, a row for each way into one.
    static List<Chain> chains(LabEnvoy envoy, Path folder) throws IOException {
        var lines = print(envoy, folder, "listeners", "--waypoint").lines().toList();
        var chain = lines.getFirst().indexOf("CHAIN");
        var match = lines.getFirst().indexOf("MATCH");
        var destination = lines.getFirst().indexOf("DESTINATION");
        return lines.stream()
                .skip(1)
                .map(line -> new Chain(
                        line.substring(0, chain).strip(),
                        line.substring(chain, match).strip(),
                        line.substring(match, destination).strip()))
                .toList();
    }

    private static String run(Path folder, String dump, String kind, String... flags) throws IOException {
        var file = Files.writeString(folder.resolve("dump.json"), dump);
        var command = new ArrayList<>(
                List.of(StockProgram.ISTIOCTL.require().toString(), "proxy-config", kind, "--file", file.toString()));
        command.addAll(List.of(flags));
        return TestNamespace.execute(command);
    }
}
