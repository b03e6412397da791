// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;

/// Signs leaf certificates with one signing material. Everything that does not differ between two certificates is
/// encoded once, here; what is left is a few hundred bytes of DER and the signature. Any number of threads.
public final class Issuer {
    /// Certificates start a little in the past, for clocks that are behind ours.
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(2);

    private static final int SERIAL_BYTES = 16;
    private static final int COMMON_NAME_LIMIT = 64;
    private static final int IDLE_SIGNATURES = 64;
    private static final byte[] VERSION_3 = {(byte) 0xa0, 0x03, 0x02, 0x01, 0x02};
    private static final byte[] EMPTY_NAME = {0x30, 0x00};
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
    private static final byte[] NAMES_CRITICAL = {0x06, 0x03, 0x55, 0x1d, 0x11, 0x01, 0x01, (byte) 0xff};
    /// keyUsage, critical: digitalSignature and keyEncipherment.
    private static final byte[] KEY_USAGE = HexFormat.of().parseHex("300e0603551d0f0101ff0404030205a0");
    /// extKeyUsage: serverAuth and clientAuth.
    private static final byte[] EXTENDED_KEY_USAGE =
            HexFormat.of().parseHex("301d0603551d250416301406082b0601050507030106082b06010505070302");
    /// basicConstraints, critical: not an authority.
    private static final byte[] NOT_AN_AUTHORITY = HexFormat.of().parseHex("300c0603551d130101ff04023000");

    private final SigningMaterial material;
    private final PrivateKey key;
    private final SignatureKind kind;
    private final byte[] algorithm;
    private final byte[] issuerName;
    private final byte[] constantExtensions;
    private final Instant notAfter;
    private final BlockingQueue<Signature> idle = new ArrayBlockingQueue<>(IDLE_SIGNATURES);

    public Issuer(SigningMaterial material) {
        this.material = material;
        this.key = Signing.own(material.key());
        this.kind = SignatureKind.of(material.signer().getPublicKey());
        this.algorithm = kind.identifier();
        this.issuerName = material.signer().getSubjectX500Principal().getEncoded();
        this.constantExtensions = constantExtensions(material);
        this.notAfter = material.notAfter();
    }

    public SigningMaterial material() {
        return material;
    }

    /// Signs a certificate that is valid from two minutes ago until the wanted lifetime or the signer ends.
    ///
    /// @throws ProblemException if the signer has expired or its key does not sign
    public IssuedCertificate sign(Leaf leaf, Instant now) {
        var time = now.truncatedTo(ChronoUnit.SECONDS);
        if (!time.isBefore(notAfter)) {
            throw failed("signer-expired", "the signing certificate ended at " + notAfter, Retry.SENSIBLE);
        }
        var wanted = time.plus(leaf.lifetime());
        var end = wanted.isAfter(notAfter) ? notAfter : wanted;
        var start = time.minus(CLOCK_SKEW);
        var serial = serial();
        var body = body(leaf, serial, start, end);
        var certificate = DerWriter.signed(body, algorithm, signature(body));
        return new IssuedCertificate(
                Pem.encode("CERTIFICATE", certificate), HexFormat.of().formatHex(serial), start, end);
    }

    /// 128 random bits; without a leading zero byte, so that there is none to strip.
    private static byte[] serial() {
        var bytes = new byte[SERIAL_BYTES];
        do {
            Signing.secureRandom().nextBytes(bytes);
        } while (bytes[0] == 0);
        return bytes;
    }

    private byte[] body(Leaf leaf, byte[] serial, Instant start, Instant end) {
        var der = new DerWriter(1024);
        var extensions = der.mark();
        names(der, leaf);
        der.raw(constantExtensions);
        der.enclose(DerWriter.SEQUENCE, extensions);
        der.enclose(0xa3, extensions);
        der.raw(leaf.key().encoded());
        subject(der, leaf);
        var validity = der.mark();
        der.time(end);
        der.time(start);
        der.enclose(DerWriter.SEQUENCE, validity);
        der.raw(issuerName);
        der.raw(algorithm);
        var number = der.mark();
        der.raw(serial);
        if (serial[0] < 0) {
            der.raw((byte) 0); // a set high bit would make the number negative
        }
        der.enclose(DerWriter.INTEGER, number);
        der.raw(VERSION_3);
        der.enclose(DerWriter.SEQUENCE, 0);
        return der.toByteArray();
    }

    private static void names(DerWriter der, Leaf leaf) {
        var extension = der.mark();
        for (var name : leaf.names().reversed()) {
            AlternativeNames.write(der, name);
        }
        der.enclose(DerWriter.SEQUENCE, extension);
        der.enclose(DerWriter.OCTET_STRING, extension);
        der.raw(NAMES_CRITICAL);
        der.enclose(DerWriter.SEQUENCE, extension);
    }

    private static void subject(DerWriter der, Leaf leaf) {
        var name = leaf.names().getFirst();
        if (leaf.subject() == Leaf.Subject.EMPTY || name.length() > COMMON_NAME_LIMIT) {
            der.raw(EMPTY_NAME);
            return;
        }
        var mark = der.mark();
        der.text(DerWriter.UTF8_STRING, name);
        der.raw(COMMON_NAME);
        der.enclose(DerWriter.SEQUENCE, mark);
        der.enclose(DerWriter.SET, mark);
        der.enclose(DerWriter.SEQUENCE, mark);
    }

    private byte[] signature(byte[] body) {
        try {
            var signature = idle.poll();
            if (signature == null) {
                signature = Signing.signature(kind.algorithm());
                signature.initSign(key);
            }
            signature.update(body);
            var signed = signature.sign();
            var _ = idle.offer(signature); // full: more threads than anybody needs, let it go
            return signed;
        } catch (GeneralSecurityException e) {
            throw failed("signing-failed", "the signing key does not sign", Retry.POINTLESS);
        }
    }

    private static byte[] constantExtensions(SigningMaterial material) {
        var extensions = new ByteArrayOutputStream();
        extensions.writeBytes(KEY_USAGE);
        extensions.writeBytes(EXTENDED_KEY_USAGE);
        extensions.writeBytes(NOT_AN_AUTHORITY);
        var identifier = material.signer().getExtensionValue(Extension.subjectKeyIdentifier.getId());
        if (identifier != null) {
            var octets = ASN1OctetString.getInstance(identifier).getOctets();
            extensions.writeBytes(
                    authorityKey(SubjectKeyIdentifier.getInstance(octets).getKeyIdentifier()));
        }
        return extensions.toByteArray();
    }

    private static byte[] authorityKey(byte[] identifier) {
        var der = new DerWriter(64);
        der.value(0x80, identifier);
        der.enclose(DerWriter.SEQUENCE, 0);
        der.enclose(DerWriter.OCTET_STRING, 0);
        der.raw((byte) 0x06, (byte) 0x03, (byte) 0x55, (byte) 0x1d, (byte) 0x23);
        der.enclose(DerWriter.SEQUENCE, 0);
        return der.toByteArray();
    }

    private static ProblemException failed(String code, String message, Retry retry) {
        return new ProblemException(
                new Problem(code, message, "renew the signing certificate and key", Origin.SERVER, retry));
    }
}
