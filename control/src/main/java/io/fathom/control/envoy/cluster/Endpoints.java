// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.model.mesh.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The endpoints of a cluster. Pure: equal arguments give equal messages, whatever the order of members.
public final class Endpoints {
    static final String ORIGINAL_DESTINATION = "envoy.filters.listener.original_dst";
    static final String ISTIO = "istio";

    private static final String MANAGED = "gateway.istio.io/managed";
    private static final String TLS_MODE = "security.istio.io/tlsMode";
    private static final int WHOLE = 10_000;

    /// One of the waypoints that an ingress gateway sends through.
    ///
    /// @param weight share among several; any number if there is one
    public record Via(GatewayAddress waypoint, int weight, List<Member> members) {
        public Via {
            members = List.copyOf(members);
        }
    }

    private Endpoints() {}

    /// Which waypoints the set consists of instead of members; empty when it is members. Once there are some, there is
    /// no way around them: when none is ready, the set is empty.
    public static List<WeightedWaypoint> waypoints(EndpointPlan plan, MeshService service) {
        var known = service.service();
        if (plan.role() != ProxyRole.INGRESS
                || known.ingressWaypoint() != Service.IngressWaypoint.USED
                || service.resolution() != Resolution.ENDPOINTS
                || known.addresses().isEmpty()) {
            return List.of();
        }
        if (!known.weightedWaypoints().isEmpty()) {
            return known.weightedWaypoints();
        }
        return known.waypoint().map(only -> new WeightedWaypoint(only, 1)).stream()
                .toList();
    }

    /// What of a vantage matters to the set: proxies for which this is equal share it.
    public static ProxyLocation vantage(EndpointPlan plan, MeshService service, ProxyLocation from) {
        var scopes = new HashSet<Scope>();
        var labels = new HashMap<String, String>();
        if (service.service().loadBalancing().mode() == LoadBalancing.Mode.STRICT) {
            scopes.addAll(service.service().loadBalancing().preference());
        }
        switch (plan.placement()) {
            case Placement.Anywhere() -> {}
            case Placement.Nearest(var wanted) -> scopes.addAll(wanted);
            case Placement.Regional _, Placement.Shares _ -> scopes.add(Scope.REGION);
            case Placement.SameLabels(var wanted) -> {
                for (var label : wanted) {
                    var scope = Nearness.scope(label);
                    scope.ifPresent(scopes::add);
                    var value = from.labels().get(Nearness.key(label));
                    if (scope.isEmpty() && value != null) {
                        labels.put(Nearness.key(label), value);
                    }
                }
            }
        }
        var place = scopes.contains(Scope.REGION) || scopes.contains(Scope.ZONE) || scopes.contains(Scope.SUBZONE);
        return new ProxyLocation(
                from.network(),
                scopes.contains(Scope.CLUSTER) ? from.cluster() : "",
                scopes.contains(Scope.NODE) ? from.node() : "",
                place ? from.locality() : Locality.NONE,
                labels);
    }

    /// The set of a cluster that sends to members on the proxy's own network.
    ///
    /// @param from cut down or not: the same set comes out
    public static ClusterLoadAssignment of(
            EndpointPlan plan, MeshService service, List<Member> members, ProxyLocation from) {
        return of(plan, service, members, Elsewhere.NOTHING, from);
    }

    /// The same with what is on other networks: there, gateways stand for members.
    public static ClusterLoadAssignment of(
            EndpointPlan plan, MeshService service, List<Member> members, Elsewhere elsewhere, ProxyLocation from) {
        var nearness = new Nearness(plan.placement(), from);
        var groups = new EndpointGroups(plan.cluster().toString());
        var others = plan.capture() == Capture.CAPTURED ? Elsewhere.NOTHING : elsewhere; // these need tunnels, too
        var near = sorted(members).stream()
                .filter(member -> isNear(plan, service, member, from))
                .toList();
        var far = FarShares.of(
                capacities(plan, service, others, from),
                others.gateways(),
                near.isEmpty() ? FarShares.Near.NONE : FarShares.Near.SOME);
        for (var member : near) {
            var workload = member.workload();
            var port = TargetPort.of(workload, service, plan.port());
            endpoint(plan, service, member, port)
                    .map(found -> LbEndpoints.scaled(found, far.scale()))
                    .ifPresent(found -> groups.add(found, nearness.priority(member), workload.locality()));
        }
        var target = service.hostname() + ":" + plan.port();
        far.weights()
                .forEach((gateway, weight) ->
                        groups.add(LbEndpoints.remote(gateway, target, weight), nearness.elsewhere(), Locality.NONE));
        return groups.build(plan.placement(), from.locality());
    }

    private static boolean isNear(EndpointPlan plan, MeshService service, Member member, ProxyLocation from) {
        var workload = member.workload();
        return TargetPort.of(workload, service, plan.port()) != 0
                && workload.network().equals(from.network())
                && isWanted(plan, service, member, from);
    }

