// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.control.ca.jwt.VerifiedToken;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Credentials;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Takes a client for the service account of a token that an issuer of the operator's choice signed. Tokens of other
/// issuers are left to the next authenticator.
public final class JwtAuthenticator implements CallerAuthenticator {
    private final JwtVerifier verifier;
    private final Function<String, Optional<String>> clusters;
    private final Supplier<TrustDomains> trustDomains;
    private final InstantSource clock;

    /// @param clusters the proper name of a cluster that a client may also know under an alias, empty if unknown
    public JwtAuthenticator(
            JwtVerifier verifier,
            Function<String, Optional<String>> clusters,
            Supplier<TrustDomains> trustDomains,
            InstantSource clock) {
        this.verifier = verifier;
        this.clusters = clusters;
        this.trustDomains = trustDomains;
        this.clock = clock;
    }

    @Override
    public Attempt authenticate(Credentials credentials) {
        var token = credentials.bearerToken().filter(verifier::claimsIssuer);
        if (token.isEmpty()) {
            return new Attempt.NotPresented();
        }
        try {
            var cluster = clusters.apply(credentials.clusterId().orElse(""));
            if (cluster.isEmpty()) {
                return CallerAuthenticator.rejected("cluster-unknown", "the caller's cluster is not known");
            }
            var verified = verifier.verify(token.get(), clock.instant());
            return verified.account()
                    .map(account -> caller(account, verified, cluster.get()))
                    .orElseGet(() -> CallerAuthenticator.rejected(
                            "token-wrong-subject", "the token is not for a service account"));
        } catch (ProblemException e) {
            return new Attempt.Rejected(e.problem());
        }
    }

    private Attempt caller(ServiceAccountName account, VerifiedToken token, String cluster) {
        var identity = new Identity(trustDomains.get().own(), account.namespace(), account.name());
        var pod = token.pod()
                .map(bound -> new Caller.BoundPod(
                        cluster, account.namespace(), account.name(), bound.name(), bound.uid(), bound.node()));
        return new Attempt.Authenticated(new Caller(Caller.By.JWT, List.of(identity), pod));
    }
}
