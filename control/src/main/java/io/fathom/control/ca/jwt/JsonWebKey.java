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
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A key that an issuer signs its tokens with.
///
/// @param algorithms the only ones that tokens of this key may name
public record JsonWebKey(Optional<String> id, Set<SignatureAlgorithm> algorithms, PublicKey key) {
    private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();
    private static final int MIN_RSA_BITS = 2048;

    /// The curves whose keys sign tokens, each with one algorithm.
    private enum Curve {
        P256("P-256", "secp256r1", SignatureAlgorithm.ES256),
        P384("P-384", "secp384r1", SignatureAlgorithm.ES384),
        P521("P-521", "secp521r1", SignatureAlgorithm.ES512);

        private final String name;
        private final String javaName;
        private final SignatureAlgorithm algorithm;

        Curve(String name, String javaName, SignatureAlgorithm algorithm) {
            this.name = name;
            this.javaName = javaName;
            this.algorithm = algorithm;
        }
    }

    public JsonWebKey {
        algorithms = Set.copyOf(algorithms);
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
            return switch (node.path("kty").asText()) {
                case "RSA" -> rsa(node).flatMap(key -> of(node, SignatureAlgorithm.OF_RSA, key));
                case "EC" -> ofCurve(node);
                case "OKP" -> edwards(node).flatMap(key -> of(node, Set.of(SignatureAlgorithm.EDDSA), key));
                default -> Optional.empty();
            };
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// Nothing if the set wants the key to be used for something else than tokens that we verify.
    private static Optional<JsonWebKey> of(JsonNode node, Set<SignatureAlgorithm> possible, PublicKey key) {
        var wanted = Json.text(node, "alg");
        var algorithms = wanted.isEmpty()
                ? possible
                : wanted.flatMap(SignatureAlgorithm::parse)
                        .filter(possible::contains)
                        .map(Set::of)
                        .orElse(Set.of());
        return algorithms.isEmpty()
                ? Optional.empty()
                : Optional.of(new JsonWebKey(Json.text(node, "kid"), algorithms, key));
    }

    private static Optional<PublicKey> rsa(JsonNode node) throws GeneralSecurityException {
        var modulus = number(node, "n");
        if (modulus.bitLength() < MIN_RSA_BITS) {
            return Optional.empty();
        }
        return Optional.of(
                KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, number(node, "e"))));
    }

    private static Optional<JsonWebKey> ofCurve(JsonNode node) throws GeneralSecurityException {
        for (var curve : Curve.values()) {
            if (curve.name.equals(node.path("crv").asText())) {
                var parameters = AlgorithmParameters.getInstance("EC");
                parameters.init(new ECGenParameterSpec(curve.javaName));
                var spec = parameters.getParameterSpec(ECParameterSpec.class);
                var point = new ECPoint(number(node, "x"), number(node, "y"));
                var key = KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, spec));
                return of(node, Set.of(curve.algorithm), key);
            }
        }
        return Optional.empty();
    }

    /// The key is the y coordinate with its last byte first, and in the highest bit whether x is odd.
    private static Optional<PublicKey> edwards(JsonNode node) throws GeneralSecurityException {
        var curve = node.path("crv").asText();
        if (!curve.equals("Ed25519") && !curve.equals("Ed448")) {
            return Optional.empty();
        }
        var bytes = BASE64.decode(node.path("x").asText());
        if (bytes.length != (curve.equals("Ed25519") ? 32 : 57)) {
            return Optional.empty();
        }
        var highest = bytes.length - 1;
        var odd = (bytes[highest] & 0x80) != 0;
        bytes[highest] &= 0x7f;
        for (int i = 0, j = highest; i < j; i++, j--) {
            var swapped = bytes[i];
            bytes[i] = bytes[j];
            bytes[j] = swapped;
        }
        var point = new EdECPoint(odd, new BigInteger(1, bytes));
        return Optional.of(KeyFactory.getInstance("EdDSA")
                .generatePublic(new EdECPublicKeySpec(new NamedParameterSpec(curve), point)));
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
