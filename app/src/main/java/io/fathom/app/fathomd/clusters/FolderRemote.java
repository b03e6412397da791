// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.control.clusters.RemoteSource;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderStack;
import io.fathom.wire.kube.folder.Memory;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/// A cluster whose manifests are in a folder.
public record FolderRemote(FolderStack folder) implements RemoteSource {
    public static Opener opener(Path path, ReaderConfig reader, InstantSource clock) {
        return sink -> new FolderRemote(FolderStack.open(
                List.of(path), reader, FolderConfig.DEFAULT.withMemory(new Memory.None()), clock, sink));
    }

    @Override
    public List<ManifestProblem> problems() {
        return folder.problems();
    }

    @Override
    public List<Problem> trouble() {
        return List.of();
    }

    @Override
    public Duration silence() {
        return Duration.ZERO;
    }

    @Override
    public void close() {
        folder.close();
    }
}
