// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.model.trust.TrustMerge;
import io.fathom.model.trust.TrustMerge.OwnTrust;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.pki.TrustRoots;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/// What counts of a cluster when it is linked with others.
///
/// @param context how the user names it
/// @param id what its control plane calls it; empty if there is none
/// @param network that it is on; empty if it does not say
/// @param roots that its proxies trust; none if they cannot be seen
/// @param gateways its own, for those of other networks
/// @param bundles the roots of other clusters that it was told to trust, whoever wrote them
/// @param peers the Gateways there that stand for other clusters', whoever wrote them
record ClusterFacts(
        String context,
        String id,
        String network,
        String trustDomain,
        List<X509Certificate> roots,
        List<EastWestGateway> gateways,
        List<PeerShape> peers,
        List<TrustShape> bundles) {
    ClusterFacts {
        roots = List.copyOf(roots);
        gateways = List.copyOf(gateways);
        peers = List.copyOf(peers);
        bundles = List.copyOf(bundles);
    }

    /// One that was told of no other roots.
    ClusterFacts(
            String context,
            String id,
            String network,
            String trustDomain,
            List<X509Certificate> roots,
            List<EastWestGateway> gateways,
            List<PeerShape> peers) {
        this(context, id, network, trustDomain, roots, gateways, peers, List.of());
    }

    /// What its proxies verify peers with.
    TrustPool trust() {
        var own = new OwnTrust(trustDomain, Set.of(), Set.copyOf(TrustRoots.of(roots)));
        return TrustPool.of(TrustMerge.of(
                        own, List.of(), bundles.stream().map(TrustShape::trust).toList())
                .map());
    }
}
