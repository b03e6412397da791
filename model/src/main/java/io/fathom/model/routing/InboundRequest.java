// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Traffic that arrived for a pod of this node. IPv4-mapped addresses are folded to IPv4.
public sealed interface InboundRequest {
    /// Which pod it arrived at; empty when the control plane does not know that pod (yet).
    Optional<Workload> local();

    /// Where it arrived: for captured traffic the original destination.
    IpPort at();

    IpPort peer();

    /// A stream of an HBONE connection.
    ///
    /// @param identity verified by the handshake
    /// @param forwardedHost the `host` of the `forwarded` header
    /// @param forwardedNetwork the `x-forwarded-network` header
    record Hbone(
            Optional<Workload> local,
            IpPort at,
            IpPort peer,
            Optional<Identity> identity,
            String method,
            String authority,
            Optional<String> forwardedHost,
            Optional<String> forwardedNetwork)
            implements InboundRequest {
        public Hbone {
            at = at.unmapped();
            peer = peer.unmapped();
        }
    }

    /// A plain connection that was captured on its way to the application.
    ///
    /// @param tried uids of the waypoint's endpoints that were dialled in vain for this connection
    record Captured(Optional<Workload> local, IpPort at, IpPort peer, Set<String> tried) implements InboundRequest {
        public Captured {
            at = at.unmapped();
            peer = peer.unmapped();
            tried = Set.copyOf(tried);
        }

        public Captured(Optional<Workload> local, IpPort at, IpPort peer) {
            this(local, at, peer, Set.of());
        }

        /// The same connection after one more endpoint failed.
        public Captured without(String uid) {
            var more = new HashSet<>(tried);
            more.add(uid);
            return new Captured(local, at, peer, more);
        }
    }
}
