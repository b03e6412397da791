// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.net.URI;
import javax.net.ssl.SSLException;

/// What went wrong between us and an API server, in words that name the object and what to do.
final class ApiProblems {
    private static final int LONGEST = 400;

    private ApiProblems() {}

    /// An answer that is no success.
    ///
    /// @param what was tried, such as `get pods shop/web`
    static ProblemException ofStatus(URI server, String what, int status, String body) {
        var said = said(body);
        var message = "the API server at %s does not let us %s: status %d%s"
                .formatted(server, what, status, said.isEmpty() ? "" : ", " + said);
        return switch (status) {
            case 401 -> of("kube-unauthorized", message, "check the token or certificate we use", Retry.SENSIBLE);
            case 403 ->
                of("kube-forbidden", message, "let our account " + what + " with a (Cluster)Role", Retry.SENSIBLE);
            case 404 -> of("kube-not-found", message, "create it, or install what defines its kind", Retry.SENSIBLE);
            case 409 -> of("kube-conflict", message, "read it again and repeat the change", Retry.SENSIBLE);
            case 410 -> of("kube-expired", message, "list everything again", Retry.SENSIBLE);
            case 429 -> of("kube-overloaded", message, "wait; look for clients that ask too often", Retry.SENSIBLE);
            default ->
                status >= 500
                        ? of("kube-failed", message, "look at the API server's log", Retry.SENSIBLE)
                        : of("kube-refused", message, "correct what is sent", Retry.POINTLESS);
        };
    }

    /// Likewise, where objects were to be read: names the permission that lacks.
    static ProblemException ofStatus(URI server, String what, KubeQuery query, int status, String body) {
        var problem = ofStatus(server, what, status, body);
        return status == 403
                ? of(
                        problem.problem().code(),
                        problem.problem().message(),
                        "give our account the rule " + query.rule(),
                        Retry.SENSIBLE)
                : problem;
    }

    static ProblemException ofFailure(URI server, String what, IOException e) {
        var why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return e instanceof SSLException
                ? of(
                        "kube-not-trusted",
                        "cannot %s: no TLS with the API server at %s: %s".formatted(what, server, why),
                        "check the authority in the kubeconfig, and the names in the server's certificate",
                        Retry.SENSIBLE)
                : of(
                        "kube-unreachable",
                        "cannot %s: the API server at %s does not answer: %s".formatted(what, server, why),
                        "check that it runs and can be reached from here",
                        Retry.SENSIBLE);
    }

    static ProblemException unreadable(URI server, String what, MisreadException e) {
        return of(
                "kube-answer-unreadable",
                "cannot %s: the answer of %s makes no sense: %s"
                        .formatted(what, server, shortened(String.valueOf(e.getMessage()))),
                "check that there is an API server at this address",
                Retry.SENSIBLE);
    }

    private static ProblemException of(String code, String message, String fix, Retry retry) {
        return new ProblemException(new Problem(code, message, fix, Origin.SERVER, retry));
    }

    /// The server's own words: the message of a `Status`, or the beginning of whatever else it sent.
    private static String said(String body) {
        try {
            return shortened(
                    Field.root(Json.parse("answer", body)).at("message").text());
        } catch (MisreadException e) {
            return shortened(body);
        }
    }

    private static String shortened(String text) {
        var line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
    }
}
