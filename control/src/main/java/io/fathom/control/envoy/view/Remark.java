// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.base.lang.Problem;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;

/// What the author of an object should hear, and what can be told from the object alone.
///
/// @param field of the object that it is about, such as `spec.configPatches[0]`
/// @param problem whose message goes on where the name of the object or field ends
public record Remark(Weight weight, String field, Problem problem) {
    public enum Weight {
        /// Nobody can mean that: such an object should not be stored.
        MISTAKE,
        /// It has no effect in this mesh, or not the one that it seems to have.
        WARNING
    }

    public static Remark mistake(String field, String code, String message, String fix) {
        return new Remark(Weight.MISTAKE, field, Problem.ofInput(code, message, fix));
    }

    public static Remark warning(String field, String code, String message, String fix) {
        return new Remark(Weight.WARNING, field, Problem.ofInput(code, message, fix));
    }

    /// With the object's kind and name.
    public ObjectProblem about(ManifestId object) {
        var path = field.replaceFirst("^spec\\.?", "");
        return new ObjectProblem(
                weight == Weight.MISTAKE ? Severity.ERROR : Severity.WARNING,
                object,
                field,
                new Problem(
                        problem.code(),
                        object + (path.isEmpty() ? " " : ": " + path + " ") + problem.message(),
                        problem.fix(),
                        problem.origin(),
                        problem.retry()));
    }
}
