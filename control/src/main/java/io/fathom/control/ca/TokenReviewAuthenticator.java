// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Credentials;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Takes a client for the service account of its Kubernetes token, after the API server of its cluster has approved the
/// token for one of our audiences.
public final class TokenReviewAuthenticator implements CallerAuthenticator {
    private final Clusters clusters;
    private final List<String> audiences;
    private final Supplier<TrustDomains> trustDomains;

    /// Finds the reviewer of a cluster and its proper name.
    @FunctionalInterface
    public interface Clusters {
        /// Empty if there is no such cluster.
        ///
        /// @param id as the client gave it, empty for the cluster of the control plane; aliases are known here
        Optional<Reviewed> find(String id);
    }

    /// A cluster and who reviews its tokens.
    ///
    /// @param cluster the name pods of this cluster are known under
    public record Reviewed(String cluster, TokenReviewer reviewer) {}

    public TokenReviewAuthenticator(Clusters clusters, List<String> audiences, Supplier<TrustDomains> trustDomains) {
        this.clusters = clusters;
        this.audiences = List.copyOf(audiences);
        this.trustDomains = trustDomains;
    }

    @Override
    public Attempt authenticate(Credentials credentials) {
        if (credentials.bearerToken().isEmpty()) {
            return new Attempt.NotPresented();
        }
        var cluster = clusters.find(credentials.clusterId().orElse(""));
        if (cluster.isEmpty()) {
            return CallerAuthenticator.rejected("cluster-unknown", "the caller's cluster is not known");
        }
        try {
            var review =
                    cluster.get().reviewer().review(credentials.bearerToken().get(), audiences);
            return caller(review, cluster.get().cluster());
        } catch (ProblemException e) {
            return new Attempt.Rejected(e.problem());
        }
    }

    private Attempt caller(TokenReview review, String cluster) {
        if (review.error().isPresent()) {
            return CallerAuthenticator.rejected(
                    "token-not-reviewed",
                    "the token was refused: " + review.error().get());
        }
        if (!review.authenticated()) {
            return CallerAuthenticator.rejected("token-not-authenticated", "the token is not valid");
        }
        if (!audiences.isEmpty() && Collections.disjoint(audiences, review.audiences())) {
            return CallerAuthenticator.rejected("token-wrong-audience", "the token is not for " + audiences);
        }
        var account = ServiceAccountName.parse(review.username());
        if (account.isEmpty() || !review.groups().contains(TokenReview.SERVICE_ACCOUNTS)) {
            return CallerAuthenticator.rejected("token-wrong-subject", "the token is not for a service account");
        }
        return new Attempt.Authenticated(new Caller(
                Caller.By.TOKEN_REVIEW,
                List.of(new Identity(
                        trustDomains.get().own(),
                        account.get().namespace(),
                        account.get().name())),
                pod(review, account.get(), cluster)));
    }

    private static Optional<Caller.BoundPod> pod(TokenReview review, ServiceAccountName account, String cluster) {
        var name = review.extra(TokenReview.POD_NAME);
        var uid = review.extra(TokenReview.POD_UID);
        return name.isPresent() && uid.isPresent()
                ? Optional.of(new Caller.BoundPod(
                        cluster,
                        account.namespace(),
                        account.name(),
                        name.get(),
                        uid.get(),
                        review.extra(TokenReview.NODE_NAME)))
                : Optional.empty();
    }
}
