package io.fathom.app.fathomd;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestProblem;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.MeshQueries;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderStack;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Where the manifests of a control plane come from: folders, or an API server. The first batch is the complete state,
/// later ones hold differences; one thread at a time brings them.
sealed interface MeshSource extends AutoCloseable {
    /// Objects that cannot be read.
    List<ManifestProblem> problems();

    /// Why some objects are not followed at the moment.
    List<Problem> trouble();

    @Override
    void close();

    /// Starts reading at once.
    ///
    /// @param client of the API server, if that is where manifests come from
    static MeshSource open(
            FathomdConfig config,
            Optional<KubeClient> client,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var reader = ReaderConfig.of(config.clusterId(), config.revision(), config.systemNamespace());
        return client.<MeshSource>map(
                        api -> new OfCluster(ClusterSource.open(api, MeshQueries.of(reader), reader, clock, sink)))
                .orElseGet(() ->
                        new OfFolders(FolderStack.open(config.manifests(), reader, FolderConfig.DEFAULT, clock, sink)));
    }

    /// People's files.
    record OfFolders(FolderStack folders) implements MeshSource {
        @Override
        public List<ManifestProblem> problems() {
            return folders.problems();
        }

        @Override
        public List<Problem> trouble() {
            return List.of();
        }

        @Override
        public void close() {
            folders.close();
        }
    }

    /// All that the mesh reads of a cluster.
    record OfCluster(ClusterSource cluster) implements MeshSource {
        @Override
        public List<ManifestProblem> problems() {
            return cluster.problems();
        }

        @Override
        public List<Problem> trouble() {
            return cluster.trouble();
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
