// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;

/// Verifies tokens of one issuer for a set of audiences. Any thread; blocks only if its keys have to be fetched.
public final class JwtVerifier {
    /// A token may be from the near future, for issuers whose clock is ahead of ours. Its end is not stretched.
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

    private final String issuer;
    private final Set<String> audiences;
    private final IssuerKeys keys;

    /// A verifier of tokens from `issuer`.
    ///
    /// @param audiences a token must be for one of them; none: the audience is not looked at
    public JwtVerifier(String issuer, Collection<String> audiences, IssuerKeys keys) {
        this.issuer = issuer;
        this.audiences = Set.copyOf(audiences);
        this.keys = keys;
    }

    /// Whether the token says it comes from this verifier's issuer. Proves nothing.
    public boolean claimsIssuer(String token) {
        try {
            return Json.text(Jwt.parse(token).claims(), "iss").equals(Optional.of(issuer));
        } catch (ProblemException e) {
            return false;
        }
    }

    /// What the token says.
    ///
    /// @throws ProblemException with a code that starts with `token-`
    public VerifiedToken verify(String token, Instant now) {
        var jwt = Jwt.parse(token);
        var claims = jwt.claims();
        if (!Json.text(claims, "iss").equals(Optional.of(issuer))) {
            throw TokenProblem.of("token-wrong-issuer", "the token is not from issuer " + issuer);
        }
        checkSignature(jwt);
        var expires = time(claims, "exp")
                .orElseThrow(() -> TokenProblem.of("token-malformed", "the token does not say when it ends"));
        if (!now.isBefore(expires)) {
            throw TokenProblem.of("token-expired", "the token ended at " + expires);
        }
        var start = time(claims, "nbf").or(() -> time(claims, "iat"));
        if (start.isPresent() && now.plus(CLOCK_SKEW).isBefore(start.get())) {
            throw TokenProblem.of("token-not-yet-valid", "the token starts at " + start.get());
        }
        var verified = VerifiedToken.of(claims, expires);
        if (!audiences.isEmpty() && Collections.disjoint(audiences, verified.audiences())) {
            throw TokenProblem.of("token-wrong-audience", "the token is not for " + String.join(" or ", audiences));
        }
        return verified;
    }

    private void checkSignature(Jwt jwt) {
        var algorithm = jwt.algorithm();
        var usable = keys.find(jwt.keyId()).stream()
                .filter(key -> key.algorithms().contains(algorithm))
                .toList();
        if (usable.isEmpty()) {
            throw TokenProblem.of("token-unknown-key", "issuer " + issuer + " has no such key");
        }
        if (!jwt.signedByOneOf(usable, algorithm)) {
            throw TokenProblem.of("token-bad-signature", "the token is not signed by issuer " + issuer);
        }
    }

    private static Optional<Instant> time(JsonNode claims, String name) {
        var value = claims.path(name);
        if (!value.isNumber()) {
            return Optional.empty();
        }
        var seconds = value.doubleValue();
        return seconds >= 0 && seconds < 1e11 ? Optional.of(Instant.ofEpochSecond((long) seconds)) : Optional.empty();
    }
}
