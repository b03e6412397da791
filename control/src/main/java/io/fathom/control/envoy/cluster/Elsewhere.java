// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.Member;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.peering.Reachability;
import java.util.List;
import java.util.Map;

/// What a proxy can reach on other networks.
///
/// @param members of a service there
/// @param gateways by network, the ways into it, and what is known of each
public record Elsewhere(List<Member> members, Map<String, Map<IpPort, Reachability>> gateways) {
    public static final Elsewhere NOTHING = new Elsewhere(List.of(), Map.of());

    public Elsewhere {
        members = List.copyOf(members);
        gateways = Map.copyOf(gateways);
    }
}
