// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// What certificates of peers have to fulfil besides leading to a root. Immutable.
///
/// @param aliases of trust domains that clients of our servers may be from besides the server's own
/// @param revoked whether some certificate of a chain is; asked in each handshake, on event loops
/// @param trust whose roots vouch for whom, asked in each handshake; empty as long as only the certificates say so
/// @param clock chains are verified at
public record PeerRules(
        Set<String> aliases,
        Predicate<List<X509Certificate>> revoked,
        Supplier<Optional<TrustPool>> trust,
        InstantSource clock) {
    public PeerRules {
        aliases = Set.copyOf(aliases);
    }

    public PeerRules(Set<String> aliases, Predicate<List<X509Certificate>> revoked, InstantSource clock) {
        this(aliases, revoked, Optional::empty, clock);
    }

    public static PeerRules of(Set<String> aliases, InstantSource clock) {
        return new PeerRules(aliases, chain -> false, clock);
    }

    /// What somebody with that identity verifies peers with now. Aliases are of the first of its trust domains.
    public TrustPool trust(TlsIdentity own) {
        var pool = trust.get().orElse(own.trust());
        var domains = AlternativeNames.trustDomains(own.leaf());
        if (!domains.isEmpty()) {
            for (var alias : aliases) {
                pool = pool.withAlias(alias, domains.getFirst());
            }
        }
        return pool;
    }
}
