// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.routing.Gateways.Lookup;
import io.fathom.model.routing.OutboundDecision.AwaitName;
import io.fathom.model.routing.OutboundDecision.Destination;
import io.fathom.model.routing.OutboundDecision.NestedTunnel;
import io.fathom.model.routing.OutboundDecision.Passthrough;
import io.fathom.model.routing.OutboundDecision.Plain;
import io.fathom.model.routing.OutboundDecision.Refuse;
import io.fathom.model.routing.OutboundDecision.Tunnel;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Decides where a captured outbound connection goes, on one view. Pure but for the randomness it is handed; safe on
/// any thread.
///
/// What can be reached only through a waypoint or gateway is never reached around it: if that is missing, the
/// connection is refused. Waypoints of waypoints are not followed.
public final class OutboundRouter {
    private final String network;
    private final ProxyPorts ports;
    private final Balancer balancer;
    private final Gateways gateways;

    /// Decides for the pods of one node.
    ///
    /// @param network the network that this proxy is on
    public OutboundRouter(String network, ProxyPorts ports, Balancer balancer) {
        this.network = network;
        this.ports = ports;
        this.balancer = balancer;
        this.gateways = new Gateways(balancer);
    }

    public OutboundDecision decide(MeshView view, OutboundRequest request, RandomGenerator random) {
        var target = request.target();
        if (target.ip().isLoopback() && ports.illegal().contains(target.port())) {
            return refuse(Refusal.RECURSIVE_CALL);
        }
        return new Case(view, request, random).decide();
    }

    /// Decides on an address of the service with that name, if there is one on the client's network; any other name is
    /// left to be resolved first.
    public OutboundDecision decide(MeshView view, HostRequest request, RandomGenerator random) {
        var source = request.source();
        var family = request.sourceIp().family();
        var literal = Ip.parse(request.hostname());
        var addresses = literal.isPresent()
                ? literal.stream()
                : view.serviceNamed(request.hostname(), source.namespace()).stream()
                        .flatMap(service -> service.addresses().stream())
                        .filter(address -> address.network().equals(source.network())
                                && address.block().isSingleAddress())
                        .map(address -> address.block().address());
        Function<Ip, OutboundDecision> rest = ip ->
                decide(view, new OutboundRequest(source, request.sourceIp(), new IpPort(ip, request.port())), random);
        return addresses
                .min(Comparator.comparing(ip -> ip.family() != family)) // the client's family first
                .map(rest)
                .orElseGet(() -> new AwaitName(request.hostname(), family, rest));
    }

    private static Refuse refuse(Refusal reason) {
        return new Refuse(reason, Destination.UNKNOWN);
    }

    private static Refuse refuse(Refusal reason, Service service) {
        return new Refuse(reason, new Destination(Optional.empty(), Optional.of(service)));
    }

    private static Set<String> with(Set<String> some, String other) {
        var all = new HashSet<>(some);
        all.add(other);
        return all;
    }

    private static Refuse missing(Refusal reason, Optional<Service> called, GatewayAddress gateway) {
        return new Refuse(reason, new Destination(Optional.empty(), called), Optional.of(gateway));
    }

    /// One connection on its way to a decision.
    private final class Case {
        private final MeshView view;
        private final OutboundRequest request;
        private final RandomGenerator random;
        private final IpPort target;

        Case(MeshView view, OutboundRequest request, RandomGenerator random) {
            this.view = view;
            this.request = request;
            this.random = random;
            this.target = request.target();
        }

        OutboundDecision decide() {
            if (view.workloadIndex().at(network, target.ip()) == null) {
                var called =
                        view.serviceAt(network, target.ip(), request.source().namespace());
                var waypoint = called.flatMap(service -> Gateways.waypoint(service, random));
                if (called.isPresent() && waypoint.isPresent()) {
                    return throughServiceWaypoint(called.get(), waypoint.get());
                }
            }
            var clientNetwork = request.source().network();
            var backends = view.at(
                    clientNetwork, target.ip(), Optional.of(request.source().namespace()));
            if (backends != null && backends.service != null) {
                return toService(backends, backends.service);
            }
            var member = view.workloadIndex().at(clientNetwork, target.ip());
            return member == null
                    ? new Passthrough(target, Destination.UNKNOWN)
                    : toWorkload(new Upstream(member, target.port(), null));
        }

        private OutboundDecision throughServiceWaypoint(Service called, GatewayAddress address) {
            return switch (gateways.find(view, address, request.source(), request.tried(), random)) {
                case Lookup.Unknown _ -> missing(Refusal.WAYPOINT_UNKNOWN, Optional.of(called), address);
                case Lookup.Exhausted _ -> refuse(Refusal.WAYPOINT_WITHOUT_ENDPOINT, called);
                case Lookup.Found(var waypoint) ->
                    isElsewhere(waypoint)
                            ? throughNetworkGateway(waypoint, called)
                            : throughWaypoint(waypoint, Optional.of(called));
            };
        }

