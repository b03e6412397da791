// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Remark;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Patch;
import java.util.ArrayList;
import java.util.List;

/// What the author of an EnvoyFilter should hear. Pure.
public final class FilterReview {
    private FilterReview() {}

    /// What of it cannot be applied to any proxy, and why.
    public static List<Remark> remarks(EnvoyFilterManifest filter) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < filter.patches().size(); i++) {
            var patch = filter.patches().get(i);
            var field = "spec.configPatches[" + i + "]";
            if (isForSidecars(filter, patch)) {
                remarks.add(Remark.warning(
                        field,
                        "envoyfilter-no-sidecars",
                        "is for sidecars, which this mesh has none of",
                        "use context GATEWAY or WAYPOINT"));
            } else {
                CompiledPatch.of(filter.key(), patch)
                        .problem()
                        .map(problem -> new Remark(weight(problem), field, problem))
                        .ifPresent(remarks::add);
            }
        }
        return remarks;
    }

    /// Whether no proxy of this mesh takes it.
    private static boolean isForSidecars(EnvoyFilterManifest filter, Patch patch) {
        return switch (patch.context()) {
            case SIDECAR_INBOUND ->
                !EnvoyFilters.isForWaypoints(patch)
                        || filter.targets().stream()
                                .noneMatch(target -> target.kind().equals("Gateway")
                                        || target.kind().equals("GatewayClass"));
            case SIDECAR_OUTBOUND -> true;
            case ANY, GATEWAY, WAYPOINT -> false;
        };
    }

    /// What other meshes may well apply is not a mistake.
    private static Remark.Weight weight(Problem problem) {
        return problem.code().equals(CompiledPatch.UNSUPPORTED) ? Remark.Weight.WARNING : Remark.Weight.MISTAKE;
    }

    /// The same on the object.
    static List<ObjectProblem> problems(EnvoyFilterManifest filter) {
        return remarks(filter).stream()
                .map(remark -> remark.about(ManifestId.of(filter)))
                .toList();
    }
}
