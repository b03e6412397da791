// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/// Key sets as text. Pure.
final class KeySetJson {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final BigInteger PRIME =
            new BigInteger("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
    private static final BigInteger B =
            new BigInteger("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", 16);

    /// For an issuer whose keys we do not have. It is a well-formed key set, so that proxies take it and refuse all
    /// tokens. Its one key is a point of the curve P-256 that comes out of a hash: nobody knows the private key.
    static final String MATCHES_NOTHING = pointOf("fathom has no key set of this issuer");

    private KeySetJson() {}

    /// Whether it is a key set with at least one key.
    static boolean isUsable(String text) {
        return parse(text)
                .map(set -> set.path("keys"))
                .filter(keys -> keys.isArray() && !keys.isEmpty())
                .filter(keys ->
                        keys.valueStream().allMatch(key -> key.path("kty").isTextual()))
                .isPresent();
    }

    private static Optional<JsonNode> parse(String text) {
        try {
            return Optional.ofNullable(MAPPER.readTree(text)).filter(JsonNode::isObject);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private static String pointOf(String seed) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(seed.getBytes(StandardCharsets.UTF_8));
            var x = new BigInteger(1, hash).mod(PRIME);
            while (true) {
                // y^2 = x^3 - 3x + b; half of all x have a solution
                var square = x.pow(3)
                        .subtract(x.multiply(BigInteger.valueOf(3)))
                        .add(B)
                        .mod(PRIME);
                var y = square.modPow(PRIME.add(BigInteger.ONE).shiftRight(2), PRIME);
                if (y.multiply(y).mod(PRIME).equals(square)) {
                    return "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"use\":\"sig\",\"kid\":\"none\","
                            + "\"x\":\"" + text(x) + "\",\"y\":\"" + text(y) + "\"}]}";
                }
                x = x.add(BigInteger.ONE).mod(PRIME);
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String text(BigInteger number) {
        var bytes = number.toByteArray();
        var fixed = new byte[32];
        var kept = Math.min(bytes.length, fixed.length);
        System.arraycopy(bytes, bytes.length - kept, fixed, fixed.length - kept, kept);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(fixed);
    }
}
