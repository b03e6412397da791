// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// The list of problems: as a page, and counted by code.
public final class ProblemPage {
    private final Supplier<List<ManifestProblem>> problems;

    /// @param problems errors first; asked for whenever somebody looks
    public ProblemPage(Supplier<List<ManifestProblem>> problems) {
        this.problems = problems;
    }

    public void addTo(Pages pages, ControlMetrics metrics) {
        pages.debug(
                "problemz",
                "All that is not as the authors of the objects meant, errors first",
                _ -> Page.Reply.json(json ->
                        json.list(problems.get(), (list, problem) -> list.object(it -> row(it, problem)))));
        metrics.watch("fathom_problems", "Problems of objects.", List.of("code", "severity"), this::counts);
    }

    private Map<List<String>, Integer> counts() {
        var counts = new HashMap<List<String>, Integer>();
        for (var problem : problems.get()) {
            counts.merge(List.of(problem.problem().code(), problem.severity().name()), 1, Integer::sum);
        }
        return counts;
    }

    private static void row(JsonOut json, ManifestProblem problem) {
        MeshPages.manifestProblem(json.text("severity", problem.severity().name()), problem);
    }
}
