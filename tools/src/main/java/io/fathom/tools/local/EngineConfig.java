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
/// @param role present where it is one of several clusters
public record EngineConfig(
        RunFolder run,
        Path bin,
        Path java,
        Optional<Path> envoy,
        Path manifests,
        List<String> nodes,
        String path,
        Duration gone,
        Optional<ClusterRole> role) {
    public EngineConfig {
        nodes = List.copyOf(nodes);
    }

    /// The same for one cluster of several.
    EngineConfig as(RunFolder folder, ClusterRole its) {
        return new EngineConfig(folder, bin, java, envoy, manifests, nodes, path, gone, Optional.of(its));
    }

    /// The folders that say what there is to be, the last one first where two say something of one object.
    List<Path> folders() {
        return role.isPresent() ? ClusterRole.folders(run, manifests) : List.of(manifests);
    }

    /// Where the programs that manifests name are.
    Path programs() {
        var apps = manifests.resolve("apps");
        return apps.toFile().isDirectory() ? apps : manifests;
    }
}
