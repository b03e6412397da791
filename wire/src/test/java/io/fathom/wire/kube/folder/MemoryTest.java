// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What protects something outlives a restart, as it was last read; with real files.
final class MemoryTest {
    private static final String POLICY = "AuthorizationPolicy shop/a";
    private static final String GOOD = """
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: a, namespace: shop}
            spec: {action: DENY, rules: [{from: [{source: {namespaces: [evil]}}]}]}
            """;
    private static final String OTHER = GOOD.replace("name: a", "name: b");
    private static final String BROKEN = GOOD.replace("{name: a, namespace: shop}", "{name: a, namespace: shop");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path state;

    private FolderConfig config = FolderConfig.DEFAULT;

    @BeforeEach
    void keep() {
        config = FolderConfig.DEFAULT
                .withMemory(new Memory.In(state.resolve("deep/below")))
                .withRescan(Duration.ofMinutes(10));
    }

    private FolderFixture open() {
        return FolderFixture.open(folder, config);
    }

    private void write(String file, String text) {
        FolderFixture.write(folder.resolve(file), text);
    }

    private void runOnce() {
        open().close();
    }

    @Test
    void givenAPolicyThatIsBrokenAfterARestart_thenItsLastGoodVersionIsInForceAndSaysSo() {
        write("a.yaml", GOOD);
        runOnce();
        write("a.yaml", BROKEN);

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly(POLICY);
            assertThat(it.source.problems())
                    .extracting(problem -> problem.problem().code())
                    .containsExactlyInAnyOrder("manifest-syntax", "policy-last-good");
        }
        try (var it = open()) {
            assertThat(it.sink.names()).as("and after another one").containsExactly(POLICY);
        }
    }

    @Test
    void givenTheVersionOfTheApiIsMisspelledAfterARestart_thenTheLastGoodVersionIsInForce() {
        write("a.yaml", GOOD);
        runOnce();
        write("a.yaml", GOOD.replace("istio.io/v1", "istio.io/v11"));

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly(POLICY);
        }
    }

    @Test
    void givenAMistakeInItAfterARestart_thenWhatIsLeftOfItIsInForce() {
        write("a.yaml", GOOD);
        runOnce();
        write("a.yaml", GOOD.replace("from:", "form:"));

        try (var it = open()) {
            assertThat(policy(it).rules())
                    .singleElement()
                    .satisfies(rule -> assertThat(rule.from()).isEmpty());
            assertThat(policy(it).damage()).isPresent();
        }
    }

    @Test
    void givenTheFileIsDeletedWhileNobodyLooks_thenThePolicyIsGoneForGood() {
        write("a.yaml", GOOD);
        runOnce();
        assertThat(folder.resolve("a.yaml").toFile().delete()).isTrue();
        runOnce();
        write("a.yaml", BROKEN);

        try (var it = open()) {
            assertThat(it.sink.names()).isEmpty();
        }
    }

    @Test
    void givenTheDocumentIsDeletedWhileNobodyLooks_thenThePolicyIsGoneForGood() {
        write("a.yaml", GOOD + "---\n" + OTHER);
        runOnce();
        write("a.yaml", OTHER);

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly("AuthorizationPolicy shop/b");
        }
    }

    @Test
    void givenItIsDeletedWhileWatched_thenItIsForgotten() throws Exception {
        write("a.yaml", GOOD);
        try (var it = open()) {
            it.delete("a.yaml");
            it.awaitNames();
        }
        write("a.yaml", BROKEN);

        try (var it = open()) {
            assertThat(it.sink.names()).isEmpty();
        }
    }

    @Test
    void givenAnItemOfAList_thenItIsKeptLikeAnyOther() {
        write("a.yaml", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicyList
                items:
                - metadata: {name: a, namespace: shop}
                  spec: {action: DENY, rules: [{}]}
                """);
        runOnce();
        write("a.yaml", "kind: [");

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly(POLICY);
        }
    }

    @Test
    void givenOtherKinds_thenNothingIsKept() {
        write("a.yaml", FolderFixture.namespace("shop"));
        runOnce();

        assertThat(state).isEmptyDirectory();
    }

    @Test
    void givenTheMemoryWasChanged_thenItIsNotBelievedAndThatIsSaid() throws Exception {
        write("a.yaml", GOOD);
        runOnce();
        write("a.yaml", BROKEN);
        try (var files = Files.list(state.resolve("deep/below"))) {
            var file = files.findFirst().orElseThrow();
            Files.writeString(file, Files.readString(file).replace("DENY", "ALLOW"));
        }

        try (var it = open()) {
            assertThat(it.sink.names()).isEmpty();
            assertThat(it.source.problems())
                    .filteredOn(problem -> problem.problem().code().equals("manifest-memory-lost"))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.severity()).isEqualTo(ManifestProblem.Severity.WARNING));
        }
    }

    @Test
    void givenNowhereToWrite_thenManifestsAreReadAllTheSameAndThatIsSaid() throws Exception {
        Files.writeString(state.resolve("deep"), "a file");
        write("a.yaml", GOOD);

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly(POLICY);
            it.awaitProblems(1);
            assertThat(it.source.problems().getFirst().problem().code()).isEqualTo("manifest-memory-unwritable");
        }
    }

    @Test
    void givenTheMemoryIsAmongTheManifests_thenItIsNotReadAsOneOfThem() {
        config = config.withMemory(new Memory.BesideManifests());
        write("a.yaml", GOOD);
        runOnce();
        write("a.yaml", BROKEN);

        try (var it = open()) {
            assertThat(it.sink.names()).containsExactly(POLICY);
            assertThat(folder.resolve(".fathom/last-good")).exists();
        }
    }

    private static AuthorizationPolicyManifest policy(FolderFixture it) {
        return it.sink.one(AuthorizationPolicyManifest.class, "a");
    }
}
