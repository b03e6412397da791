// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.webhook.Validation;
import io.fathom.verify.schema.MistakeTable.Case;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.folder.FolderConfig;
import io.fathom.wire.kube.folder.FolderSource;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every mistake of the table is told in the same words by a folder and by the webhook.
class MistakesTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    private static Map<String, List<ManifestProblem>> problems = Map.of();

    @BeforeAll
    static void readFolder(@TempDir Path folder) throws InterruptedException {
        MistakeTable.scatter(folder);
        var read = new CountDownLatch(1);
        var config = ReaderConfig.of("c1", "", "istio-system");
        try (var source = FolderSource.open(folder, config, FolderConfig.DEFAULT, CLOCK, _ -> read.countDown())) {
            assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
            problems = source.problems().stream()
                    .filter(problem -> problem.severity() == Severity.ERROR)
                    .filter(problem -> !Set.of("manifest-duplicate-object", "policy-damaged")
                            .contains(problem.problem().code()))
                    .collect(Collectors.groupingBy(
                            problem -> Path.of(problem.file()).getFileName().toString()));
        }
        if ("write".equals(System.getProperty("fathom.golden"))) {
            MistakeTable.write(MistakesTest::said);
        }
    }

    static Stream<Case> cases() {
        return MistakeTable.read().stream();
    }

    private static List<String> said(Case one) {
        return problems.getOrDefault(one.file(), List.of()).stream()
                .map(problem -> problem.line() + " " + problem.field() + ": " + problem.problem())
                .toList();
    }

    @Test
    void thenTheTableHasManyMistakesOfAllKinds() {
        assertThat(cases().filter(one -> !one.isRight())).hasSizeGreaterThan(120);
        assertThat(cases().filter(one -> !one.isRight()).map(one -> one.name().replaceFirst(":.*", "")))
                .containsAll(
                        cases().map(one -> one.name().replaceFirst(":.*", "")).toList());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenAFolder_thenEachMistakeIsToldWithLineAndFix(Case one) {
        assertThat(said(one)).isEqualTo(one.want());
        assertThat(said(one).isEmpty()).isEqualTo(one.isRight());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenTheWebhook_thenItUsesTheSameWords(Case one) {
        if (one.isOfText()) {
            return;
        }
        var mistakes = new Validation(AmbientConfig.defaults())
                .judge(asSent(one)).mistakes().stream().map(Object::toString).toList();
        assertThat(mistakes)
                .containsAll(one.want().stream()
                        .map(line -> line.substring(line.indexOf(' ') + 1))
                        .toList())
                .doesNotHaveDuplicates();
        assertThat(mistakes.isEmpty()).isEqualTo(one.isRight());
    }

    /// As the API server would send it: JSON on one line.
    private static Tree asSent(Case one) {
        return switch (Documents.ofYaml("f", one.yaml(), Limits.DEFAULT).getFirst()) {
            case Document.Parsed(var root) -> Json.parse("review", Json.compact(root));
            case Document.Broken(MisreadException cause) -> throw cause;
        };
    }
}
