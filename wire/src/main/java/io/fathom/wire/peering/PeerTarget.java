// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.mesh.Identity;
import java.util.List;
import java.util.Set;

/// Where the control plane of another cluster is found, and how one knows that it is it.
///
/// @param cluster whose control plane it should be
/// @param hosts names or address literals of its gateway, tried in turn
/// @param port where it answers
/// @param controlPlanes who may answer
/// @param gateways who takes tunnels at that port and hands them on to the control plane; nobody where TLS goes
/// through to it
public record PeerTarget(
        String cluster, List<String> hosts, int port, Set<Identity> controlPlanes, Set<Identity> gateways) {
    public PeerTarget {
        hosts = List.copyOf(hosts);
        controlPlanes = Set.copyOf(controlPlanes);
        gateways = Set.copyOf(gateways);
        if (hosts.isEmpty() || controlPlanes.isEmpty()) {
            throw new IllegalArgumentException("a peer has an address and an identity");
        }
    }

    /// Whether its gateway takes tunnels only.
    boolean isBehindTunnels() {
        return !gateways.isEmpty();
    }
}
