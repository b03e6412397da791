// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.model.mesh.Locality;
import io.fathom.model.peering.ServiceSummary;
import java.util.List;
import java.util.Set;

/// A service of another cluster, as it counts here.
///
/// @param keys the services here that it has endpoints for
/// @param trustDomain of its cluster
/// @param identities who may answer, but for endpoints that are called directly
/// @param ways to its cluster, one for each Gateway; none where no Gateway leads there
/// @param locality of the whole cluster, where its Gateway says so
record PeerService(
        String cluster,
        ServiceSummary summary,
        Set<String> keys,
        String trustDomain,
        List<String> identities,
        List<NetworkGateway> ways,
        Locality locality) {
    PeerService {
        keys = Set.copyOf(keys);
        identities = List.copyOf(identities);
        ways = List.copyOf(ways);
    }
}
