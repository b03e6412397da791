// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/// Which tokens an operator accepts besides those of Kubernetes, as given in `JWT_RULE`.
///
/// @param keysAt where the issuer's key set is; without it and without `keySet` the issuer's discovery document tells
/// @param keySet the key set itself
public record JwtRule(String issuer, Set<String> audiences, Optional<URI> keysAt, Optional<String> keySet) {
    public JwtRule {
        audiences = Set.copyOf(audiences);
    }

    /// Reads `{"issuer": …, "jwks_uri": …, "audiences": […]}`; `jwks` holds a key set in place of its address.
    ///
    /// @throws ProblemException if it is not such an object
    public static JwtRule parse(String json) {
        var rule = Json.parse(json.getBytes(StandardCharsets.UTF_8)).orElseThrow(() -> problem("it is not JSON"));
        var issuer = Json.text(rule, "issuer").orElseThrow(() -> problem("the issuer is missing"));
        try {
            return new JwtRule(
                    issuer,
                    VerifiedToken.audiences(Json.object().set("aud", rule.path("audiences"))),
                    Json.text(rule, "jwks_uri", "jwksUri").map(URI::create),
                    keySet(rule.path("jwks")));
        } catch (IllegalArgumentException e) {
            throw problem("jwks_uri is not an address");
        }
    }

    private static Optional<String> keySet(JsonNode node) {
        return node.isObject() ? Optional.of(node.toString()) : Optional.ofNullable(node.textValue());
    }

    private static ProblemException problem(String message) {
        return new ProblemException(Problem.ofInput(
                "jwt-rule-invalid",
                "JWT_RULE cannot be used: " + message,
                "set it like {\"issuer\":\"https://issuer\",\"jwks_uri\":\"https://issuer/keys\","
                        + "\"audiences\":[\"istio-ca\"]}"));
    }
}