        /// The waypoint learns from the authority where the client wanted to go.
        private OutboundDecision throughWaypoint(Upstream waypoint, Optional<Service> called) {
            var destination = new Destination(Optional.of(waypoint.member().workload()), called);
            return waypoint.dial(
                    target.ip(),
                    new Refuse(Refusal.NO_ADDRESS, destination),
                    hop -> new Tunnel(hop, target.toString(), waypoint.peers(), destination));
        }

        private OutboundDecision toService(Backends backends, Service service) {
            if (service.loadBalancing().mode() == LoadBalancing.Mode.PASSTHROUGH) {
                return new Passthrough(target, new Destination(Optional.empty(), Optional.of(service)));
            }
            var eligible = backends.eligible(request.source(), target.port(), Eligible.Purpose.TRAFFIC);
            var tried = request.tried();
            @Nullable OutboundDecision inVain = null;
            while (true) {
                var left = tried;
                var draw = eligible.map(set -> balancer.draw(set, left, random));
                if (draw.isEmpty()) {
                    return inVain != null ? inVain : refuse(nobody(service), service);
                }
                var member = draw.get().member();
                var upstream = new Upstream(member, draw.get().port(), backends);
                if (!isElsewhere(upstream)) {
                    return toEndpoint(upstream);
                }
                var decision = throughNetworkGateway(upstream, service);
                if (!leadsNowhere(decision)) {
                    return decision;
                }
                // Another gateway, or another network, may still do.
                inVain = inVain == null ? decision : inVain;
                tried = with(tried, member.uid);
            }
        }

        private Refusal nobody(Service service) {
            var listed = service.ports().stream().anyMatch(port -> port.servicePort() == target.port());
            return listed ? Refusal.NO_HEALTHY_ENDPOINT : Refusal.NO_SUCH_PORT;
        }

        private static boolean leadsNowhere(OutboundDecision decision) {
            return decision instanceof Refuse refused
                    && (refused.reason() == Refusal.NETWORK_GATEWAY_WITHOUT_ENDPOINT
                            || refused.reason() == Refusal.NO_NETWORK_GATEWAY);
        }

        private OutboundDecision toWorkload(Upstream upstream) {
            var address = upstream.member().role.gateways().waypoint();
            if (address.isEmpty() || comesFrom(address.get())) {
                return toEndpoint(upstream);
            }
            return switch (gateways.find(view, address.get(), request.source(), request.tried(), random)) {
                case Lookup.Unknown _ -> missing(Refusal.WAYPOINT_UNKNOWN, Optional.empty(), address.get());
                case Lookup.Exhausted _ -> refuse(Refusal.WAYPOINT_WITHOUT_ENDPOINT);
                case Lookup.Found(var waypoint) ->
                    isElsewhere(waypoint)
                            ? refuse(Refusal.WAYPOINT_ON_OTHER_NETWORK)
                            : throughWaypoint(waypoint, Optional.empty());
            };
        }

        /// Whether the client is a pod of the waypoint, any of its replicas: the traffic has been through it already.
        private boolean comesFrom(GatewayAddress waypoint) {
            return request.source().addresses().contains(request.sourceIp())
                    && Gateways.isBehind(view, waypoint, request.source());
        }

        private OutboundDecision toEndpoint(Upstream upstream) {
            var member = upstream.member();
            var destination = new Destination(Optional.of(member.workload()), upstream.service());
            return upstream.dial(
                    target.ip(),
                    new Refuse(Refusal.NO_ADDRESS, destination),
                    endpoint -> member.role.tunnels()
                            ? new Tunnel(
                                    new IpPort(endpoint.ip(), ProxyPorts.HBONE),
                                    endpoint.toString(),
                                    upstream.peers(),
                                    destination)
                            : new Plain(endpoint, destination));
        }

        private boolean isElsewhere(Upstream upstream) {
            return !upstream.member().network().equals(request.source().network());
        }

        /// The gateway and what is behind it know the service by its hostname only: addresses mean nothing there.
        private OutboundDecision throughNetworkGateway(Upstream upstream, Service called) {
            var address = upstream.member().role.gateways().network();
            if (address.isEmpty()) {
                return refuse(Refusal.NO_NETWORK_GATEWAY, called);
            }
            return switch (gateways.find(view, address.get(), request.source(), request.tried(), random)) {
                case Lookup.Unknown _ -> missing(Refusal.NETWORK_GATEWAY_UNKNOWN, Optional.of(called), address.get());
                case Lookup.Exhausted _ -> refuse(Refusal.NETWORK_GATEWAY_WITHOUT_ENDPOINT, called);
                case Lookup.Found(var gateway)
                when request.tried().contains(gateway.member().uid) ->
                    refuse(Refusal.NETWORK_GATEWAY_WITHOUT_ENDPOINT, called);
                case Lookup.Found(var gateway) -> {
                    var authority = called.hostname() + ":" + target.port();
                    var destination =
                            new Destination(Optional.of(gateway.member().workload()), Optional.of(called));
                    yield gateway.dial(
                            target.ip(),
                            new Refuse(Refusal.NO_ADDRESS, destination),
                            hop -> new NestedTunnel(
                                    new Tunnel(hop, authority, gateway.peers(), destination),
                                    authority,
                                    upstream.servicePeers()));
                }
            };
        }
    }
}
