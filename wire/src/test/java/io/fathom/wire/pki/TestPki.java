// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// Roots and intermediates for tests of this layer and of those above.
public final class TestPki {
    static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private TestPki() {}

    static SigningMaterial root(KeyAlgorithm algorithm) {
        return root(algorithm, NOW);
    }

    public static SigningMaterial root(Instant now) {
        return root(KeyAlgorithm.P256, now);
    }

    private static SigningMaterial root(KeyAlgorithm algorithm, Instant now) {
        var keys = algorithm.generate();
        var root = RootCertificate.create(keys, "cluster.local", now.minusSeconds(60), Duration.ofDays(3650));
        return new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
    }

    static SigningMaterial intermediate(SigningMaterial parent, KeyAlgorithm algorithm, Duration lifetime) {
        return intermediate(parent, algorithm, NOW, lifetime);
    }

    public static SigningMaterial intermediate(SigningMaterial parent, Instant now, Duration lifetime) {
        return intermediate(parent, KeyAlgorithm.P256, now, lifetime);
    }

    private static SigningMaterial intermediate(
            SigningMaterial parent, KeyAlgorithm algorithm, Instant now, Duration lifetime) {
        var keys = algorithm.generate();
        var certificate = authority(keys, parent, now, lifetime);
        var chain = new ArrayList<X509Certificate>();
        chain.add(certificate);
        chain.addAll(parent.intermediates());
        return new SigningMaterial(keys.getPrivate(), chain, parent.roots());
    }

    private static X509Certificate authority(KeyPair keys, SigningMaterial parent, Instant now, Duration lifetime) {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    X500Name.getInstance(
                            parent.signer().getSubjectX500Principal().getEncoded()),
                    BigInteger.valueOf(System.nanoTime()),
                    Date.from(now.minusSeconds(60)),
                    Date.from(now.plus(lifetime)),
                    new X500Name("O=cluster.local,CN=intermediate " + System.nanoTime()),
                    keys.getPublic());
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(parent.signer()));
            var signer = new JcaContentSignerBuilder(
                            SignatureKind.of(parent.signer().getPublicKey()).algorithm())
                    .build(parent.key());
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(
                            new ByteArrayInputStream(builder.build(signer).getEncoded()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// As an operator plugs it in.
    public static void write(Path folder, SigningMaterial material, List<X509Certificate> roots) {
        try {
            Files.writeString(folder.resolve("ca-cert.pem"), Pem.encode(material.signer()));
            Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(material.key()));
            Files.writeString(folder.resolve("cert-chain.pem"), Pem.encode(material.chain()));
            Files.writeString(folder.resolve("root-cert.pem"), Pem.encode(roots));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