    /// What the members on each of the other networks can bear.
    private static Map<String, Integer> capacities(
            EndpointPlan plan, MeshService service, Elsewhere elsewhere, ProxyLocation from) {
        var result = new TreeMap<String, Integer>();
        for (var member : elsewhere.members()) {
            var workload = member.workload();
            if (!workload.network().equals(from.network())
                    && TargetPort.of(workload, service, plan.port()) != 0
                    && isWanted(plan, service, member, from)) {
                result.merge(workload.network(), Math.max(1, workload.capacity()), Integer::sum);
            }
        }
        return result;
    }

    /// The set of a cluster that sends through waypoints; see [#waypoints]. A node proxy finds the way to them by the
    /// address of the service.
    public static ClusterLoadAssignment through(
            EndpointPlan plan, MeshService service, List<Via> waypoints, ProxyLocation from) {
        var groups = new EndpointGroups(plan.cluster().toString());
        var address = address(service.service(), from.network());
        if (address.isPresent() && plan.capture() == Capture.CAPTURED) {
            groups.add(LbEndpoints.plain(address.get().toString(), plan.port()), 0, Locality.NONE);
        } else if (address.isPresent()) {
            var asked = new IpPort(address.get(), plan.port());
            var several = waypoints.size() > 1;
            for (var via : waypoints) {
                var ready = sorted(via.members()).stream()
                        .filter(member -> isHealthy(member.workload())
                                && !member.workload().addresses().isEmpty())
                        .toList();
                if (several && via.weight() == 0) {
                    continue;
                }
                for (var member : ready) {
                    var at = new IpPort(
                            member.workload().addresses().getFirst(),
                            via.waypoint().hbonePort());
                    var endpoint = LbEndpoints.waypoint(member.workload(), at, asked).toBuilder();
                    if (several) {
                        endpoint.setLoadBalancingWeight(
                                Protos.number(Math.max(1, via.weight() * WHOLE / ready.size())));
                    }
                    groups.add(endpoint.build(), 0, member.workload().locality());
                }
            }
        }
        return groups.build(new Placement.Anywhere(), Locality.NONE);
    }

    private static List<Member> sorted(List<Member> members) {
        var sorted = new ArrayList<>(members);
        sorted.sort(Comparator.comparing(member -> member.workload().uid()));
        return sorted;
    }

    private static boolean isWanted(EndpointPlan plan, MeshService service, Member member, ProxyLocation from) {
        var balancing = service.service().loadBalancing();
        return member.labels().entrySet().containsAll(plan.labels().entrySet())
                && (isHealthy(member.workload()) || balancing.healthPolicy() == LoadBalancing.HealthPolicy.ALLOW_ALL)
                && (balancing.mode() != LoadBalancing.Mode.STRICT
                        || Nearness.sharesAll(balancing.preference(), member.workload(), from));
    }

    private static boolean isHealthy(Workload workload) {
        return workload.health() == Workload.Health.HEALTHY;
    }

    private static Optional<io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint> endpoint(
            EndpointPlan plan, MeshService service, Member member, int port) {
        var addresses = member.workload().addresses().stream()
                .filter(ip -> permits(service.service().ipFamilies(), ip.family()))
                .map(ip -> new IpPort(ip, port))
                .toList();
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        if (plan.handsTunnelsOn()) {
            return takesTunnels(member)
                    ? Optional.of(LbEndpoints.forwarded(member.workload(), addresses.getFirst()))
                    : Optional.empty();
        }
        return Optional.of(
                isTunnelled(plan, member)
                        ? LbEndpoints.tunnelled(member.workload(), addresses.getFirst())
                        : LbEndpoints.plain(member.workload(), addresses));
    }

    /// What is handed on is a tunnel: nobody else could read it.
    private static boolean takesTunnels(Member member) {
        return member.workload().tunnelProtocol() == Workload.TunnelProtocol.HBONE
                || member.labels().getOrDefault(MANAGED, "").equals("istio.io-mesh-controller");
    }

    /// Gateways speak to a sidecar without a tunnel, and to everybody if their node proxy makes tunnels.
    private static boolean isTunnelled(EndpointPlan plan, Member member) {
        return member.workload().tunnelProtocol() == Workload.TunnelProtocol.HBONE
                && !(plan.role() == ProxyRole.INGRESS
                        && (plan.capture() == Capture.CAPTURED
                                || member.labels().getOrDefault(TLS_MODE, "").equals("istio")));
    }

    private static boolean permits(Service.IpFamilies families, Ip.Family family) {
        return switch (families) {
            case AUTOMATIC, DUAL -> true;
            case IPV4_ONLY -> family == Ip.Family.V4;
            case IPV6_ONLY -> family == Ip.Family.V6;
        };
    }

    private static Optional<Ip> address(Service service, String network) {
        return service.addresses().stream()
                .filter(address -> address.network().equals(network))
                .map(NetworkAddress::block)
                .filter(block -> block.isSingleAddress())
                .map(block -> block.address())
                .findFirst();
    }
}
