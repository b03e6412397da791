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
/// @param roots peers are verified with
public record TlsIdentity(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> roots) {
    public TlsIdentity {
        chain = List.copyOf(chain);
        roots = List.copyOf(roots);
        if (chain.isEmpty() || roots.isEmpty()) {
            throw new IllegalArgumentException("a TLS identity needs a certificate and a root");
        }
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
