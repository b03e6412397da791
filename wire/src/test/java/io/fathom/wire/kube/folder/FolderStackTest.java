// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FolderStackTest {
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: %s, ports: [{port: 80}]}
            """;

    private final BlockingQueue<List<ManifestChange>> batches = new LinkedBlockingQueue<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private FolderStack stack;

    @BeforeEach
    void open() throws IOException {
        for (var name : List.of("people", "programs")) {
            Files.createDirectory(folder.resolve(name));
        }
        write("people", SERVICE.formatted("198.18.0.1"));
        write("programs", SERVICE.formatted("198.18.0.2"));
        stack = FolderStack.open(
                List.of(folder.resolve("people"), folder.resolve("programs")),
                ReaderConfig.of("Kubernetes", "default", "istio-system"),
                FolderConfig.DEFAULT.withGrace(Duration.ZERO),
                InstantSource.system(),
                batches::add);
    }

    @AfterEach
    void close() {
        stack.close();
    }

    @Test
    void givenAnObjectInBothFolders_thenTheLastOneCounts() throws Exception {
        assertThat(next()).contains("198.18.0.2").doesNotContain("198.18.0.1");
        assertThat(stack.problems()).isEmpty();
    }

    @Test
    void whenTheLastOneIsGone_thenTheOtherCounts_andThenNone() throws Exception {
        next();
        Files.delete(folder.resolve("programs/web.yaml"));
        assertThat(next()).contains("Put", "198.18.0.1");
        Files.delete(folder.resolve("people/web.yaml"));
        assertThat(next()).contains("Remove");
    }

    @Test
    void givenAddressesComeFromAProgram_thenAServiceWithoutOneWaits_andAHeadlessOneDoesNot() throws Exception {
        var without = SERVICE.replace("clusterIP: %s, ", "");
        stack.close();
        batches.clear();
        Files.delete(folder.resolve("programs/web.yaml"));
        write("people", without);
        Files.writeString(
                folder.resolve("people/more.yaml"), SERVICE.formatted("None").replace("web", "headless"));
        stack = FolderStack.open(
                List.of(folder.resolve("people"), folder.resolve("programs")),
                ReaderConfig.of("Kubernetes", "default", "istio-system"),
                FolderConfig.DEFAULT
                        .withGrace(Duration.ZERO)
                        .withAddresses(FolderConfig.AddressPlanning.FROM_LATER_FOLDER),
                InstantSource.system(),
                batches::add);
        assertThat(next()).contains("name=headless").doesNotContain("name=web");

        write("programs", SERVICE.formatted("198.18.0.2"));
        assertThat(next()).contains("name=web", "198.18.0.2");
        Files.delete(folder.resolve("programs/web.yaml"));
        assertThat(next()).contains("Remove");
    }

    @Test
    void givenAnObjectThatAnotherHides_whenItChanges_thenNothingIsTold() throws Exception {
        next();
        write("people", SERVICE.formatted("198.18.0.3"));
        Files.writeString(
                folder.resolve("people/more.yaml"),
                SERVICE.formatted("198.18.0.4").replace("web", "shop"));

        assertThat(next()).contains("198.18.0.4").doesNotContain("198.18.0.3");
    }

    @Test
    void givenAProgramThatCopiesAMistake_thenItIsToldOnce_whereItWasWritten() throws Exception {
        next();
        var broken = SERVICE.formatted("198.18.0.1").replace("port: 80", "port: 80000");
        write("people", broken);
        write("programs", broken);
        await().until(() ->
                stack.sources().stream().noneMatch(source -> source.problems().isEmpty()));

        assertThat(stack.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.file()).contains("people"));
    }

    @Test
    void givenAProgramThatCannotDoSomething_thenThatIsAProblem() throws Exception {
        next();
        var problem = new ManifestProblem(
                "x.yaml", 7, "StatefulSet shop/db", "kind", Problem.ofInput("not-played", "is not played", "do not"));
        ProblemFile.in(folder.resolve("programs")).write(List.of(problem, problem.asWarning()));

        assertThat(stack.problems()).containsExactly(problem, problem.asWarning());
    }

    @Test
    void givenAnObjectInBothFolders_thenItsPlaceIsWherePeopleWroteIt() throws Exception {
        next();
        var web = new ManifestId(ServiceManifest.class, new ObjectKey("Kubernetes", "shop", "web"));

        assertThat(stack.place(web))
                .hasValue(new ManifestPlace(folder.resolve("people/web.yaml").toString(), 1));
        Files.delete(folder.resolve("people/web.yaml"));
        Files.delete(folder.resolve("programs/web.yaml"));
        await().until(() -> stack.place(web).isEmpty());
    }

    private String next() throws InterruptedException {
        return String.valueOf(batches.poll(30, TimeUnit.SECONDS));
    }

    private void write(String layer, String text) throws IOException {
        Files.writeString(folder.resolve(layer).resolve("web.yaml"), text);
    }
}
