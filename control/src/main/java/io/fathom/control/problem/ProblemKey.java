// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.problem;

import io.fathom.wire.kube.ManifestId;
import java.util.Comparator;

/// Tells the problems of all objects apart. Two tables that have the same one mean the same problem.
///
/// @param number counts those of one code and field
public record ProblemKey(ManifestId object, String code, String field, int number) implements Comparable<ProblemKey> {
    private static final Comparator<ProblemKey> ORDER = Comparator.comparing(ProblemKey::object)
            .thenComparing(ProblemKey::field)
            .thenComparing(ProblemKey::code)
            .thenComparingInt(ProblemKey::number);

    ProblemKey next() {
        return new ProblemKey(object, code, field, number + 1);
    }

    @Override
    public int compareTo(ProblemKey other) {
        return ORDER.compare(this, other);
    }
}
