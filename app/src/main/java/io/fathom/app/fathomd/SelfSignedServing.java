package io.fathom.app.fathomd;

import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A root made at start, and a certificate signed by it for the names under which clients know the control plane.
/// Lives as long as the process; the real certificate authority replaces it.
record SelfSignedServing(PrivateKey key, List<X509Certificate> chain, X509Certificate root)
        implements ServingCertificate {
    private static final Duration LIFETIME = Duration.ofDays(3650);
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(2);
    private static final int SERIAL_BITS = 128;

    static SelfSignedServing create(FathomdConfig config, Instant now) {
        try {
            var rootKeys = keys();
            var rootName = new X500NameBuilder(BCStyle.INSTANCE)
                    .addRDN(BCStyle.O, config.trustDomain())
                    .build();
            var root = sign(
                    builder(rootName, rootName, rootKeys, now)
                            .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                            .addExtension(
                                    Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign)),
                    rootKeys);
            var leafKeys = keys();
            var leaf = sign(
                    builder(rootName, new X500Name(new RDN[0]), leafKeys, now)
                            .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                            .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                            .addExtension(
                                    Extension.extendedKeyUsage,
                                    false,
                                    new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                            .addExtension(Extension.subjectAlternativeName, true, names(config)),
                    rootKeys);
            return new SelfSignedServing(leafKeys.getPrivate(), List.of(leaf), root);
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException("no serving certificate could be made", e);
        }
    }

    /// Readers see the old file or the new one, never a part.
    static void writeRoot(ServingCertificate certificate, Path file) throws IOException {
        var target = file.toAbsolutePath();
        var draft = target.resolveSibling(target.getFileName() + ".new");
        Files.writeString(draft, Pem.encode(certificate.root()));
        Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String toString() {
        return "SelfSignedServing[key=***, serial="
                + chain.getFirst().getSerialNumber().toString(16) + "]";
    }

    private static GeneralNames names(FathomdConfig config) {
        var namespace = config.systemNamespace();
        var services = Stream.of("istiod", "istiod-remote", "istio-pilot", "istiod-" + config.revision(), "fathomd");
        var hosts = Stream.of(
                        services.flatMap(name -> Stream.of(name + "." + namespace + ".svc", name + "." + namespace)),
                        config.customHosts().stream(),
                        Stream.of("localhost"))
                .flatMap(names -> names)
                .distinct()
                .map(name -> new GeneralName(GeneralName.dNSName, name));
        var loopback = Stream.of("127.0.0.1", "::1")
                .map(literal -> new GeneralName(
                        GeneralName.iPAddress,
                        new DEROctetString(InetAddress.ofLiteral(literal).getAddress())));
        return new GeneralNames(Stream.concat(hosts, loopback).toArray(GeneralName[]::new));
    }

    private static X509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair keys, Instant now) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, new SecureRandom()),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(LIFETIME)),
                subject,
                keys.getPublic());
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, KeyPair signer)
            throws OperatorCreationException, GeneralSecurityException {
        var signature = new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(builder.build(signature));
    }

    private static KeyPair keys() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }
}
