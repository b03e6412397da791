// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;

/// A certificate authority with any faults a test asks for.
public record TestCa(X509Certificate certificate, PrivateKey key) {
    private static final AtomicLong SERIALS = new AtomicLong(1);

    static KeyPair keys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static TestCa root(String name, Instant from, Instant until) {
        var keys = keys();
        var certificate = signed(
                keys.getPrivate(), name, name, keys.getPublic(), from, until, OptionalInt.empty(), Usage.AUTHORITY);
        return new TestCa(certificate, keys.getPrivate());
    }

    public TestCa below(String name, int pathLength, Instant from, Instant until) {
        var keys = keys();
        return new TestCa(
                authority(name, keys.getPublic(), OptionalInt.of(pathLength), from, until), keys.getPrivate());
    }

    X509Certificate authority(String name, PublicKey key, OptionalInt pathLength, Instant from, Instant until) {
        return signed(this.key, name(), name, key, from, until, pathLength, Usage.AUTHORITY);
    }

    X509Certificate leaf(String uri, PublicKey key, Instant from, Instant until) {
        return signed(this.key, name(), uri, key, from, until, OptionalInt.empty(), Usage.WORKLOAD);
    }

    private String name() {
        return certificate.getSubjectX500Principal().getName().substring("CN=".length());
    }

    static PublicKey keyOf(String csrPem) {
        try (var parser = new PEMParser(new StringReader(csrPem))) {
            return new JcaPKCS10CertificationRequest((PKCS10CertificationRequest) parser.readObject()).getPublicKey();
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private enum Usage {
        AUTHORITY,
        WORKLOAD
    }

    private static X509Certificate signed(
            PrivateKey issuerKey,
            String issuer,
            String subject,
            PublicKey key,
            Instant from,
            Instant until,
            OptionalInt pathLength,
            Usage usage) {
        try {
            var workload = usage == Usage.WORKLOAD;
            var builder = new JcaX509v3CertificateBuilder(
                    new X500Principal("CN=" + issuer),
                    BigInteger.valueOf(SERIALS.getAndIncrement()),
                    Date.from(from),
                    Date.from(until),
                    new X500Principal(workload ? "CN=workload" : "CN=" + subject),
                    key);
            if (workload) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        true,
                        new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, subject)));
                builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            } else {
                builder.addExtension(
                        Extension.basicConstraints,
                        true,
                        pathLength.isPresent()
                                ? new BasicConstraints(pathLength.getAsInt())
                                : new BasicConstraints(true));
                builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            }
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKey);
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (IOException | GeneralSecurityException | OperatorException e) {
            throw new AssertionError(e);
        }
    }
}
