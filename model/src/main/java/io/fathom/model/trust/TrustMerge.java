// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Puts together what one cluster trusts: its own roots, those that its configuration names, and those of other
/// clusters. No cluster gets a say in a domain that is ours or another cluster's already, unless its owner agreed.
///
/// @param map what counts
/// @param refused bundles that do not count, in the order they were given
public record TrustMerge(TrustMap map, List<RefusedTrust> refused) {
    /// A bundle for a domain that belongs to somebody else.
    ///
    /// @param owner the cluster that has the domain; empty for our own
    public record RefusedTrust(PeerTrust trust, String owner) {}

    /// What we are ourselves.
    ///
    /// @param trustDomain that we issue identities in
    /// @param aliases names that count like it
    /// @param roots our own; none if they are not known yet
    public record OwnTrust(String trustDomain, Set<String> aliases, Set<TrustRoot> roots) {
        public OwnTrust {
            aliases = Set.copyOf(aliases);
            roots = Set.copyOf(roots);
        }

        boolean has(String domain) {
            return domain.equals(trustDomain) || aliases.contains(domain);
        }
    }

    public TrustMerge {
        refused = List.copyOf(refused);
    }

    /// Decides.
    ///
    /// @param configured bundles of our own configuration, which needs no consent
    /// @param peers of several for one domain the first has it, so the oldest comes first
    public static TrustMerge of(OwnTrust own, Collection<TrustBundle> configured, List<PeerTrust> peers) {
        var domains = new HashMap<String, Set<TrustRoot>>();
        add(domains, own.trustDomain(), own.roots());
        own.aliases().forEach(alias -> add(domains, alias, own.roots()));
        configured.forEach(bundle -> add(domains, bundle.trustDomain(), bundle.roots()));
        var owners = new HashMap<String, PeerTrust>();
        var refused = new ArrayList<RefusedTrust>();
        for (var peer : peers) {
            var domain = peer.bundle().trustDomain();
            var shares = peer.consent() == PeerTrust.TrustConsent.SHARED_DOMAIN;
            var known = domains.getOrDefault(domain, Set.of())
                    .containsAll(peer.bundle().roots());
            var owner = owners.putIfAbsent(domain, peer);
            if (known || (shares && (own.has(domain) || owner == null || isShared(owner)))) {
                add(domains, domain, peer.bundle().roots());
            } else if (own.has(domain)) {
                refused.add(new RefusedTrust(peer, ""));
            } else if (owner != null) {
                refused.add(new RefusedTrust(peer, owner.cluster()));
            } else {
                add(domains, domain, peer.bundle().roots());
            }
        }
        return new TrustMerge(map(domains), refused);
    }

    private static boolean isShared(PeerTrust peer) {
        return peer.consent() == PeerTrust.TrustConsent.SHARED_DOMAIN;
    }

    private static void add(Map<String, Set<TrustRoot>> domains, String domain, Collection<TrustRoot> roots) {
        domains.computeIfAbsent(domain, _ -> new HashSet<>()).addAll(roots);
    }

    private static TrustMap map(Map<String, Set<TrustRoot>> domains) {
        var sorted = new TreeMap<String, List<TrustRoot>>();
        domains.forEach((domain, roots) -> {
            if (!roots.isEmpty()) {
                sorted.put(domain, List.copyOf(roots));
            }
        });
        return new TrustMap(sorted);
    }
}
