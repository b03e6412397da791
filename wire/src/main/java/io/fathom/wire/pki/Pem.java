package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.util.io.pem.PemReader;

/// Reads and writes PEM text. Text that is not what it should be is a [ProblemException] that never quotes it, as it
/// may
/// hold a key.
public final class Pem {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Pem() {}

    /// All certificates in order of appearance; other blocks are skipped, no certificate at all is a problem.
    public static List<X509Certificate> certificates(String pem) {
        var found = new ArrayList<X509Certificate>();
        try (var reader = new PemReader(new StringReader(pem))) {
            var factory = CertificateFactory.getInstance("X.509");
            for (var block = reader.readPemObject(); block != null; block = reader.readPemObject()) {
                if (block.getType().equals("CERTIFICATE")) {
                    found.add((X509Certificate)
                            factory.generateCertificate(new ByteArrayInputStream(block.getContent())));
                }
            }
        } catch (IOException | CertificateException | RuntimeException e) {
            throw problem("bad-certificate-pem", "not readable as PEM certificates");
        }
        if (found.isEmpty()) {
            throw problem("bad-certificate-pem", "there is no certificate in the PEM text");
        }
        return List.copyOf(found);
    }

    /// The first private key: PKCS#8, PKCS#1 (RSA) or SEC1 (EC), not encrypted.
    public static PrivateKey privateKey(String pem) {
        try (var parser = new PEMParser(new StringReader(pem))) {
            for (var block = parser.readObject(); block != null; block = parser.readObject()) {
                if (block instanceof PEMKeyPair pair) {
                    return converted(pair.getPrivateKeyInfo());
                }
                if (block instanceof PrivateKeyInfo info) {
                    return converted(info);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw problem("bad-key-pem", "not readable as a PEM private key");
        }
        throw problem("bad-key-pem", "there is no unencrypted private key in the PEM text");
    }

    private static PrivateKey converted(PrivateKeyInfo info) throws PEMException {
        return new JcaPEMKeyConverter().getPrivateKey(info);
    }

    /// With a trailing newline.
    public static String encode(X509Certificate certificate) {
        try {
            return encode("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalArgumentException("a certificate that was parsed has an encoding", e);
        }
    }

    /// One block after the other, each with a trailing newline.
    public static String encode(List<X509Certificate> certificates) {
        var text = new StringBuilder();
        certificates.forEach(certificate -> text.append(encode(certificate)));
        return text.toString();
    }

    /// PKCS#8. For files that only the owner can read.
    public static String encode(PrivateKey key) {
        return encode("PRIVATE KEY", key.getEncoded());
    }

    static String encode(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + new String(LINES.encode(der), StandardCharsets.US_ASCII)
                + "\n-----END " + type + "-----\n";
    }

    private static ProblemException problem(String code, String message) {
        return new ProblemException(Problem.ofInput(code, message, "check that the file is whole and in PEM form"));
    }
}
