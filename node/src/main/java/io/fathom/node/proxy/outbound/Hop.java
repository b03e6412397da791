// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.OutboundDecision;
import io.fathom.model.routing.OutboundDecision.Destination;
import io.fathom.node.proxy.OpenConnection;
import java.util.Optional;

/// Where one attempt goes.
///
/// @param address that is dialled
/// @param authority that is asked for in the tunnel
record Hop(IpPort address, Optional<String> authority, Destination destination, OpenConnection.Protocol protocol) {

    /// The uid of the endpoint that a decision has chosen. One that has yet to be resolved counts as none.
    static Optional<String> endpoint(OutboundDecision decision) {
        return switch (decision) {
            case OutboundDecision.Passthrough passthrough -> uid(passthrough.destination());
            case OutboundDecision.Plain plain -> uid(plain.destination());
            case OutboundDecision.Tunnel tunnel -> uid(tunnel.destination());
            case OutboundDecision.NestedTunnel nested -> uid(nested.gateway().destination());
            case OutboundDecision.AwaitName name -> Optional.empty();
            case OutboundDecision.Refuse refuse -> Optional.empty();
        };
    }

    private static Optional<String> uid(Destination destination) {
        return destination.workload().map(Workload::uid);
    }
}
