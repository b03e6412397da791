// SPDX-License-Identifier: Apache-2.0
package io.fathom.control;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Objects as tests write them.
public final class Ids {
    private Ids() {}

    /// From `Kind/namespace/name`, or `group/Kind/namespace/name` for one of several kinds of a name. In the cluster
    /// that tests are in unless they say so.
    public static ManifestId of(String path) {
        return of("Kubernetes", path);
    }

    /// All that is wrong with an object.
    public static List<Problem> problems(Cut cut, Table<ProblemKey, ObjectProblem> table, ManifestId object) {
        var rows = new TreeMap<ProblemKey, ObjectProblem>();
        cut.of(table).forEach(rows::put);
        return rows.values().stream()
                .filter(row -> row.object().equals(object))
                .map(ObjectProblem::problem)
                .toList();
    }

    public static Optional<Problem> problem(Cut cut, Table<ProblemKey, ObjectProblem> table, ManifestId object) {
        return problems(cut, table, object).stream().findFirst();
    }

    public static ManifestId of(String cluster, String path) {
        var parts = path.split("/", -1);
        var at = parts.length - 3;
        var kind = ManifestKinds.all().stream()
                .filter(each -> each.kind().equals(parts[at]))
                .filter(each -> at == 0 || each.group().equals(parts[0]))
                .findFirst()
                .orElseThrow();
        return new ManifestId(kind.type(), new ObjectKey(cluster, parts[at + 1], parts[at + 2]));
    }
}
