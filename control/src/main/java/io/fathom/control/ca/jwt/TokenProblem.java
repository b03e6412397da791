// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// Why a token is not accepted. Never quotes the token.
final class TokenProblem {
    private TokenProblem() {}

    static ProblemException of(String code, String message) {
        return new ProblemException(
                Problem.ofInput(code, message, "present a fresh token of the right issuer for the right audience"));
    }
}
