// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Optional;
import java.util.Set;

/// Looks whether certificates and keys are such that an Envoy takes them: it keeps those that it had when it gets
/// others. Pure; says nothing of what it reads.
public final class CredentialCheck {
    private static final int SMALLEST_RSA = 2048;
    /// The place of that bit in the key usage.
    private static final int DIGITAL_SIGNATURE = 0;

    private static final String ALTERNATIVE_NAMES = "2.5.29.17";

    private static final Set<Integer> CURVES = Set.of(256, 384, 521);

    private CredentialCheck() {}

    /// Empty when key and certificate can be shown, else why not.
    public static Optional<String> fault(CredentialManifest.KeyPair pair) {
        try {
            var certificate = Pem.certificates(pair.chain().reveal()).getFirst();
            var key = privateKey(pair);
            if (key.isEmpty()) {
                return Optional.of("its key is not in PEM form");
            }
            if (!isKnown(certificate.getPublicKey())) {
                return Optional.of("its key is none that proxies take; use RSA of 2048 bits or more, or P-256");
            }
            var unsuitable = unsuitable(certificate);
            if (unsuitable.isPresent()) {
                return unsuitable;
            }
            return MaterialCheck.fits(key.get(), certificate)
                    ? Optional.empty()
                    : Optional.of("its key is not that of its certificate");
        } catch (ProblemException e) {
            return Optional.of("its certificate is not in PEM form");
        }
    }

    private static Optional<PrivateKey> privateKey(CredentialManifest.KeyPair pair) {
        try {
            return Optional.of(PemKeys.privateKey(pair.key().reveal()));
        } catch (ProblemException e) {
            return Optional.empty();
        }
    }

    private static boolean isKnown(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa -> rsa.getModulus().bitLength() >= SMALLEST_RSA;
            case ECPublicKey ec -> CURVES.contains(ec.getParams().getOrder().bitLength());
            default -> false;
        };
    }

    /// An Envoy shows no certificate without a name, and none with a key of an elliptic curve that may not sign
    /// handshakes, such as that of an authority.
    private static Optional<String> unsuitable(X509Certificate certificate) {
        var usage = certificate.getKeyUsage();
        if (certificate.getPublicKey() instanceof ECPublicKey && usage != null && !usage[DIGITAL_SIGNATURE]) {
            return Optional.of("its certificate is not for handshakes: its key usage lacks digitalSignature");
        }
        return isNamed(certificate)
                ? Optional.empty()
                : Optional.of("its certificate has neither a common name nor alternative names");
    }

    /// Whether the extension is there; what is in it may be nothing that Java reads, such as `URI:*`, and an Envoy
    /// shows it.
    private static boolean isNamed(X509Certificate certificate) {
        return certificate.getExtensionValue(ALTERNATIVE_NAMES) != null
                || certificate.getSubjectX500Principal().getName().contains("CN=");
    }

    /// Empty when these are certificates of authorities, else why not.
    public static Optional<String> fault(String authorities) {
        try {
            Pem.certificates(authorities);
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of("its certificates of authorities are not in PEM form");
        }
    }
}
