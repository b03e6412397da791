// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.model.trust.TrustRoot;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Certificates of authorities as the model has them, and back. Stateless.
public final class TrustRoots {
    private TrustRoots() {}

    public static TrustRoot of(X509Certificate certificate) {
        try {
            return TrustRoot.of(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalArgumentException("a certificate that was parsed has an encoding", e);
        }
    }

    public static List<TrustRoot> of(Collection<X509Certificate> certificates) {
        return certificates.stream().map(TrustRoots::of).distinct().toList();
    }

    /// In the same order.
    ///
    /// @throws IllegalArgumentException if one of them is no certificate
    public static List<X509Certificate> certificates(Collection<TrustRoot> roots) {
        try {
            var factory = CertificateFactory.getInstance("X.509");
            var certificates = new ArrayList<X509Certificate>();
            for (var root : roots) {
                certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(root.der())));
            }
            return List.copyOf(certificates);
        } catch (CertificateException e) {
            throw new IllegalArgumentException("these bytes are no certificate", e);
        }
    }

    /// Whether it may sign others. Those of version 1 do not say.
    public static boolean isAuthority(X509Certificate certificate) {
        return certificate.getVersion() < 3 || certificate.getBasicConstraints() >= 0;
    }
}
