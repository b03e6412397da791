// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/// Signs tokens with a key of its own.
final class TestIssuer {
    private final String issuer;
    private final String keyId;
    private final KeyPair keys;

    TestIssuer(String issuer, String keyId) {
        this.issuer = issuer;
        this.keyId = keyId;
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            keys = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A token that is good for long.
    ///
    /// @param claims more fields of the payload, as in `"a": 1, "b": 2`
    String token(String claims) {
        return token(claims, 4_102_444_800L);
    }

    String token(String claims, long expires) {
        var payload = "{\"iss\":\"" + issuer + "\",\"exp\":" + expires + (claims.isEmpty() ? "" : "," + claims) + "}";
        var header = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"" + keyId + "\"}";
        var signed =
                text(header.getBytes(StandardCharsets.UTF_8)) + "." + text(payload.getBytes(StandardCharsets.UTF_8));
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(keys.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.UTF_8));
            return signed + "." + text(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String keySet() {
        var point = ((ECPublicKey) keys.getPublic()).getW();
        return "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"kid\":\"" + keyId + "\",\"x\":\""
                + text(fixed(point.getAffineX())) + "\",\"y\":\"" + text(fixed(point.getAffineY())) + "\"}]}";
    }

    private static byte[] fixed(BigInteger number) {
        var bytes = number.toByteArray();
        var fixed = new byte[32];
        var kept = Math.min(bytes.length, fixed.length);
        System.arraycopy(bytes, bytes.length - kept, fixed, fixed.length - kept, kept);
        return fixed;
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
