// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Asks a Kubernetes API server to review tokens. Any number of threads; each call is one request.
public final class TokenReviewClient implements TokenReviewer {
    private final KubeClient client;

    public TokenReviewClient(KubeClient client) {
        this.client = client;
    }

    @Override
    public TokenReview review(String token, List<String> audiences) {
        var request = Json.of(Map.of(
                "apiVersion",
                KubeResource.TOKEN_REVIEWS.apiVersion(),
                "kind",
                "TokenReview",
                "spec",
                Map.of("token", token, "audiences", audiences)));
        try {
            return read(client.create(KubeResource.TOKEN_REVIEWS, "", request)
                    .root()
                    .at("status"));
        } catch (ProblemException e) {
            throw problem(e.problem().message().replace(token, "***"));
        } catch (MisreadException e) {
            throw problem("the API server's answer makes no sense: " + e.field());
        }
    }

    private static TokenReview read(Field status) {
        var user = status.at("user");
        var extra = new HashMap<String, List<String>>();
        user.at("extra").entries().forEach((name, values) -> extra.put(name, values.texts()));
        return new TokenReview(
                status.at("authenticated").flag(),
                Optional.of(status.at("error").text()).filter(error -> !error.isEmpty()),
                user.at("username").text(),
                new HashSet<>(user.at("groups").texts()),
                status.at("audiences").texts(),
                extra);
    }

    private static ProblemException problem(String message) {
        return new ProblemException(new Problem(
                "token-review-failed",
                message,
                "check that the API server answers and that we may create tokenreviews",
                Origin.SERVER,
                Retry.SENSIBLE));
    }
}
