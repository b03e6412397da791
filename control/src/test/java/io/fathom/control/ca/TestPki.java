// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// Roots, intermediates and authorities for tests.
final class TestPki {
    private TestPki() {}

    static SigningMaterial root(Instant now) {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "cluster.local", now.minusSeconds(60), Duration.ofDays(3650));
        return new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
    }

    static SigningMaterial intermediate(SigningMaterial parent, Instant now, Duration lifetime) {
        var keys = KeyAlgorithm.P256.generate();
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
            var holder = builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(parent.key()));
            var chain = new ArrayList<X509Certificate>();
            chain.add((X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(holder.getEncoded())));
            chain.addAll(parent.intermediates());
            return new SigningMaterial(keys.getPrivate(), chain, parent.roots());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// As an operator plugs it in.
    static void write(Path folder, SigningMaterial material, List<X509Certificate> roots) {
        try {
            Files.writeString(folder.resolve("ca-cert.pem"), Pem.encode(material.signer()));
            Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(material.key()));
            Files.writeString(folder.resolve("cert-chain.pem"), Pem.encode(material.chain()));
            Files.writeString(folder.resolve("root-cert.pem"), Pem.encode(roots));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// An authority that never changes by itself.
    static final class FixedAuthority implements Authority {
        private final Subscribers subscribers = new Subscribers();
        private volatile SigningMaterial material;
        private volatile List<X509Certificate> roots;

        FixedAuthority(SigningMaterial material) {
            this.material = material;
            this.roots = material.roots();
        }

        void use(SigningMaterial next, List<X509Certificate> trusted) {
            material = next;
            roots = trusted;
            subscribers.tell();
        }

        @Override
        public SigningMaterial material() {
            return material;
        }

        @Override
        public List<X509Certificate> roots() {
            return roots;
        }

        @Override
        public AutoCloseable subscribe(Runnable onChange) {
            return subscribers.add(onChange);
        }

        @Override
        public AuthorityHealth health() {
            return AuthorityHealth.of("fixed", material, Instant.EPOCH, Optional.empty(), Instant.EPOCH);
        }

        @Override
        public void close() {}
    }
}
