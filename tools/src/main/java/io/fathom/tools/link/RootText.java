// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.model.trust.TrustRoot;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/// How a root is told from another by people: its subject and the first half of a fingerprint. Pure.
final class RootText {
    private RootText() {}

    static String of(List<X509Certificate> roots) {
        return roots.stream().map(RootText::of).collect(Collectors.joining(" and "));
    }

    private static String of(X509Certificate root) {
        return "'" + root.getSubjectX500Principal().getName() + "' (" + fingerprint(root) + ")";
    }

    /// As much of it as people compare at a glance.
    static String brief(TrustRoot root) {
        return root.fingerprint().substring(0, 16);
    }

    static String fingerprint(X509Certificate certificate) {
        try {
            var bytes = certificate.getEncoded();
            var digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException | CertificateEncodingException e) {
            throw new AssertionError("a JDK has it, and a certificate is encoded", e);
        }
    }
}
