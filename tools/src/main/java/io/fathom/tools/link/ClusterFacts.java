// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import java.security.cert.X509Certificate;
import java.util.List;

/// What counts of a cluster when it is linked with others.
///
/// @param context how the user names it
/// @param id what its control plane calls it; empty if there is none
/// @param network that it is on; empty if it does not say
/// @param roots that its proxies trust; none if they cannot be seen
/// @param gateways its own, for those of other networks
/// @param peers the Gateways there that stand for other clusters', whoever wrote them
record ClusterFacts(
        String context,
        String id,
        String network,
        String trustDomain,
        List<X509Certificate> roots,
        List<EastWestGateway> gateways,
        List<PeerShape> peers) {
    ClusterFacts {
        roots = List.copyOf(roots);
        gateways = List.copyOf(gateways);
        peers = List.copyOf(peers);
    }
}
