// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Duplicates;
import io.fathom.wire.kube.tree.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Manifests that a real API server has accepted, and those that we ship, are read without a word.
class NoFalseAlarmTest {
    /// Different on purpose: docs/differences.md.
    private static final String DENY_WITHOUT_RULES = "AuthorizationPolicy app/no-rules";

    /// Scenarios that were recorded on a real API server; some have labels on purpose that nobody knows.
    @ParameterizedTest
    @ValueSource(strings = {"src/test/resources/golden", "src/test/resources/charts"})
    void givenManifestsThatWereAccepted_thenNothingIsRefused(String folder) throws IOException {
        assertThat(problems(Path.of(folder)))
                .filteredOn(problem -> problem.severity() == Severity.ERROR)
                .filteredOn(problem -> !problem.object().equals(DENY_WITHOUT_RULES))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../samples"})
    void givenManifestsThatWeShip_thenNothingIsSaid(String folder) throws IOException {
        assertThat(problems(Path.of(folder))).isEmpty();
    }

    private static List<ManifestProblem> problems(Path folder) throws IOException {
        var problems = new ArrayList<ManifestProblem>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (var file : files.filter(NoFalseAlarmTest::holdsManifests).toList()) {
                problems.addAll(problemsOf(file));
            }
        }
        return problems;
    }

    private static boolean holdsManifests(Path file) {
        var name = file.getFileName().toString();
        return name.endsWith(".yaml")
                && !name.equals("about.yaml")
                && !name.equals("delete.yaml") // names of objects, no objects
                && !name.endsWith(".values.yaml");
    }

    private static List<ManifestProblem> problemsOf(Path file) throws IOException {
        var problems = new ArrayList<ManifestProblem>();
        var reader = new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system"));
        for (var document :
                Documents.ofYaml(file.toString(), Files.readString(file), Limits.DEFAULT, Duplicates.NOTE)) {
            switch (document) {
                case Document.Broken(var cause) -> problems.add(ManifestProblem.of(cause, ""));
                case Document.Parsed(var root) ->
                    reader.read(root, _ -> Instant.EPOCH).forEach(reading -> {
                        switch (reading) {
                            case Reading.Good good -> problems.addAll(good.problems());
                            case Reading.Skipped skipped -> problems.addAll(skipped.problems());
                            case Reading.Bad bad -> problems.addAll(bad.problems());
                        }
                    });
            }
        }
        return problems;
    }
}
