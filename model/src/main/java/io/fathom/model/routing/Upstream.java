// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An endpoint that was picked, the port it takes traffic on, and the service it was picked from, if any.
record Upstream(Member member, int port, @Nullable Backends backends) {
    Optional<Service> service() {
        return backends == null ? Optional.empty() : backends.known();
    }

    Set<Identity> servicePeers() {
        return backends == null ? Set.of() : backends.identities;
    }

    /// Who may answer: the workload itself and whoever the service names.
    Set<Identity> peers() {
        var own = member.role.identity();
        var general = servicePeers();
        if (own.isEmpty() || general.contains(own.get())) {
            return general;
        }
        if (general.isEmpty()) {
            return Set.of(own.get());
        }
        var peers = new HashSet<>(general);
        peers.add(own.get());
        return Set.copyOf(peers);
    }

    /// Goes on with the address to dial: the one that was dialled if it is the workload's, else the first of the
    /// client's family that the service permits, else the first permitted, else what its name resolves to.
    OutboundDecision dial(Ip dialled, OutboundDecision otherwise, Function<IpPort, OutboundDecision> rest) {
        if (member.owns(dialled)) {
            return rest.apply(new IpPort(dialled, port));
        }
        var families = service().map(Service::ipFamilies).orElse(Service.IpFamilies.AUTOMATIC);
        @Nullable Ip chosen = null;
        for (var ip : member.ips()) {
            var sameFamily = ip.family() == dialled.family();
            if (Eligible.permits(families, ip.family()) && (chosen == null || sameFamily)) {
                chosen = ip;
                if (sameFamily) {
                    break;
                }
            }
        }
        if (chosen != null) {
            return rest.apply(new IpPort(chosen, port));
        }
        return member.hostname.isEmpty()
                ? otherwise
                : new OutboundDecision.AwaitName(
                        member.hostname, dialled.family(), ip -> rest.apply(new IpPort(ip, port)));
    }
}
