// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.routing.Gateways.Lookup;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Reason;
import io.fathom.model.routing.InboundDecision.Reject;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Sends plain connections through the waypoint of the pod they arrived at, because the pod asks so. Whatever is wrong
/// with the waypoint, the connection never goes around it. Pure but for the randomness it is handed.
final class Hairpins {
    private final Gateways gateways;

    Hairpins(Balancer balancer) {
        this.gateways = new Gateways(balancer);
    }

    /// Not for what a pod of the waypoint itself sends in plain text: that has been through it, and would go round for
    /// ever.
    static boolean isWanted(MeshView view, Workload local, Optional<Workload> client) {
        return local.waypoint().isPresent()
                && client.filter(sender ->
                                Gateways.isBehind(view, local.waypoint().get(), sender))
                        .isEmpty();
    }

    InboundDecision decide(
            MeshView view,
            InboundRequest.Captured captured,
            Workload local,
            Optional<Service> service,
            Optional<Workload> client,
            RandomGenerator random) {
        return switch (gateways.find(view, address(local), local, captured.tried(), random)) {
            case Lookup.Unknown _ -> new Reject(Reason.WAYPOINT_UNKNOWN, Refusal.WAYPOINT_UNKNOWN.message());
            case Lookup.Exhausted _ -> unusable(Refusal.WAYPOINT_WITHOUT_ENDPOINT.message());
            case Lookup.Found(var waypoint) -> through(view, captured, local, waypoint, service, client);
        };
    }

    private static GatewayAddress address(Workload local) {
        return local.waypoint().orElseThrow();
    }

    private static InboundDecision through(
            MeshView view,
            InboundRequest.Captured captured,
            Workload local,
            Upstream waypoint,
            Optional<Service> service,
            Optional<Workload> client) {
        var at = captured.at();
        var member = waypoint.member();
        if (!member.network().equals(local.network())) {
            return unusable(Refusal.WAYPOINT_ON_OTHER_NETWORK.message());
        }
        if (member.role.tunnel().application().isPresent()) {
            return unusable("the waypoint takes tunnels from its node proxy, which cannot tell it that a client has no "
                    + "identity");
        }
        var ip = ip(waypoint, at.ip().family());
        if (ip.isEmpty()) {
            return unusable("the waypoint has no address of the family of " + at.ip());
        }
        var identity = local.identity();
        if (identity.isEmpty()) {
            return unusable("the workload " + local.name() + " has no identity");
        }
        var attempt = new Attempt(Optional.empty(), captured.peer().ip(), at, member.role.identity());
        var authorization = Authorizer.decide(view.policies(), local, attempt);
        return authorization.isAllowed()
                ? new Hairpin(
                        new IpPort(ip.get(), waypoint.port()),
                        identity.get(),
                        waypoint.peers(),
                        member.workload(),
                        at,
                        authorization,
                        local,
                        service,
                        client)
                : new Deny(at, authorization, local, service, client);
    }

    /// One of the pod's own family: the waypoint only believes what is said about a client by who has the very address
    /// that the client called.
    private static Optional<Ip> ip(Upstream waypoint, Ip.Family family) {
        var families = waypoint.service().map(Service::ipFamilies).orElse(Service.IpFamilies.AUTOMATIC);
        return Eligible.permits(families, family)
                ? waypoint.member().ips().stream()
                        .filter(ip -> ip.family() == family)
                        .findFirst()
                : Optional.empty();
    }

    private static Reject unusable(String message) {
        return new Reject(Reason.WAYPOINT_UNUSABLE, message);
    }
}
