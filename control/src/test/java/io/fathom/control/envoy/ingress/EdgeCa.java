// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// An authority for the outside world, and certificates of hosts and clients.
final class EdgeCa {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final KeyPair keys = KeyAlgorithm.P256.generate();
    private final X509Certificate root = RootCertificate.create(keys, "edge", NOW, Duration.ofDays(3650));

    /// A certificate and its key.
    record Leaf(X509Certificate certificate, KeyPair keys) {
        String chainPem() {
            return Pem.encode(certificate);
        }

        String keyPem() {
            return Pem.encode(keys.getPrivate());
        }
    }

    String pem() {
        return Pem.encode(root);
    }

    Leaf leaf(String dnsName) {
        try {
            var own = KeyAlgorithm.P256.generate();
            var builder = new JcaX509v3CertificateBuilder(
                    X500Name.getInstance(root.getSubjectX500Principal().getEncoded()),
                    BigInteger.valueOf(System.nanoTime()),
                    Date.from(NOW),
                    Date.from(NOW.plus(Duration.ofDays(3000))),
                    new X500Name("CN=" + dnsName),
                    own.getPublic());
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, dnsName)));
            var holder = builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
            var certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(holder.getEncoded()));
            return new Leaf(certificate, own);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// For somebody who trusts this authority.
    SSLContext trusting() {
        return context(null);
    }

    /// For somebody who shows a certificate besides.
    SSLContext showing(Leaf leaf) {
        return context(leaf);
    }

    private SSLContext context(@org.jspecify.annotations.Nullable Leaf leaf) {
        try {
            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("root", root);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            if (leaf != null) {
                own.setKeyEntry(
                        "own", leaf.keys().getPrivate(), new char[0], new X509Certificate[] {leaf.certificate()});
            }
            var keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keyManagers.init(own, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
