// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Feature;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.MeshQueries;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderStack;
import io.fathom.wire.kube.folder.Memory;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Where the manifests of a control plane come from: folders, or an API server. The first batch is the complete state,
/// later ones hold differences; one thread at a time brings them.
sealed interface MeshSource extends AutoCloseable {
    /// Objects that cannot be read.
    List<ManifestProblem> problems();

    /// Why some objects are not followed at the moment.
    List<Problem> trouble();

    /// Where people wrote an object, if that is a file.
    default Optional<ManifestPlace> place(ManifestId id) {
        return Optional.empty();
    }

    /// Pages of its own, if it has some.
    default void addTo(Pages pages) {}

    /// Some kinds are followed only as somebody needs an object; a folder gives all that it has.
    default void follow(Set<ManifestId> objects) {}

    @Override
    void close();

    /// Starts reading at once.
    ///
    /// @param client of the API server, if that is where manifests come from
    /// @param purpose nothing is written for somebody who only looks
    static MeshSource open(
            FathomdConfig config,
            Optional<KubeClient> client,
            Fathomd.Purpose purpose,
            InstantSource clock,
            Consumer<List<ManifestChange>> sink) {
        var reader = ReaderConfig.of(config.clusterId(), config.revision(), config.systemNamespace());
        return client.<MeshSource>map(
                        api -> new OfCluster(ClusterSource.open(api, MeshQueries.of(reader), reader, clock, sink)))
                .orElseGet(() -> new OfFolders(FolderStack.open(
                        config.source().manifests(),
                        reader,
                        FolderConfig.DEFAULT.withAddresses(addresses(config)).withMemory(memory(config, purpose)),
                        clock,
                        sink)));
    }

    private static FolderConfig.AddressPlanning addresses(FathomdConfig config) {
        return config.features().contains(Feature.LATER_ADDRESSES)
                ? FolderConfig.AddressPlanning.FROM_LATER_FOLDER
                : FolderConfig.AddressPlanning.AS_WRITTEN;
    }

    private static Memory memory(FathomdConfig config, Fathomd.Purpose purpose) {
        return switch (purpose) {
            case LOOK -> new Memory.None();
            case SERVE -> config.source().stateDir().<Memory>map(Memory.In::new).orElseGet(Memory.BesideManifests::new);
        };
    }

    /// People's files.
    record OfFolders(FolderStack folders) implements MeshSource {
        @Override
        public List<ManifestProblem> problems() {
            return folders.problems();
        }

        @Override
        public Optional<ManifestPlace> place(ManifestId id) {
            return folders.place(id);
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
        public void follow(Set<ManifestId> objects) {
            cluster.alsoFollow(objects);
        }

        @Override
        public void addTo(Pages pages) {
            pages.debug("sourcez", "What is followed on the API server, and what cannot be", _ -> sourcez());
        }

        private Page.Reply sourcez() {
            return Page.Reply.json(json -> json.list(
                    cluster.followed(),
                    (out, kind) -> out.object(it -> {
                        it.text("query", kind.query().toString())
                                .text("apiVersion", kind.query().resource().apiVersion())
                                .text("phase", kind.phase().name())
                                .number("objects", kind.objects());
                        kind.problem()
                                .ifPresent(problem -> it.text("code", problem.code())
                                        .text("message", problem.message())
                                        .text("fix", problem.fix()));
                    })));
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
