// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// A key that an issuer signs its tokens with.
///
/// @param algorithm the only one tokens of this key may name
public record JsonWebKey(Optional<String> id, Algorithm algorithm, PublicKey key) {
    private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();
    private static final int MIN_RSA_BITS = 2048;

    /// What we verify. Symmetric algorithms and `none` are no way to prove anything to many.
    public enum Algorithm {
        RS256("SHA256withRSA"),
        ES256("SHA256withECDSAinP1363Format");

        private final String signature;

        Algorithm(String signature) {
            this.signature = signature;
        }

        String signature() {
            return signature;
        }
    }

    /// All usable keys of a JSON web key set; keys of other kinds or for other uses are skipped.
    ///
    /// @throws ProblemException if the text is not a key set
    public static List<JsonWebKey> parseSet(String json) {
        var set = Json.parse(json.getBytes(StandardCharsets.UTF_8))
                .map(node -> node.path("keys"))
                .filter(JsonNode::isArray)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "jwks-malformed", "the key set of the issuer is not readable", "check the issuer's jwks")));
        var keys = new ArrayList<JsonWebKey>();
        for (var node : set) {
            parse(node).ifPresent(keys::add);
        }
        return List.copyOf(keys);
    }

    private static Optional<JsonWebKey> parse(JsonNode node) {
        if (!node.path("use").asText("sig").equals("sig")) {
            return Optional.empty();
        }
        try {
            var id = Json.text(node, "kid");
            return switch (node.path("kty").asText()) {
                case "RSA" -> rsa(node).map(key -> new JsonWebKey(id, Algorithm.RS256, key));
                case "EC" -> curve(node).map(key -> new JsonWebKey(id, Algorithm.ES256, key));
                default -> Optional.empty();
            };
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> rsa(JsonNode node) throws GeneralSecurityException {
        var modulus = number(node, "n");
        if (modulus.bitLength() < MIN_RSA_BITS) {
            return Optional.empty();
        }
        return Optional.of(
                KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, number(node, "e"))));
    }

    private static Optional<PublicKey> curve(JsonNode node) throws GeneralSecurityException {
        if (!node.path("crv").asText().equals("P-256")) {
            return Optional.empty();
        }
        var parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        var point = new ECPoint(number(node, "x"), number(node, "y"));
        return Optional.of(KeyFactory.getInstance("EC")
                .generatePublic(new ECPublicKeySpec(point, parameters.getParameterSpec(ECParameterSpec.class))));
    }

    private static BigInteger number(JsonNode node, String name) {
        return new BigInteger(1, BASE64.decode(node.path(name).asText()));
    }

    /// A key set with one P-256 key, for others to verify with.
    static String set(String id, ECPublicKey key) {
        var node = Json.object();
        var encoder = Base64.getUrlEncoder().withoutPadding();
        node.putArray("keys")
                .addObject()
                .put("kty", "EC")
                .put("crv", "P-256")
                .put("use", "sig")
                .put("alg", "ES256")
                .put("kid", id)
                .put("x", encoder.encodeToString(coordinate(key.getW().getAffineX())))
                .put("y", encoder.encodeToString(coordinate(key.getW().getAffineY())));
        return new String(Json.bytes(node), StandardCharsets.UTF_8);
    }

    private static byte[] coordinate(BigInteger number) {
        var bytes = number.toByteArray();
        var fixed = new byte[32];
        var kept = Math.min(bytes.length, fixed.length);
        System.arraycopy(bytes, bytes.length - kept, fixed, fixed.length - kept, kept);
        return fixed;
    }
}
