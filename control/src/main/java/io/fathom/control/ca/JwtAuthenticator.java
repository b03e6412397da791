package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.control.ca.jwt.VerifiedToken;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Credentials;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/// Takes a client for the service account of a token that an issuer of the operator's choice signed. Tokens of other
/// issuers are left to the next authenticator.
public final class JwtAuthenticator implements CallerAuthenticator {
    private final JwtVerifier verifier;
    private final Supplier<TrustDomains> trustDomains;
    private final InstantSource clock;

    public JwtAuthenticator(JwtVerifier verifier, Supplier<TrustDomains> trustDomains, InstantSource clock) {
        this.verifier = verifier;
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
            var verified = verifier.verify(token.get(), clock.instant());
            return verified.account()
                    .map(account ->
                            caller(account, verified, credentials.clusterId().orElse("")))
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
