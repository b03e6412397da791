// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Reason;
import io.fathom.model.routing.InboundDecision.Reject;
import io.fathom.model.routing.InboundDecision.SourceAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Decides whether and where traffic that arrived for a pod goes, on one view. Pure but for the randomness it is
/// handed; safe on any thread.
///
/// Traffic only ever goes to the pod it arrived at: what a request can choose is the port. A pod may ask that plain
/// connections take the way through its waypoint; what came through a tunnel never does.
public final class InboundRouter {
    private final InboundConfig config;
    private final Hairpins hairpins;

    /// @param balancer chooses among the endpoints of waypoints
    public InboundRouter(InboundConfig config, Balancer balancer) {
        this.config = config;
        this.hairpins = new Hairpins(balancer);
    }

    public InboundDecision decide(MeshView view, InboundRequest.Captured captured, RandomGenerator random) {
        if (isIllegal(captured.at().port())) {
            return illegal(captured.at().port());
        }
        if (captured.local().isEmpty()) {
            return unknownWorkload(captured.at());
        }
        var local = captured.local().get();
        var at = captured.at();
        var service = CalledService.guess(view, local, Optional.empty(), at.port());
        var client = client(view, local, captured.peer());
        if (local.hairpin() == Workload.Hairpin.YES && Hairpins.isWanted(view, local, client)) {
            return hairpins.decide(view, captured, local, service, client, random);
        }
        var route = new Route(at, at, sourceAddress(captured, at), Optional.empty(), service);
        return authorize(view, captured, local, route, Optional.empty(), client);
    }

    public InboundDecision decide(MeshView view, InboundRequest.Hbone hbone) {
        if (!hbone.method().equals("CONNECT")) {
            return new Reject(Reason.NOT_CONNECT, "only CONNECT is supported, not " + hbone.method());
        }
        var authority = Authority.parse(hbone.authority());
        if (authority.isEmpty()) {
            return new Reject(Reason.BAD_AUTHORITY, "invalid authority: " + hbone.authority());
        }
        if (hbone.local().isEmpty()) {
            return unknownWorkload(hbone.at());
        }
        var local = hbone.local().get();
        return switch (authority.get()) {
            case Authority.AtIp(var target) ->
                mayTake(view, local, hbone.at().ip(), target.ip())
                        ? toPort(view, hbone, local, target.port(), Optional.of(target), Optional.empty())
                        : new Reject(
                                Reason.IP_MISMATCH, "ip mismatch: " + hbone.at().ip() + " != " + target.ip());
            case Authority.AtHost host -> toHost(view, hbone, local, host);
        };
    }

    /// A pod takes traffic for its own address; one with a tunnel, for any; a waypoint, for what it serves.
    private static boolean mayTake(MeshView view, Workload local, Ip own, Ip asked) {
        if (own.equals(asked) || local.applicationTunnel().isPresent()) {
            return true;
        }
        var workload = view.workloadAt(local.network(), asked);
        Stream<GatewayAddress> waypoints = workload.isPresent()
                ? workload.get().waypoint().stream()
                : view.allAt(local.network(), asked).stream()
                        .flatMap(backends -> backends.known().stream())
                        .flatMap(InboundRouter::waypoints);
        return waypoints.anyMatch(waypoint -> Gateways.isBehind(view, waypoint, local));
    }

    private static Stream<GatewayAddress> waypoints(Service service) {
        return Stream.concat(
                service.waypoint().stream(),
                service.weightedWaypoints().stream().map(Service.WeightedWaypoint::destination));
    }

    private InboundDecision toHost(MeshView view, InboundRequest.Hbone hbone, Workload local, Authority.AtHost host) {
        var found = view.serviceNamed(host.hostname(), local.namespace());
        if (found.isEmpty()) {
            return new Reject(Reason.UNKNOWN_HOST, "no service for host " + host.hostname());
        }
        var service = found.get();
        var own = Member.target(local.services().getOrDefault(service.key(), List.of()), host.port());
        var port = own > 0 ? own : Member.target(service.ports(), host.port());
        if (port == 0
                && local.applicationTunnel().filter(tunnel -> tunnel.port() > 0).isPresent()) {
            port = host.port(); // the tunnel's port takes its place
        }
        if (port == 0) {
            return new Reject(
                    Reason.UNKNOWN_PORT, "no port " + host.port() + " of " + host.hostname() + " on this pod");
        }
        var vip = service.addresses().stream()
                .filter(address -> address.network().equals(local.network())
                        && address.block().isSingleAddress())
                .map(address -> address.block().address())
                .min(Comparator.comparing(Ip::family));
        return toPort(view, hbone, local, port, vip.map(ip -> new IpPort(ip, host.port())), Optional.of(service));
    }

