// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/// Whether key, chain and roots belong together and can sign. Asked before any material is taken into use.
public final class MaterialCheck {
    private static final int KEY_CERT_SIGN = 5;
    private static final byte[] PROBE = "a text to sign".getBytes(StandardCharsets.US_ASCII);

    private MaterialCheck() {}

    /// Empty if leaves signed with this material verify with its roots at `now`.
    public static Optional<Problem> problem(SigningMaterial material, Instant now) {
        var signer = material.signer();
        if (!isAuthority(signer)) {
            return problem("ca-not-an-authority", "the certificate of " + name(signer) + " must not sign certificates");
        }
        if (!fits(material.key(), signer)) {
            return problem("ca-key-mismatch", "the key does not belong to the certificate of " + name(signer));
        }
        var path = new ArrayList<>(material.intermediates());
        if (path.isEmpty()) {
            path.add(signer); // a root that signs by itself
        }
        return ChainVerifier.problem(path, material.roots(), now);
    }

    private static boolean isAuthority(X509Certificate certificate) {
        var usage = certificate.getKeyUsage();
        return certificate.getBasicConstraints() >= 0 && (usage == null || usage[KEY_CERT_SIGN]);
    }

    /// Whether a key is that of a certificate.
    public static boolean fits(PrivateKey key, X509Certificate certificate) {
        try {
            var algorithm = SignatureKind.of(certificate.getPublicKey()).algorithm();
            var signing = Signing.signature(algorithm);
            signing.initSign(Signing.own(key));
            signing.update(PROBE);
            var signature = signing.sign();
            var verifying = Signing.signature(algorithm);
            verifying.initVerify(certificate.getPublicKey());
            verifying.update(PROBE);
            return verifying.verify(signature);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    private static String name(X509Certificate certificate) {
        return "'" + certificate.getSubjectX500Principal() + "'";
    }

    private static Optional<Problem> problem(String code, String message) {
        return Optional.of(new Problem(
                code, message, "provide a signing certificate with its own key", Origin.SERVER, Retry.POINTLESS));
    }
}
