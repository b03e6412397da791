// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.Comparator;

/// What is wrong with one object, document or file, told so that it can be found and mended.
///
/// @param severity whether something is not in force as it was written
/// @param file empty when nobody wrote it into one
/// @param line counted from 1; 0 when the file as a whole is meant
/// @param object `Kind namespace/name`, as far as known
/// @param field such as `spec.ports[0].port`; empty when the object as a whole is meant
public record ManifestProblem(Severity severity, String file, int line, String object, String field, Problem problem) {
    /// How much it matters.
    public enum Severity {
        /// Something is not in force as it was written.
        ERROR,
        /// Everything is in force, but may not be what the author meant.
        WARNING
    }

    /// By place.
    public static final Comparator<ManifestProblem> BY_PLACE = Comparator.comparing(ManifestProblem::file)
            .thenComparingInt(ManifestProblem::line)
            .thenComparing(ManifestProblem::object)
            .thenComparing(ManifestProblem::field);

    public ManifestProblem(String file, int line, String object, String field, Problem problem) {
        this(Severity.ERROR, file, line, object, field, problem);
    }

    /// Of a file as a whole.
    public static ManifestProblem ofFile(String file, Problem problem) {
        return new ManifestProblem(file, 0, "", "", problem);
    }

    /// The same, but nothing that was written is out of force.
    public ManifestProblem asWarning() {
        return new ManifestProblem(Severity.WARNING, file, line, object, field, problem);
    }

    public static ManifestProblem of(MisreadException misread, String object) {
        return new ManifestProblem(
                misread.at().file(), misread.at().line(), object, misread.field(), misread.problem());
    }

    /// `web.yaml:12: Service shop/web: spec.ports[0].port: is 70000, must be ... (fix: ...)`.
    @Override
    public String toString() {
        return (file.isEmpty() ? "" : file + (line == 0 ? "" : ":" + line) + ": ")
                + (object.isEmpty() ? "" : object + ": ")
                + (field.isEmpty() ? "" : field + ": ")
                + problem;
    }
}
