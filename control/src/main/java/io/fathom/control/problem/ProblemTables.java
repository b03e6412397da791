// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.problem;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.wire.kube.ManifestId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Makes tables of problems from others.
public final class ProblemTables {
    private ProblemTables() {}

    /// All problems of each object that has some, by field.
    public static Table<ManifestId, List<ObjectProblem>> byObject(
            Flow flow, String name, Table<ProblemKey, ObjectProblem> problems) {
        var index = flow.index(name + "/index", problems, problem -> Set.of(problem.object()));
        return flow.reduce(name, index, (_, _, members) -> Optional.of(List.copyOf(members)));
    }
}
