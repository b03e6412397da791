// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// What to do with one captured outbound connection. Computed without I/O, executed elsewhere.
public sealed interface OutboundDecision {
    /// Who the bytes are for, as far as known: the workload that is dialled and the service that was called.
    record Destination(Optional<Workload> workload, Optional<Service> service) {
        static final Destination UNKNOWN = new Destination(Optional.empty(), Optional.empty());
    }

    /// Not a mesh destination: relay the bytes unchanged to where they were going.
    record Passthrough(IpPort target, Destination destination) implements OutboundDecision {}

    /// An endpoint of the mesh that takes no tunnel: relay the bytes unchanged to it.
    record Plain(IpPort hop, Destination destination) implements OutboundDecision {}

    /// Dial `hop` over mTLS, accept only `peers`, then send `CONNECT authority`.
    record Tunnel(IpPort hop, String authority, Set<Identity> peers, Destination destination)
            implements OutboundDecision {}

    /// A tunnel with `authority` and only `peers` inside a tunnel to another network's gateway. Without any peers the
    /// inner tunnel cannot be verified, so it must fail.
    record NestedTunnel(Tunnel gateway, String authority, Set<Identity> peers) implements OutboundDecision {}

    /// The chosen endpoint is only known by name: resolve `hostname`, rather to an address of the `preferred` family,
    /// then go on with [#at].
    record AwaitName(String hostname, Ip.Family preferred, Function<Ip, OutboundDecision> rest)
            implements OutboundDecision {
        public OutboundDecision at(Ip ip) {
            return rest.apply(ip);
        }
    }

    /// Close it.
    ///
    /// @param missing the gateway that is not known, if that is why: one may ask the control plane for it
    record Refuse(Refusal reason, Destination destination, Optional<GatewayAddress> missing)
            implements OutboundDecision {
        Refuse(Refusal reason, Destination destination) {
            this(reason, destination, Optional.empty());
        }
    }
}
