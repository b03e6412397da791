// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.ByteString;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Certificates and requests as messages have them, and the fingerprints that keys are known by.
public final class FleetCertificates {
    private static final String BEGIN = "-----BEGIN CERTIFICATE REQUEST-----\n";
    private static final String END = "\n-----END CERTIFICATE REQUEST-----\n";

    private FleetCertificates() {}

    /// SHA-256 of the SubjectPublicKeyInfo, in the base 64 of URLs without padding.
    public static String fingerprint(PublicKey key) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static List<ByteString> encode(List<X509Certificate> certificates) {
        var encoded = new ArrayList<ByteString>();
        for (var certificate : certificates) {
            try {
                encoded.add(ByteString.copyFrom(certificate.getEncoded()));
            } catch (CertificateException e) {
                throw new IllegalArgumentException("a certificate that was parsed has an encoding", e);
            }
        }
        return encoded;
    }

    /// At least one.
    static List<X509Certificate> decode(List<ByteString> encoded) {
        var certificates = new ArrayList<X509Certificate>();
        try {
            var factory = CertificateFactory.getInstance("X.509");
            for (var der : encoded) {
                certificates.add(
                        (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der.toByteArray())));
            }
        } catch (CertificateException e) {
            throw unreadable();
        }
        if (certificates.isEmpty()) {
            throw unreadable();
        }
        return List.copyOf(certificates);
    }

    private static ProblemException unreadable() {
        return new ProblemException(Problem.ofInput(
                "fleet-certificate-unreadable",
                "the management server sent certificates that cannot be read",
                "check that it is a fathom-fleet of a version that fits"));
    }

    static String pem(ByteString request) {
        return BEGIN + Base64.getMimeEncoder().encodeToString(request.toByteArray()) + END;
    }

    static ByteString der(String request) {
        var text = request.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        return ByteString.copyFrom(Base64.getDecoder().decode(text.getBytes(StandardCharsets.US_ASCII)));
    }
}
