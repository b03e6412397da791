// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.grpc.Status;
import io.grpc.StatusException;

/// Problems as they travel: the code, a colon, the message, and in brackets what to do.
final class FleetRefusals {
    private static final String FIX = " (fix: ";

    private FleetRefusals() {}

    static StatusException status(ProblemException e) {
        var problem = e.problem();
        var status = problem.retry() == Problem.Retry.SENSIBLE ? Status.UNAVAILABLE : Status.PERMISSION_DENIED;
        return status.withDescription(problem.code() + ": " + problem).asException();
    }

    /// What the server said, as a problem of this side.
    static Problem problem(Status status, String server) {
        var text = String.valueOf(status.getDescription());
        var colon = text.indexOf(": ");
        var denied = status.getCode() == Status.Code.PERMISSION_DENIED
                || status.getCode() == Status.Code.UNAUTHENTICATED
                || status.getCode() == Status.Code.INVALID_ARGUMENT;
        if (denied && colon > 0 && text.substring(0, colon).matches("[a-z-]+")) {
            var fix = text.lastIndexOf(FIX);
            return new Problem(
                    text.substring(0, colon),
                    "the management server at " + server + " refused: "
                            + text.substring(colon + 2, fix > colon ? fix : text.length()),
                    fix > colon && text.endsWith(")") ? text.substring(fix + FIX.length(), text.length() - 1) : "",
                    Problem.Origin.CLIENT,
                    Problem.Retry.POINTLESS);
        }
        return new Problem(
                "fleet-server-unreachable",
                "the management server at " + server + " does not answer: " + text,
                "check its address, and that policies and firewalls let us there",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }
}
