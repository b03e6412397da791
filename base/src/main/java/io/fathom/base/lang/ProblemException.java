// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

/// Carries a [Problem] through control code. The data path returns problems as values instead.
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.toString());
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
