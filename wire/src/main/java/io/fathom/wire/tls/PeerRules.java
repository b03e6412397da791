package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// What certificates of peers have to fulfil besides leading to a root. Immutable.
///
/// @param trustDomains clients of our servers are from: our own and its aliases
/// @param revoked whether some certificate of a chain is; asked in each handshake, on event loops
/// @param clock chains are verified at
public record PeerRules(Set<String> trustDomains, Predicate<List<X509Certificate>> revoked, InstantSource clock) {
    public PeerRules {
        trustDomains = Set.copyOf(trustDomains);
    }

    public static PeerRules of(Set<String> trustDomains, InstantSource clock) {
        return new PeerRules(trustDomains, chain -> false, clock);
    }

    boolean includes(Identity identity) {
        return trustDomains.contains(identity.trustDomain());
    }
}
