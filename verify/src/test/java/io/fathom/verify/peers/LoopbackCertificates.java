// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certificate of its own for a server on 127.0.0.1, its key, and a key to sign tokens with, as files.
record LoopbackCertificates(Path certificate, Path key, Path tokenKey, X509Certificate trusted) {

    static LoopbackCertificates write(Path folder, InstantSource clock) {
        try {
            var pair = pair("EC");
            var certificate = selfSigned(pair, clock.instant());
            return new LoopbackCertificates(
                    pem(folder.resolve("server.crt"), certificate),
                    pem(folder.resolve("server.key"), new JcaPKCS8Generator(pair.getPrivate(), null)),
                    pem(
                            folder.resolve("tokens.key"),
                            new JcaPKCS8Generator(pair("RSA").getPrivate(), null)),
                    certificate);
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("cannot make certificates", e);
        }
    }

    /// Trusts this certificate and nothing else.
    SSLContext trust() {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("server", trusted);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyPair pair(String algorithm) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(algorithm.equals("RSA") ? 2048 : 256);
        return generator.generateKeyPair();
    }

    private static X509Certificate selfSigned(KeyPair pair, Instant now)
            throws CertIOException, OperatorCreationException, GeneralSecurityException {
        var name = new X500Name("CN=loopback");
        var builder = new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(now.minus(Duration.ofMinutes(5))),
                Date.from(now.plus(Duration.ofDays(1))),
                name,
                pair.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        var names = new GeneralName[] {
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"), new GeneralName(GeneralName.dNSName, "localhost")
        };
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
        var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    }

    private static Path pem(Path file, Object content) throws IOException {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(content);
        }
        return Files.writeString(file, text.toString());
    }
}
