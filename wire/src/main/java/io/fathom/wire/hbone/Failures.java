// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.netty.handler.codec.DecoderException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/// Words for what Netty throws.
final class Failures {
    private Failures() {}

    /// The message that says most: that of the innermost cause, without class names.
    static String text(Throwable failure) {
        var innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return Objects.requireNonNullElse(
                innermost.getMessage(), innermost.getClass().getSimpleName());
    }

    /// Why a certificate is missing.
    static Problem problem(Throwable failure) {
        var cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return switch (cause) {
            case ProblemException known -> known.problem();
            case TimeoutException late ->
                problem("certificate-late", "it did not come in time", "see whether the authority is reachable");
            default -> problem("certificate-unavailable", text(cause), "look into the log of the authority");
        };
    }

    private static Problem problem(String code, String message, String fix) {
        return new Problem(code, message, fix, Problem.Origin.MESH, Problem.Retry.SENSIBLE);
    }

    /// Without Netty's wrapping.
    static Throwable unwrapped(Throwable failure) {
        return failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
