// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// Reads and writes PEM text. Text that is not what it should be is a [ProblemException] that never quotes it, as it
/// may hold a key.
public final class Pem {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private static final Pattern BEGIN = Pattern.compile("-----BEGIN ([^-]*)-----");

    private Pem() {}

    /// All certificates in order of appearance; other blocks are skipped, no certificate at all is a problem.
    public static List<X509Certificate> certificates(String pem) {
        var found = new ArrayList<X509Certificate>();
        try {
            var factory = CertificateFactory.getInstance("X.509");
            for (var der : blocks(pem, "CERTIFICATE")) {
                found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
            }
        } catch (CertificateException | RuntimeException e) {
            throw problem("bad-certificate-pem", "not readable as PEM certificates");
        }
        if (found.isEmpty()) {
            throw problem("bad-certificate-pem", "there is no certificate in the PEM text");
        }
        return List.copyOf(found);
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

    /// The contents of all blocks of a type. What stands between blocks is a remark.
    ///
    /// @throws IllegalArgumentException if a block of any type does not end, or one of this type is not in base 64
    static List<byte[]> blocks(String pem, String type) {
        var found = new ArrayList<byte[]>();
        for (var begin = BEGIN.matcher(pem); begin.find(); ) {
            var mark = "-----END " + begin.group(1) + "-----";
            var end = pem.indexOf(mark, begin.end());
            if (end < 0) {
                throw new IllegalArgumentException("a block does not end");
            }
            if (begin.group(1).equals(type)) {
                var text = pem.substring(begin.end(), end).replaceAll("\\s", "");
                found.add(Base64.getDecoder().decode(text));
            }
            begin.region(end + mark.length(), pem.length());
        }
        return found;
    }

    static String encode(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + new String(LINES.encode(der), StandardCharsets.US_ASCII)
                + "\n-----END " + type + "-----\n";
    }

    static ProblemException problem(String code, String message) {
        return new ProblemException(Problem.ofInput(code, message, "check that the file is whole and in PEM form"));
    }
}
