// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.control.ambient.status.FullStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What is not good about a Gateway or ListenerSet and its listeners. What follows from something that is said already
/// is left out: a listener that is not accepted is not programmed, either. Pure.
final class GatewayProblems {
    private static final String ACCEPTED = "Accepted";
    private static final String PROGRAMMED = "Programmed";
    private static final String RESOLVED_REFS = "ResolvedRefs";

    private GatewayProblems() {}

    static Map<ProblemKey, ObjectProblem> of(ManifestId object, FullStatus status) {
        var problems = new ArrayList<ObjectProblem>();
        for (var part : status.parts()) {
            problems.addAll(of(object, "spec.listeners[" + part.name() + "]", part.conditions()));
        }
        if (problems.isEmpty()) {
            problems.addAll(of(object, "", status.own().conditions()));
        }
        return ObjectProblem.rows(problems);
    }

    private static List<ObjectProblem> of(ManifestId object, String field, List<StatusCondition> conditions) {
        var causes = bad(object, field, conditions, List.of(ACCEPTED, RESOLVED_REFS));
        return causes.isEmpty() ? bad(object, field, conditions, List.of(PROGRAMMED)) : causes;
    }

    private static List<ObjectProblem> bad(
            ManifestId object, String field, List<StatusCondition> conditions, List<String> types) {
        return conditions.stream()
                .filter(condition -> types.contains(condition.type()))
                .flatMap(condition -> ConditionProblems.of(object, field, condition).stream())
                .toList();
    }
}
