// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// Who is at the other end of a verified connection.
///
/// @param chain as it was shown, the leaf first
/// @param identities of the leaf, in order
public record TlsPeer(List<X509Certificate> chain, List<Identity> identities) {
    public static final TlsPeer NONE = new TlsPeer(List.of(), List.of());

    public TlsPeer {
        chain = List.copyOf(chain);
        identities = List.copyOf(identities);
    }

    static TlsPeer of(List<X509Certificate> chain) {
        return new TlsPeer(chain, AlternativeNames.identities(chain.getFirst()));
    }

    /// What policies are asked about.
    public Optional<Identity> identity() {
        return identities.stream().findFirst();
    }
}
