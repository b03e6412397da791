// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.tools.local.run.RunFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What a mesh on this machine needs to know before it starts.
///
/// @param bin where the programs are
/// @param java that runs them
/// @param manifests what people write
/// @param envoy what gateways are made of; without it none is played
/// @param path where to look for programs
/// @param gone how long the start has been going on
public record EngineConfig(
        RunFolder run,
        Path bin,
        Path java,
        Optional<Path> envoy,
        Path manifests,
        List<String> nodes,
        String path,
        Duration gone) {
    public EngineConfig {
        nodes = List.copyOf(nodes);
    }

    /// Where the programs that manifests name are.
    Path programs() {
        var apps = manifests.resolve("apps");
        return apps.toFile().isDirectory() ? apps : manifests;
    }
}
