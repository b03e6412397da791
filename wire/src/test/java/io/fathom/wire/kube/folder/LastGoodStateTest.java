// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static io.fathom.wire.kube.folder.FolderFixture.namespace;
import static io.fathom.wire.kube.folder.FolderFixture.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LastGoodStateTest {
    @TempDir
    Path folder;

    @Test
    void whenObjectBreaks_thenItsLastGoodStateStaysAndOthersMove() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("b", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 99999) + "---\n" + service("b", 81));
            it.awaitProblems(1);

            awaitPort(it, "a", 80);
            awaitPort(it, "b", 81);
            assertThat(it.source.problems().getFirst())
                    .hasToString(folder + "/a.yaml:8: Service shop/a: spec.ports[0].port: is 99999,"
                            + " must be from 1 to 65535 (fix: write a number from 1 to 65535)");

            it.write("a.yaml", service("a", 82) + "---\n" + service("b", 81));
            it.awaitProblems(0);
            awaitPort(it, "a", 82);
            assertThat(it.sink.hasRemovals()).isFalse();
        }
    }

    @Test
    void whenTheRestOfAFileHasABadVersion_thenItKeepsItsStateAndWhatWasDeletedGoes() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("b", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 81).replace("apiVersion: v1", "apiVersion: v11"));
            it.awaitProblems(1);

            it.awaitNames("Service shop/a");
            awaitPort(it, "a", 80);
        }
    }

    @Test
    void whenAKeyIsWrittenTwice_thenOnlyThatObjectKeepsItsLastGoodState() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("b", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 81) + "spec: {}\n");
            it.awaitProblems(1);

            it.awaitNames("Service shop/a");
            awaitPort(it, "a", 80);
        }
    }

    @Test
    void whenDocumentIsUnintelligible_thenWhatItMayHaveHeldStays() {
        FolderFixture.write(
                folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("b", 80) + "---\n" + service("c", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 81) + "---\nkind: [unclosed\n---\n" + service("d", 80));
            it.awaitProblems(1);

            it.awaitNames("Service shop/a", "Service shop/b", "Service shop/c", "Service shop/d");
            awaitPort(it, "a", 81);

            it.write("a.yaml", service("a", 81) + "---\n" + service("d", 80));
            it.awaitNames("Service shop/a", "Service shop/d");
            it.awaitProblems(0);
        }
    }

    @Test
    void whenBrokenFileIsDeleted_thenItsObjectsGo() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", "kind: [unclosed\n");
            it.awaitProblems(1);
            it.awaitNames("Service shop/a");

            it.delete("a.yaml");
            it.awaitNames();
            it.awaitProblems(0);
        }
    }

    @Test
    void whenObjectMovesOutOfBrokenFile_thenTheNewPlaceWins() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80));
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", "kind: [unclosed\n");
            it.awaitProblems(1);
            it.write("b.yaml", service("a", 81));
            awaitPort(it, "a", 81);

            assertThat(it.source.problems()).hasSize(1);
        }
    }

    @Test
    void whenMeshConfigBreaks_thenLastGoodStays() {
        var mesh = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    trustDomain: td
                """;
        FolderFixture.write(folder.resolve("mesh.yaml"), mesh);
        try (var it = FolderFixture.open(folder)) {
            it.write("mesh.yaml", mesh.replace("td", "[td"));
            it.awaitProblems(1);

            assertThat(it.sink.one(MeshConfigManifest.class, "istio").trustDomain())
                    .isEqualTo("td");
            assertThat(it.source.problems().getFirst().field()).startsWith("data.mesh");
            assertThat(it.source.problems().getFirst().line()).isBetween(6, 7);
        }
    }

    @Test
    void givenSameObjectTwice_thenFirstFileWinsAndTheOtherTakesOver() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80));
        FolderFixture.write(folder.resolve("b.yaml"), namespace("other") + "---\n" + service("a", 81));
        try (var it = FolderFixture.open(folder)) {
            awaitPort(it, "a", 80);
            assertThat(it.source.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.problem().code()).isEqualTo("manifest-duplicate-object");
                assertThat(problem.file()).isEqualTo(folder + "/b.yaml");
                assertThat(problem.line()).isEqualTo(6);
                assertThat(problem.problem().message()).contains(folder + "/a.yaml:1");
                assertThat(problem.object()).isEqualTo("Service shop/a");
            });

            it.delete("a.yaml");
            awaitPort(it, "a", 81);
            it.awaitProblems(0);
            assertThat(it.sink.hasRemovals()).isFalse();

            it.write("a.yaml", service("a", 82));
            awaitPort(it, "a", 82);
            it.awaitProblems(1);
        }
    }

    @Test
    void givenSameObjectTwiceInOneFile_thenFirstWins() {
        FolderFixture.write(folder.resolve("a.yaml"), service("a", 80) + "---\n" + service("a", 81));
        try (var it = FolderFixture.open(folder)) {
            awaitPort(it, "a", 80);
            it.awaitProblems(1);
        }
    }

    @Test
    void whenProblemComesAndGoes_thenEachIsLoggedOnce() {
        var logger = (Logger) LoggerFactory.getLogger(ProblemLog.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        try (var it = FolderFixture.open(folder)) {
            it.write("a.yaml", service("a", 0));
            it.awaitProblems(1);
            it.write("a.yaml", "# moves it to another line\n" + service("a", 0));
            await().untilAsserted(() ->
                    assertThat(it.source.problems().getFirst().line()).isEqualTo(9));
            it.write("a.yaml", service("a", 80));
            it.awaitProblems(0);

            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("manifest refused: " + folder + "/a.yaml:8: Service"),
                            line -> assertThat(line).startsWith("manifest problem is gone: " + folder + "/a.yaml"));
        } finally {
            logger.setLevel(null);
            logger.detachAppender(lines);
        }
    }

    private static void awaitPort(FolderFixture it, String name, int port) {
        await().untilAsserted(() -> assertThat(it.sink
                        .one(ServiceManifest.class, name)
                        .ports()
                        .getFirst()
                        .number())
                .isEqualTo(port));
    }
}
