// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// Makes self-signed roots, and authorities below them.
public final class RootCertificate {
    private RootCertificate() {}

    /// A root that is named after the organization and signs for `lifetime` from `start` on.
    public static X509Certificate create(KeyPair keys, String organization, Instant start, Duration lifetime) {
        var name = new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.O, organization)
                .build();
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    name, serial(), Date.from(start), Date.from(start.plus(lifetime)), name, keys.getPublic());
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
            return signed(builder, keys.getPrivate(), SignatureKind.of(keys.getPublic()));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalArgumentException("no root can be made with this key");
        }
    }

    /// An authority below that root, which signs for workloads and for no other authority.
    ///
    /// @param root that signs it
    /// @param key of the root
    /// @param keys of the new authority
    public static X509Certificate intermediate(
            X509Certificate root, PrivateKey key, KeyPair keys, String name, Instant start, Duration lifetime) {
        var subject =
                new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, name).build();
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    X500Name.getInstance(root.getSubjectX500Principal().getEncoded()),
                    serial(),
                    Date.from(start),
                    Date.from(start.plus(lifetime)),
                    subject,
                    keys.getPublic());
            var extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(keys.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier, false, extensions.createAuthorityKeyIdentifier(root));
            return signed(builder, key, SignatureKind.of(root.getPublicKey()));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalArgumentException("no authority can be made with these keys");
        }
    }

    /// The same root for another lifetime: same key, same name, same extensions. What the old one signed verifies with
    /// the new one and the other way round.
    public static X509Certificate renew(X509Certificate root, PrivateKey key, Instant start, Duration lifetime) {
        try {
            var old = new X509CertificateHolder(root.getEncoded());
            var name = X500Name.getInstance(root.getSubjectX500Principal().getEncoded());
            var builder = new X509v3CertificateBuilder(
                    name,
                    serial(),
                    Date.from(start),
                    Date.from(start.plus(lifetime)),
                    name,
                    old.getSubjectPublicKeyInfo());
            for (var id : old.getExtensions().getExtensionOIDs()) {
                builder.addExtension(old.getExtension(id));
            }
            return signed(builder, key, SignatureKind.of(root.getPublicKey()));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalArgumentException("the root cannot be renewed with this key");
        }
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key, SignatureKind kind)
            throws OperatorCreationException, IOException, GeneralSecurityException {
        var holder = builder.build(new JcaContentSignerBuilder(kind.algorithm()).build(key));
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(holder.getEncoded()));
    }

    private static BigInteger serial() {
        return new BigInteger(127, Signing.secureRandom()).add(BigInteger.ONE);
    }
}
