// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// What certificates of peers have to fulfil besides leading to a root. Immutable.
///
/// @param aliases of trust domains that clients of our servers may be from besides the server's own
/// @param revoked whether some certificate of a chain is; asked in each handshake, on event loops
/// @param clock chains are verified at
public record PeerRules(Set<String> aliases, Predicate<List<X509Certificate>> revoked, InstantSource clock) {
    public PeerRules {
        aliases = Set.copyOf(aliases);
    }

    public static PeerRules of(Set<String> aliases, InstantSource clock) {
        return new PeerRules(aliases, chain -> false, clock);
    }

    boolean includes(Identity identity) {
        return aliases.contains(identity.trustDomain());
    }
}
