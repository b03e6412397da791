// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a program that plays a part of a cluster cannot do of people's manifests. It says so in a file of the folder
/// that it keeps its objects in, and a [FolderStack] with that folder tells it with all other problems. Whoever reads
/// the file while it is written finds the state before.
public record ProblemFile(Path path) {
    private static final String NAME = ".problems.json"; // hidden: no manifest
    private static final Choices<Severity> SEVERITIES = Choices.of(Severity.class, Severity::name);

    public static ProblemFile in(Path folder) {
        return new ProblemFile(folder.resolve(NAME));
    }

    public void write(List<ManifestProblem> problems) throws IOException {
        var rows = problems.stream()
                .map(problem -> Map.of(
                        "severity", problem.severity().name(),
                        "file", problem.file(),
                        "line", problem.line(),
                        "object", problem.object(),
                        "field", problem.field(),
                        "code", problem.problem().code(),
                        "message", problem.problem().message(),
                        "fix", problem.problem().fix()))
                .toList();
        var draft = path.resolveSibling("." + path.getFileName());
        Files.writeString(draft, Json.compact(Json.of(Map.of("problems", rows))) + "\n");
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    }

    /// None when there is no such file.
    public List<ManifestProblem> read() {
        var problems = new ArrayList<ManifestProblem>();
        try {
            for (var document : Documents.ofJson(path.toString(), Files.readString(path), Limits.DEFAULT)) {
                if (document instanceof Document.Parsed(var root)) {
                    Field.root(root).at("problems").items().forEach(row -> problems.add(problem(row)));
                }
            }
        } catch (IOException | MisreadException _) {
            return List.of();
        }
        return problems;
    }

    private static ManifestProblem problem(Field row) {
        return new ManifestProblem(
                row.at("severity").oneOf(SEVERITIES),
                row.at("file").text(),
                row.at("line").integer(0, Integer.MAX_VALUE).orElse(0),
                row.at("object").text(),
                row.at("field").text(),
                Problem.ofInput(
                        row.at("code").text(),
                        row.at("message").text(),
                        row.at("fix").text()));
    }
}
