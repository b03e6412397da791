package io.fathom.tools.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What a mesh on this machine needs to know before it starts.
///
/// @param bin where the programs are
/// @param java that runs them
/// @param manifests what people write
/// @param path where to look for programs
/// @param gone how long the start has been going on
public record EngineConfig(
        RunFolder run, Path bin, Path java, Path manifests, List<String> nodes, String path, Duration gone) {
    public EngineConfig {
        nodes = List.copyOf(nodes);
    }

    /// Where the programs that manifests name are.
    Path programs() {
        var apps = manifests.resolve("apps");
        return apps.toFile().isDirectory() ? apps : manifests;
    }
}
