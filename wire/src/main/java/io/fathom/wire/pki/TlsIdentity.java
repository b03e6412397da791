// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/// What one side of a TLS connection shows and what it trusts; immutable, replaced as a whole.
///
/// @param key of the leaf; never printed
/// @param chain the leaf first, without the root
/// @param trust peers are verified with
public record TlsIdentity(PrivateKey key, List<X509Certificate> chain, TrustPool trust) {
    public TlsIdentity {
        chain = List.copyOf(chain);
        if (chain.isEmpty() || trust.roots().isEmpty()) {
            throw new IllegalArgumentException("a TLS identity needs a certificate and a root");
        }
    }

    /// One to whom nobody says which root vouches for which trust domain.
    public TlsIdentity(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> roots) {
        this(key, chain, TrustPool.ofAnyDomain(roots));
    }

    /// All that it trusts in some way.
    public List<X509Certificate> roots() {
        return trust.roots();
    }

    /// Those that vouch for its own trust domain.
    public List<X509Certificate> ownRoots() {
        return AlternativeNames.trustDomains(leaf()).stream()
                .findFirst()
                .map(trust::roots)
                .orElse(roots());
    }

    public X509Certificate leaf() {
        return chain.getFirst();
    }

    public Instant notAfter() {
        return leaf().getNotAfter().toInstant();
    }

    @Override
    public String toString() {
        return "TlsIdentity[key=***, names=" + AlternativeNames.of(leaf()) + ", notAfter=" + notAfter() + "]";
    }
}
