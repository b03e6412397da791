// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.problem;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Something about an object that is not as its author meant.
///
/// @param field that it is about, such as `spec.http[0]`; empty for the object as a whole
public record ObjectProblem(Severity severity, ManifestId object, String field, Problem problem) {
    /// Something that was written is not in force.
    public static ObjectProblem error(ManifestId object, String field, Problem problem) {
        return new ObjectProblem(Severity.ERROR, object, field, problem);
    }

    /// Everything is in force, but may not be what the author meant.
    public static ObjectProblem warning(ManifestId object, String field, Problem problem) {
        return new ObjectProblem(Severity.WARNING, object, field, problem);
    }

    /// As rows of a table. Where objects have the same problem in the same field several times, all of them stay.
    public static Map<ProblemKey, ObjectProblem> rows(List<ObjectProblem> problems) {
        var rows = new LinkedHashMap<ProblemKey, ObjectProblem>();
        for (var problem : problems) {
            var key = new ProblemKey(problem.object, problem.problem.code(), problem.field, 0);
            while (rows.containsKey(key)) {
                key = key.next();
            }
            rows.put(key, problem);
        }
        return rows;
    }

    /// With the place where people wrote the object.
    public ManifestProblem at(String file, int line) {
        return new ManifestProblem(severity, file, line, object.toString(), field, problem);
    }
}
