// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/// What certificates are signed with: one immutable set of key, chain and roots that belong together.
///
/// @param key of the signer; never logged and never printed
/// @param chain the signer's certificate first, then the intermediates up to but without the root; for a root that
///     signs by itself just that root
/// @param roots what a client must trust to verify this chain, at least one
public record SigningMaterial(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> roots) {
    public SigningMaterial {
        chain = List.copyOf(chain);
        roots = List.copyOf(roots);
        if (chain.isEmpty() || roots.isEmpty()) {
            throw new IllegalArgumentException("signing material needs a signer and a root");
        }
    }

    public X509Certificate signer() {
        return chain.getFirst();
    }

    /// Nothing signed with this material is valid after this time.
    public Instant notAfter() {
        return chain.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElseThrow();
    }

    /// What is sent between the leaf and the roots: the chain without what is a root anyway.
    public List<X509Certificate> intermediates() {
        var trusted = Set.copyOf(roots);
        return chain.stream()
                .filter(certificate -> !trusted.contains(certificate))
                .toList();
    }

    @Override
    public String toString() {
        return "SigningMaterial[key=***, signer=" + signer().getSubjectX500Principal() + ", serial="
                + signer().getSerialNumber().toString(16) + ", notAfter="
                + notAfter() + ", intermediates=" + intermediates().size() + ", roots=" + roots.size() + "]";
    }
}
