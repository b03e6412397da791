// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/// The plugin's files on the host: its runtime, a folder whose name changes with what is in it, and then the launcher
/// that names it. Whoever calls the plugin meanwhile gets the old one or the new one, whole. For one thread.
final class PluginFiles {
    private static final String RUNTIMES = "istio-cni-runtime-";

    private final InstallConfig config;

    PluginFiles(InstallConfig config) {
        this.config = config;
    }

    boolean isRight() throws IOException {
        for (var source : sources()) {
            if (!HostFiles.isSame(source, target(source))) {
                return false;
            }
        }
        return true;
    }

    /// Copies what is not there or differs. Runtimes that nothing refers to are removed once there was nothing to copy:
    /// a call that began before may still be at it.
    void put() throws IOException {
        var copied = false;
        Files.createDirectories(config.binFolder());
        for (var source : sources()) {
            if (!HostFiles.isSame(source, target(source))) {
                HostFiles.copy(source, target(source));
                copied = true;
            }
        }
        if (!copied) {
            removeOldRuntimes();
        }
    }

    /// The launcher first: after that nobody calls us.
    void remove() throws IOException {
        for (var source : sources().reversed()) {
            HostFiles.deleteTree(target(source));
        }
        for (var runtime : runtimes()) {
            HostFiles.deleteTree(runtime);
        }
    }

    private void removeOldRuntimes() throws IOException {
        var current = sources().stream().map(this::target).toList();
        for (var runtime : runtimes()) {
            if (!current.contains(runtime)) {
                HostFiles.deleteTree(runtime);
            }
        }
    }

    private List<Path> runtimes() throws IOException {
        if (!Files.isDirectory(config.binFolder())) {
            return List.of();
        }
        try (var all = Files.list(config.binFolder())) {
            return all.filter(path -> String.valueOf(path.getFileName()).startsWith(RUNTIMES))
                    .toList();
        }
    }

    /// Folders first, so that a launcher never names what is not there.
    private List<Path> sources() throws IOException {
        if (!Files.isDirectory(config.source())) {
            throw new ProblemException(Problem.ofInput(
                    "cni-plugin-missing",
                    "the plugin's files are not in " + config.source(),
                    "assemble them with bin/lib/plugin-runtime, or name the folder that has them"));
        }
        try (var all = Files.list(config.source())) {
            return all.sorted(Comparator.comparing((Path path) -> Files.isRegularFile(path))
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
    }

    private Path target(Path source) {
        return config.binFolder().resolve(String.valueOf(source.getFileName()));
    }
}
