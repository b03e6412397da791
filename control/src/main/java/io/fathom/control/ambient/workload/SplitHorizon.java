// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.service.KeptWaypoints;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Endpoints of a global service on another network, folded into one workload per gateway of that network: without an
/// address, reached through the gateway, with the capacity of what it stands for. Endpoints that are not ready count
/// for nothing; where none is, the workload is unhealthy, so that clients go elsewhere.
public final class SplitHorizon {
    /// What one folded workload stands for.
    private record Remote(String network, String service) implements Comparable<Remote> {
        @Override
        public int compareTo(Remote other) {
            var byNetwork = network.compareTo(other.network);
            return byNetwork != 0 ? byNetwork : service.compareTo(other.service);
        }

        String serviceNamespace() {
            return service.substring(0, service.indexOf('/'));
        }
    }

    private final Table<String, FoldedWorkload> workloads;

    /// @param globalServices ports of the services that belong to all clusters, by resource name
    public SplitHorizon(
            Flow flow,
            Table<String, Workload> remoteEndpoints,
            Table<String, List<Port>> globalServices,
            NetworkGateways gateways,
            KeptWaypoints kept,
            AmbientConfig config) {
        var grouped = flow.index("split-horizon/groups", remoteEndpoints, SplitHorizon::remotes);
        var folded = flow.reduce(
                "split-horizon/folded",
                grouped,
                (fetch, remote, members) -> Optional.of(remote)
                        .filter(own -> !kept.forbids(fetch, own.service()))
                        .map(own -> fold(fetch, own, members, globalServices, gateways, config))
                        .filter(found -> !found.isEmpty()));
        workloads = flow.deriveMany("split-horizon/addresses", folded, (fetch, found) -> {
            var result = new LinkedHashMap<String, FoldedWorkload>();
            found.forEach(one -> result.put(one.workload().uid(), one));
            return result;
        });
    }

    /// By uid.
    public Table<String, FoldedWorkload> workloads() {
        return workloads;
    }

    private static Set<Remote> remotes(Workload workload) {
        var result = new HashSet<Remote>();
        workload.services().keySet().forEach(service -> result.add(new Remote(workload.network(), service)));
        return result;
    }

    private static List<FoldedWorkload> fold(
            Fetch<Remote> fetch,
            Remote remote,
            List<Workload> members,
            Table<String, List<Port>> globalServices,
            NetworkGateways gateways,
            AmbientConfig config) {
        var ports = fetch.one(globalServices, remote.service());
        if (ports.isEmpty()) {
            return List.of();
        }
        var ways =
                onePerGateway(fetch.one(gateways.byNetwork(), remote.network()).orElse(List.of()));
        var ready = members.stream()
                .filter(member -> member.health() == Workload.Health.HEALTHY)
                .toList();
        var health = ready.isEmpty() ? Workload.Health.UNHEALTHY : Workload.Health.HEALTHY;
        var capacity = (ready.isEmpty() ? members : ready)
                .stream().mapToInt(member -> Math.max(1, member.capacity())).sum();
        var result = new ArrayList<FoldedWorkload>(ways.size());
        for (int i = 0; i < ways.size(); i++) {
            // The shares add up to the whole; a gateway more than there are endpoints still counts as one.
            var share = capacity / ways.size() + (i < capacity % ways.size() ? 1 : 0);
            result.add(new FoldedWorkload(
                    workload(remote, ways.get(i), ports.get(), Math.max(1, share), health, config), ways.get(i)));
        }
        return List.copyOf(result);
    }

    /// Several addresses of one Gateway are the same way, and so is one address that two clusters name.
    private static List<NetworkGateway> onePerGateway(List<NetworkGateway> gateways) {
        var result = new LinkedHashMap<ObjectKey, NetworkGateway>();
        var seen = new HashSet<GatewayAddress>();
        for (var gateway : gateways) {
            if (!result.containsKey(gateway.gateway()) && seen.add(gateway.dialled())) {
                result.put(gateway.gateway(), gateway);
            }
        }
        return List.copyOf(result.values());
    }

    private static Workload workload(
            Remote remote,
            NetworkGateway way,
            List<Port> ports,
            int capacity,
            Workload.Health health,
            AmbientConfig config) {
        var uid = remote.network() + "/SplitHorizonWorkload/" + way.gateway().path() + "/" + way.text() + "/"
                + remote.service();
        var draft = new WorkloadDraft(uid, uid, remote.serviceNamespace());
        draft.behind(
                remote.network(),
                way.dialled(),
                way.gateway().cluster().isEmpty()
                        ? config.clusterId()
                        : way.gateway().cluster(),
                Map.of(remote.service(), ports),
                capacity,
                health);
        return draft.finish();
    }
}
