// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import io.fathom.base.lang.Problem;

/// Something in a document is not as it must be. Carries no stack trace: it tells of the input, not of the program.
public final class MisreadException extends RuntimeException {
    private final transient Position at;
    private final String field;
    private final transient Problem problem;

    public MisreadException(Position at, String field, Problem problem) {
        super(at + ": " + (field.isEmpty() ? "" : field + ": ") + problem, null, false, false);
        this.at = at;
        this.field = field;
        this.problem = problem;
    }

    public Position at() {
        return at;
    }

    /// The path of the value concerned, as far as known.
    public String field() {
        return field;
    }

    public Problem problem() {
        return problem;
    }
}
