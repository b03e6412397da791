// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.ProblemException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// A token in its parts, not yet verified.
final class Jwt {
    /// A projected token has about 1.2 KiB.
    static final int MAX_CHARACTERS = 16 * 1024;

    private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();

    private final JsonNode header;
    private final JsonNode claims;
    private final String signed;
    private final byte[] signature;

    private Jwt(JsonNode header, JsonNode claims, String signed, byte[] signature) {
        this.header = header;
        this.claims = claims;
        this.signed = signed;
        this.signature = signature;
    }

    /// Takes a compact token apart.
    ///
    /// @throws ProblemException with code `token-malformed`
    static Jwt parse(String token) {
        var first = token.indexOf('.');
        var last = token.lastIndexOf('.');
        if (token.length() > MAX_CHARACTERS || first < 1 || last == first || token.indexOf('.', first + 1) != last) {
            throw TokenProblem.of("token-malformed", "the token does not have three parts");
        }
        try {
            var header = Json.parse(BASE64.decode(token.substring(0, first)));
            var claims = Json.parse(BASE64.decode(token.substring(first + 1, last)));
            var signature = BASE64.decode(token.substring(last + 1));
            if (header.isPresent() && claims.isPresent()) {
                return new Jwt(header.get(), claims.get(), token.substring(0, last), signature);
            }
        } catch (IllegalArgumentException e) {
            // not base64: told below
        }
        throw TokenProblem.of("token-malformed", "the token is not readable");
    }

    JsonNode claims() {
        return claims;
    }

    Optional<String> keyId() {
        return Json.text(header, "kid");
    }

    /// The algorithm, if it is one we accept.
    ///
    /// @throws ProblemException with code `token-bad-algorithm`, also for extensions we must understand and do not
    SignatureAlgorithm algorithm() {
        if (header.has("crit")) {
            throw TokenProblem.of("token-bad-algorithm", "the token needs extensions that are not supported");
        }
        return SignatureAlgorithm.parse(header.path("alg").asText())
                .orElseThrow(() -> TokenProblem.of(
                        "token-bad-algorithm",
                        "the token is not signed with RS256, PS256, ES256, their longer kin or EdDSA"));
    }

    /// @param algorithm that all these keys may sign with
    boolean signedByOneOf(List<JsonWebKey> keys, SignatureAlgorithm algorithm) {
        return keys.stream().anyMatch(key -> signedBy(key, algorithm));
    }

    private boolean signedBy(JsonWebKey key, SignatureAlgorithm algorithm) {
        try {
            var verifier = algorithm.signature();
            verifier.initVerify(key.key());
            verifier.update(signed.getBytes(StandardCharsets.US_ASCII));
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "Jwt[***]";
    }
}
