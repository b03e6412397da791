// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestPlace;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Everything that is not as the authors of manifests meant, in one list: what cannot be read, and what the mesh and
/// its proxies cannot do. Made anew whenever somebody asks. Any thread.
final class ProblemList {
    /// Errors first, then by place.
    private static final Comparator<ManifestProblem> ORDER = Comparator.comparing(ManifestProblem::severity)
            .thenComparing(ManifestProblem.BY_PLACE)
            .thenComparing(problem -> problem.problem().code());

    private final MeshSource source;
    private final AmbientMesh mesh;
    private final Table<ProblemKey, ObjectProblem> rows;
    private final Supplier<List<ManifestProblem>> elsewhere;

    /// @param elsewhere what is wrong with other clusters
    ProblemList(
            MeshSource source,
            AmbientMesh mesh,
            Table<ProblemKey, ObjectProblem> rows,
            Supplier<List<ManifestProblem>> elsewhere) {
        this.source = source;
        this.mesh = mesh;
        this.rows = rows;
        this.elsewhere = elsewhere;
    }

    List<ManifestProblem> all() {
        var problems = new ArrayList<>(source.problems());
        problems.addAll(elsewhere.get());
        var found = new TreeMap<ProblemKey, ObjectProblem>();
        mesh.cut().of(rows).forEach(found::put);
        found.values().forEach(problem -> problems.add(located(problem)));
        return problems.stream().distinct().sorted(ORDER).toList();
    }

    /// Without what may pass when something else is ready.
    List<ManifestProblem> lasting() {
        return all().stream()
                .filter(problem -> problem.problem().retry() == Problem.Retry.POINTLESS)
                .toList();
    }

    private ManifestProblem located(ObjectProblem problem) {
        var place = source.place(problem.object()).orElse(new ManifestPlace("", 0));
        return problem.at(place.file(), place.line());
    }

    static boolean hasErrors(List<ManifestProblem> problems) {
        return problems.stream().anyMatch(problem -> problem.severity() == Severity.ERROR);
    }
}
