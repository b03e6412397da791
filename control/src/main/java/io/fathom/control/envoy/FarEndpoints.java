// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.envoy.cluster.Elsewhere;
import io.fathom.control.envoy.cluster.EndpointPlan;
import io.fathom.control.envoy.cluster.FixedClusters;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.waypoint.OtherNetworks;
import io.fathom.control.envoy.waypoint.TunnelSource;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.Reachability;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What proxies can reach on other networks: members of services that belong to all clusters, each through the gateways
/// of its network. Which proxies do so is a setting; those at the edge of a network never do, or traffic would come
/// back.
final class FarEndpoints {
    private final MeshFlow mesh;
    private final Index<String, String, Workload> byService;
    private final Table<ProblemKey, ObjectProblem> problems;

    FarEndpoints(MeshFlow mesh, MeshServices services) {
        this.mesh = mesh;
        byService = mesh.flow()
                .index(
                        "envoy/far-members",
                        mesh.farWorkloads(),
                        workload -> workload.services().keySet());
        problems = mesh.flow().deriveMany("envoy/unreachable-members", services.table(), this::unreachable);
    }

    /// Members that nobody can reach, by their service.
    Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    /// The listeners that proxies of such a group need for it.
    List<Listener> listeners(Fetch<?> fetch, Group group) {
        var role = group.proxies().role();
        if (!isReachedBy(fetch, role)) {
            return List.of();
        }
        return switch (role) {
            case WAYPOINT -> listeners(group, TunnelSource.WAYPOINT);
            case INGRESS -> listeners(group, TunnelSource.GATEWAY);
            case EAST_WEST -> List.of();
        };
    }

    private static List<Listener> listeners(Group group, TunnelSource source) {
        return OtherNetworks.listeners(source, group.proxies().network());
    }

    /// Likewise the clusters.
    List<Cluster> clusters(Fetch<?> fetch, Group group) {
        return isReachedBy(fetch, group.proxies().role())
                ? new FixedClusters(group.proxySettings()).toOtherNetworks()
                : List.of();
    }

    /// What there is for an endpoint set, seen from a network.
    ///
    /// @param families of addresses that the proxies can dial
    Elsewhere of(Fetch<?> fetch, EndpointPlan plan, String network, Set<Ip.Family> families) {
        if (!isReachedBy(fetch, plan.role()) || !isGlobal(fetch, plan.service())) {
            return Elsewhere.NOTHING;
        }
        var found = fetch.all(byService, plan.service()).stream()
                .filter(workload -> !workload.network().equals(network))
                .toList();
        var members = found.stream()
                .map(workload -> new Member(workload, plan.labels().isEmpty() ? Map.of() : labels(fetch, workload)))
                .toList();
        var gateways = new TreeMap<String, Map<IpPort, Reachability>>();
        for (var workload : found) {
            gateways.computeIfAbsent(workload.network(), far -> {
                var ways = ways(fetch, far);
                ways.keySet().removeIf(way -> !families.contains(way.ip().family()));
                return ways;
            });
        }
        return new Elsewhere(members, gateways);
    }

    /// Whether such proxies may be sent to other networks for a service.
    boolean mayReach(Fetch<?> fetch, ProxyRole role, String service) {
        return isReachedBy(fetch, role) && isGlobal(fetch, service);
    }

    /// Whether there are other networks at all.
    boolean areKnown(Fetch<?> fetch) {
        return mesh.hasSeveralNetworks(fetch);
    }

    private boolean isReachedBy(Fetch<?> fetch, ProxyRole role) {
        var isWanted = switch (role) {
            case WAYPOINT -> mesh.config().has(Feature.MULTI_NETWORK_WAYPOINT);
            case INGRESS -> mesh.config().has(Feature.MULTI_NETWORK_INGRESS);
            case EAST_WEST -> false;
        };
        return isWanted && areKnown(fetch);
    }

    private boolean isGlobal(Fetch<?> fetch, String service) {
        return fetch.one(mesh.globalServices(), service).isPresent();
    }

    private Map<String, String> labels(Fetch<?> fetch, Workload workload) {
        return fetch.one(mesh.workloadLabels(), workload.uid()).orElse(Map.of());
    }

    /// Addresses that are known, each as good as the best that is thought of it.
    private Map<IpPort, Reachability> ways(Fetch<?> fetch, String network) {
        var found = new TreeMap<IpPort, Reachability>(IpPort.ORDER);
        for (var gateway : fetch.one(mesh.networkGateways(), network).orElse(List.of())) {
            mesh.ways(fetch, gateway)
                    .forEach((way, verdict) ->
                            found.merge(way, verdict, (one, other) -> one.compareTo(other) <= 0 ? one : other));
        }
        return found;
    }

    private Map<ProblemKey, ObjectProblem> unreachable(Fetch<String> fetch, MeshService service) {
        var key = service.service().key();
        if (service.origin() == MeshService.Origin.SERVICE
                && !key.equals(mesh.serviceKey(service.metadata().key()))) {
            return Map.of(); // by another name it is said already
        }
        var networks = new TreeSet<String>();
        for (var workload : fetch.all(byService, key)) {
            if (ways(fetch, workload.network()).isEmpty()) {
                networks.add(workload.network());
            }
        }
        if (networks.isEmpty() || !isGlobal(fetch, key)) {
            return Map.of();
        }
        return ObjectProblem.rows(List.of(ObjectProblem.error(
                service.id(),
                "",
                Problem.ofInput(
                        "network-without-gateway",
                        "endpoints of " + service.hostname() + " on network " + String.join(", ", networks)
                                + " are left out: no address of a gateway of that network is known",
                        "create a Gateway of class istio-remote with label topology.istio.io/network, an HBONE"
                                + " listener and an IP address"))));
    }
}
