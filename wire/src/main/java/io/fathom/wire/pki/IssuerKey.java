// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Which key signed a certificate. It tells clusters apart that share a root: each has an intermediate of its own.
public final class IssuerKey {
    private IssuerKey() {}

    /// The SHA-256 of the SubjectPublicKeyInfo of who signed the first certificate, in hexadecimal; empty if that
    /// one is neither in the chain nor among the roots.
    public static Optional<String> of(List<X509Certificate> chain, List<X509Certificate> roots) {
        var leaf = chain.getFirst();
        return Stream.concat(chain.stream().skip(1), roots.stream())
                .filter(candidate -> signed(leaf, candidate))
                .findFirst()
                .map(IssuerKey::fingerprint);
    }

    private static boolean signed(X509Certificate leaf, X509Certificate candidate) {
        if (!leaf.getIssuerX500Principal().equals(candidate.getSubjectX500Principal())) {
            return false;
        }
        try {
            leaf.verify(candidate.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String fingerprint(X509Certificate issuer) {
        try {
            var hash = MessageDigest.getInstance("SHA-256")
                    .digest(issuer.getPublicKey().getEncoded());
            return HexFormat.of().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
