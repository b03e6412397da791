package io.fathom.control.envoy.extension;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.EnvoyFilterManifest;
import io.fathom.wire.kube.EnvoyFilterManifest.Context;
import java.util.ArrayList;
import java.util.List;

/// What the author of an EnvoyFilter should hear.
final class FilterReview {
    private FilterReview() {}

    static List<Problem> problems(EnvoyFilterManifest filter) {
        var problems = new ArrayList<Problem>();
        for (var i = 0; i < filter.patches().size(); i++) {
            var patch = filter.patches().get(i);
            var subject = "EnvoyFilter " + filter.key().path() + ": configPatches[" + i + "] ";
            if (patch.context() == Context.SIDECAR_INBOUND || patch.context() == Context.SIDECAR_OUTBOUND) {
                problems.add(Problem.ofInput(
                        "envoyfilter-no-sidecars",
                        subject + "is for sidecars, which this mesh has none of",
                        "use context GATEWAY or WAYPOINT"));
                continue;
            }
            CompiledPatch.of(patch)
                    .problem()
                    .map(problem -> Problem.ofInput(problem.code(), subject + problem.message(), problem.fix()))
                    .ifPresent(problems::add);
        }
        return problems;
    }
}
