// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static io.fathom.wire.kube.folder.FolderFixture.namespace;
import static io.fathom.wire.kube.folder.FolderFixture.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderSourceTest {
    @TempDir
    Path folder;

    @Test
    void givenEmptyFolder_thenFirstBatchIsEmpty() {
        try (var it = FolderFixture.open(folder)) {
            assertThat(it.sink.batches()).containsExactly(List.of());
        }
    }

    @Test
    void givenNoFolder_thenOpeningFails() {
        assertThatThrownBy(() -> FolderSource.open(
                        folder.resolve("absent"),
                        ReaderConfig.of("c", "", "istio-system"),
                        FolderConfig.DEFAULT,
                        InstantSource.system(),
                        _ -> {}))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("absent");
    }

    @Test
    void givenFilesAtStart_thenFirstBatchIsComplete() {
        FolderFixture.write(folder.resolve("a.yaml"), namespace("a") + "---\n" + service("s", 80));
        FolderFixture.write(folder.resolve("sub/deep/b.yml"), namespace("b"));
        FolderFixture.write(folder.resolve("c.json"), """
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "c"}}
                """);
        FolderFixture.write(folder.resolve("notes.txt"), "no: [manifest");
        FolderFixture.write(folder.resolve(".hidden.yaml"), namespace("hidden"));
        FolderFixture.write(folder.resolve("old.yaml~"), namespace("backup"));
        FolderFixture.write(folder.resolve(".a.yaml.swp"), "binary");
        FolderFixture.write(folder.resolve(".git/x.yaml"), namespace("git"));
        FolderFixture.write(folder.resolve("d.yaml"), "apiVersion: batch/v1\nkind: Job\nmetadata: {name: d}\n");
        try (var it = FolderFixture.open(folder)) {
            assertThat(it.sink.batches()).hasSize(1);
            assertThat(it.sink.names()).containsExactly("Namespace a", "Namespace b", "Namespace c", "Service shop/s");
            assertThat(it.source.problems()).isEmpty();
            assertThat(it.source.counts().skipped()).containsEntry("batch/Job", 1);
            assertThat(it.source.counts().objects()).isEqualTo(4);
        }
    }

    @Test
    void whenFilesComeChangeAndGo_thenOnlyDifferencesAreTold() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("b", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 81) + "---\n" + service("b", 80));
            await().untilAsserted(() -> assertThat(it.sink.batches()).hasSize(2));
            assertThat(it.sink.batches().get(1))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ManifestChange.Put.class,
                            put -> assertThat(put.manifest().name()).isEqualTo("a"));

            it.write("new/c.yaml", service("c", 80));
            it.awaitNames("Service shop/a", "Service shop/b", "Service shop/c");
            it.write("new/d.yaml", service("d", 80));
            it.awaitNames("Service shop/a", "Service shop/b", "Service shop/c", "Service shop/d");

            it.delete("a.yaml");
            it.awaitNames("Service shop/c", "Service shop/d");
            it.write("new/c.yaml", "# nothing left\n");
            it.awaitNames("Service shop/d");
            assertThat(it.sink.threads()).isEqualTo(1);
        }
    }

    @Test
    void whenFileIsTouchedOrCommented_thenNothingIsTold() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 80));
            it.write("a.yaml", "# a comment\n" + service("a", 80));
            it.settle();

            assertThat(it.sink.batches()).hasSize(2);
        }
    }

    @Test
    void whenEditorsSave_thenObjectsNeverVanish() throws IOException {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80));
        try (var it = FolderFixture.open(folder)) {
            // Write beside it, then rename.
            it.write(".a.yaml.tmp", service("a", 81));
            it.move(".a.yaml.tmp", "a.yaml");
            awaitPort(it, 81);
            // Move away, write anew.
            it.move("a.yaml", "a.yaml~");
            it.write("a.yaml", service("a", 82));
            it.delete("a.yaml~");
            awaitPort(it, 82);
            // Truncate, then write in pieces.
            var text = service("a", 83);
            try (var out = Files.newBufferedWriter(folder.resolve("a.yaml"))) {
                out.flush();
                out.write(text.substring(0, 40));
                out.flush();
                out.write(text.substring(40));
            }
            awaitPort(it, 83);
            // Delete, then create.
            for (var i = 0; i < 20; i++) {
                it.delete("a.yaml");
                it.write("a.yaml", service("a", 84 + i));
            }
            awaitPort(it, 103);
            it.settle();

            assertThat(it.sink.hasRemovals()).isFalse();
            assertThat(it.source.problems()).isEmpty();
        }
    }

    @Test
    void whenFileIsRenamed_thenNothingIsTold() {
        FolderFixture.write(folder.resolve("b.yaml"), service("a", 80));
        try (var it = FolderFixture.open(folder)) {
            it.move("b.yaml", "c.yaml");
            it.settle();
            it.move("c.yaml", "a.yaml");
            await().until(() -> it.source.counts().files() == 2);

            assertThat(it.sink.batches()).hasSize(2);
            assertThat(it.source.problems()).isEmpty();
            assertThat(it.sink.one(ServiceManifest.class, "a").metadata().created())
                    .isEqualTo(FolderFixture.NOW);
        }
    }

    @Test
    void whenFoldersMoveAndGo_thenTheirFilesFollow() throws IOException {
        FolderFixture.write(folder.resolve("x/one/a.yaml"), namespace("a"));
        FolderFixture.write(folder.resolve("x/two/b.yaml"), namespace("b"));
        try (var it = FolderFixture.open(folder)) {
            it.move("x", "y");
            it.settle();
            it.write("y/one/a.yaml", namespace("a2"));
            it.awaitNames("Namespace a2", "Namespace b", "Namespace marker");

            Files.delete(folder.resolve("y/one/a.yaml"));
            Files.delete(folder.resolve("y/one"));
            it.awaitNames("Namespace b", "Namespace marker");
        }
    }

    @Test
    void whenMountedConfigMapIsSwapped_thenItsFilesAreReadAnew() throws IOException {
        FolderFixture.write(folder.resolve("..v1/a.yaml"), namespace("a1"));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..v1"));
        Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("..data/a.yaml"));
        try (var it = FolderFixture.open(folder)) {
            it.awaitNames("Namespace a1");

            FolderFixture.write(folder.resolve("..v2/a.yaml"), namespace("a2"));
            FolderFixture.write(folder.resolve("..v2/b.yaml"), namespace("b"));
            Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..v2"));
            it.move("..data_tmp", "..data");
            Files.createSymbolicLink(folder.resolve("b.yaml"), Path.of("..data/b.yaml"));
            Files.delete(folder.resolve("..v1/a.yaml"));
            Files.delete(folder.resolve("..v1"));

            it.awaitNames("Namespace a2", "Namespace b");
            assertThat(it.source.problems()).isEmpty();
        }
    }

    @Test
    void whenRootLinkIsSwapped_thenTheNewFolderCounts() throws IOException {
        FolderFixture.write(folder.resolve("rev1/a.yaml"), namespace("a"));
        FolderFixture.write(folder.resolve("rev2/b.yaml"), namespace("b"));
        var current = folder.resolve("current");
        Files.createSymbolicLink(current, Path.of("rev1"));
        try (var it = FolderFixture.open(current)) {
            it.awaitNames("Namespace a");

            Files.createSymbolicLink(folder.resolve("next"), Path.of("rev2"));
            Files.move(folder.resolve("next"), current, StandardCopyOption.ATOMIC_MOVE);
            it.awaitNames("Namespace b");

            FolderFixture.write(folder.resolve("rev2/c.yaml"), namespace("c"));
            it.awaitNames("Namespace b", "Namespace c");
        }
    }

    @Test
    void whenRootVanishes_thenEverythingStaysUntilItIsBack() throws IOException {
        var root = folder.resolve("root");
        FolderFixture.write(root.resolve("a.yaml"), namespace("a"));
        try (var it = FolderFixture.open(root)) {
            Files.move(root, folder.resolve("away"));
            it.awaitProblems(1);
            assertThat(it.source.problems().getFirst().problem().code()).isEqualTo("manifest-folder-unreadable");

            FolderFixture.write(root.resolve("b.yaml"), namespace("b"));
            it.awaitNames("Namespace b");
            it.awaitProblems(0);
        }
    }

    @Test
    void givenNoNotifications_thenPollingFindsChanges() {
        FolderFixture.write(folder.resolve("a.yaml"), namespace("a"));
        try (var it = FolderFixture.openBlind(folder)) {
            it.write("a.yaml", namespace("changed"));
            it.write("sub/b.yaml", namespace("b"));
            it.awaitNames("Namespace b", "Namespace changed");

            it.delete("a.yaml");
            it.awaitNames("Namespace b");
        }
    }

    @Test
    void whenTargetOfLinkChanges_thenTheNextScanFindsIt() throws IOException {
        var outside = folder.resolve("outside/b.yaml");
        var root = folder.resolve("root");
        FolderFixture.write(outside, namespace("b"));
        Files.createDirectories(root);
        Files.createSymbolicLink(root.resolve("b.yaml"), outside);
        try (var it = FolderFixture.open(root, FolderConfig.DEFAULT.withRescan(Duration.ofMillis(20)))) {
            FolderFixture.write(outside, namespace("changed"));
            it.awaitNames("Namespace changed");
        }
    }

    @Test
    void givenNoTimestamps_thenAgeFollowsFilesAndDocumentsAndStays() {
        FolderFixture.write(folder.resolve("b.yaml"), service("third", 80));
        FolderFixture.write(folder.resolve("a.yaml"), service("first", 80) + "---\n" + service("second", 80));
        try (var it = FolderFixture.open(folder)) {
            var first = created(it, "first");
            assertThat(first).isEqualTo(FolderFixture.NOW);
            assertThat(created(it, "second")).isAfter(first);
            assertThat(created(it, "third")).isAfter(created(it, "second"));

            it.write("a.yaml", service("zero", 80) + "---\n" + service("first", 81));
            it.awaitNames("Service shop/first", "Service shop/third", "Service shop/zero");
            assertThat(created(it, "first")).isEqualTo(first);
            assertThat(created(it, "zero")).isAfter(created(it, "third"));
        }
    }

    @Test
    void whenClosed_thenNothingIsToldAnyMore() {
        var it = FolderFixture.open(folder);
        it.close();
        it.write("a.yaml", namespace("a"));

        assertThat(it.sink.batches()).hasSize(1);
        it.close();
    }

    @Test
    void whenSinkFails_thenTheNextBatchStillArrives() {
        FolderFixture.write(folder.resolve("a.yaml"), namespace("a"));
        var sink = new RecordingSink();
        try (var _ = FolderSource.open(
                folder,
                ReaderConfig.of("c", "", "istio-system"),
                FolderConfig.DEFAULT,
                InstantSource.system(),
                batch -> {
                    sink.accept(batch);
                    if (sink.batches().size() == 1) {
                        throw new IllegalStateException("a fault on purpose");
                    }
                })) {
            await().until(() -> sink.batches().size() == 1);
            FolderFixture.write(folder.resolve("b.yaml"), namespace("b"));
            await().untilAsserted(() ->
                    assertThat(sink.one(NamespaceManifest.class, "b")).isNotNull());
        }
    }

    private static void awaitPort(FolderFixture it, int port) {
        await().untilAsserted(() -> assertThat(it.sink
                        .one(ServiceManifest.class, "a")
                        .ports()
                        .getFirst()
                        .number())
                .isEqualTo(port));
    }

    private static Instant created(FolderFixture it, String name) {
        return it.sink.one(ServiceManifest.class, name).metadata().created();
    }
}
