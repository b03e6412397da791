// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Pods and namespaces from folders of manifests. The first batch waits until all folders have been read.
final class FolderPods implements PodSource {
    /// Programs write these files whole, so a file that is gone is gone.
    private static final FolderConfig FOLDER = FolderConfig.DEFAULT.withGrace(Duration.ofMillis(20));

    private final Consumer<List<ManifestChange>> sink;
    private final List<FolderSource> sources = new ArrayList<>();
    private final List<ManifestChange> first = new ArrayList<>();
    private int unread;

    private FolderPods(int folders, Consumer<List<ManifestChange>> sink) {
        this.unread = folders;
        this.sink = sink;
    }

    static FolderPods open(
            List<Path> folders, String systemNamespace, InstantSource clock, Consumer<List<ManifestChange>> sink) {
        var pods = new FolderPods(folders.size(), sink);
        try {
            for (var folder : folders) {
                var begin = new Beginning(pods);
                pods.sources.add(FolderSource.open(
                        folder, ReaderConfig.of("Kubernetes", "", systemNamespace), FOLDER, clock, begin::take));
            }
        } catch (RuntimeException e) {
            pods.close();
            throw e;
        }
        return pods;
    }

    /// Tells the first batch of a folder from the later ones.
    private static final class Beginning {
        private final FolderPods pods;
        private boolean over;

        private Beginning(FolderPods pods) {
            this.pods = pods;
        }

        private void take(List<ManifestChange> batch) {
            if (over) {
                pods.later(batch);
            } else {
                over = true;
                pods.first(batch);
            }
        }
    }

    private synchronized void first(List<ManifestChange> batch) {
        first.addAll(batch);
        unread--;
        if (unread == 0) {
            sink.accept(List.copyOf(first));
            first.clear();
        }
    }

    private synchronized void later(List<ManifestChange> batch) {
        if (unread > 0) {
            first.addAll(batch);
        } else {
            sink.accept(batch);
        }
    }

    @Override
    public void close() {
        sources.forEach(FolderSource::close);
    }
}
