// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.VerifiedToken;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Reviews tokens of the local issuer as an API server does with its own: signature, times and audience, and that the
/// pod the token is bound to still is that very pod. A token of a deleted pod is worth nothing.
public final class LocalTokenReviewer implements TokenReviewer {
    private final JwtVerifier verifier;
    private final Supplier<PodDirectory> pods;
    private final InstantSource clock;

    public LocalTokenReviewer(LocalIssuer issuer, Supplier<PodDirectory> pods, InstantSource clock) {
        this.verifier = new JwtVerifier(LocalIssuer.NAME, Set.of(), issuer.keys());
        this.pods = pods;
        this.clock = clock;
    }

    @Override
    public TokenReview review(String token, List<String> audiences) {
        try {
            var verified = verifier.verify(token, clock.instant());
            var agreed =
                    verified.audiences().stream().filter(audiences::contains).toList();
            if (agreed.isEmpty()) {
                return TokenReview.refused("token-wrong-audience");
            }
            var account = verified.account();
            var pod = verified.pod();
            if (account.isEmpty() || pod.isEmpty() || !exists(account.get().namespace(), pod.get())) {
                return TokenReview.refused("token-of-no-pod");
            }
            return new TokenReview(
                    true,
                    Optional.empty(),
                    account.get().user(),
                    Set.of(
                            TokenReview.SERVICE_ACCOUNTS,
                            "system:serviceaccounts:" + account.get().namespace()),
                    agreed,
                    extra(pod.get()));
        } catch (ProblemException e) {
            return TokenReview.refused(e.problem().code());
        }
    }

    private boolean exists(String namespace, VerifiedToken.TokenPod pod) {
        return pods.get()
                .pod(namespace, pod.name())
                .filter(found -> found.uid().equals(pod.uid()))
                .isPresent();
    }

    private static Map<String, List<String>> extra(VerifiedToken.TokenPod pod) {
        var extra = new HashMap<String, List<String>>();
        extra.put(TokenReview.POD_NAME, List.of(pod.name()));
        extra.put(TokenReview.POD_UID, List.of(pod.uid()));
        pod.node().ifPresent(node -> extra.put(TokenReview.NODE_NAME, List.of(node)));
        return extra;
    }
}