    private InboundDecision toPort(
            MeshView view,
            InboundRequest.Hbone hbone,
            Workload local,
            int port,
            Optional<IpPort> tunnelTarget,
            Optional<Service> named) {
        if (isIllegal(port)) {
            return illegal(port);
        }
        var tunnel = local.applicationTunnel();
        var proxies = tunnel.filter(t -> t.protocol() == ApplicationTunnel.Protocol.PROXY)
                .isPresent();
        if (proxies && tunnelTarget.isEmpty()) {
            return new Reject(Reason.NO_TUNNEL_TARGET, "no address of " + hbone.authority() + " on this network");
        }
        var ip = hbone.at().ip();
        var destination = new IpPort(
                ip, tunnel.map(ApplicationTunnel::port).filter(p -> p > 0).orElse(port));
        var service = named.or(() -> CalledService.guess(view, local, hbone.forwardedHost(), destination.port()));
        var route = proxies && config.tunnelDial() == InboundConfig.TunnelDial.LOOPBACK
                ? new Route(
                        new IpPort(loopback(ip.family()), destination.port()),
                        destination,
                        SourceAddress.LOOPBACK,
                        tunnelTarget,
                        service)
                : new Route(
                        destination,
                        destination,
                        sourceAddress(hbone, destination),
                        proxies ? tunnelTarget : Optional.empty(),
                        service);
        var isNear = hbone.forwardedNetwork()
                .filter(network -> !network.equals(local.network()))
                .isEmpty();
        return authorize(
                view,
                hbone,
                local,
                route,
                hbone.identity(),
                isNear ? client(view, local, hbone.peer()) : Optional.empty());
    }

    private static Ip loopback(Ip.Family family) {
        return family == Ip.Family.V4 ? new Ip(0, 0x7f00_0001L, family) : new Ip(0, 1, family);
    }

    /// Spoofing the pod's own address would make the connection meet itself.
    private SourceAddress sourceAddress(InboundRequest request, IpPort destination) {
        var keeps = config.sources() == InboundConfig.Sources.KEPT
                && !request.peer().ip().equals(destination.ip());
        return keeps ? SourceAddress.CLIENT : SourceAddress.POD;
    }

    private static Optional<Workload> client(MeshView view, Workload local, IpPort peer) {
        return view.workloadAt(local.network(), peer.ip());
    }

    private boolean isIllegal(int port) {
        return config.ports().illegal().contains(port);
    }

    private static Reject illegal(int port) {
        return new Reject(Reason.ILLEGAL_PORT, "port " + port + " is the proxy's own");
    }

    private static Reject unknownWorkload(IpPort at) {
        return new Reject(Reason.UNKNOWN_WORKLOAD, "the workload at " + at.ip() + " is not known");
    }

    /// Where allowed traffic would go.
    private record Route(
            IpPort hop,
            IpPort destination,
            SourceAddress source,
            Optional<IpPort> proxyTarget,
            Optional<Service> service) {}

    /// The last check: whatever else is wrong is said before policies are asked.
    private static InboundDecision authorize(
            MeshView view,
            InboundRequest request,
            Workload local,
            Route route,
            Optional<Identity> identity,
            Optional<Workload> client) {
        var attempt = new Attempt(identity, request.peer().ip(), route.destination);
        var authorization = Authorizer.decide(view.policies(), local, attempt);
        return authorization.isAllowed()
                ? new Forward(
                        route.hop,
                        route.destination,
                        route.source,
                        route.proxyTarget,
                        authorization,
                        local,
                        route.service,
                        client)
                : new Deny(route.destination, authorization, local, route.service, client);
    }
}
