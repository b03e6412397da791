// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// With [Feature#MULTI_NETWORK], workloads on other networks: not served one by one, since their addresses mean nothing
/// here. Without it there are none, and nothing is looked up.
public final class RemoteEndpoints {
    private final AmbientConfig config;
    private final Networks networks;
    private final ObjectKey home;
    private Optional<Table<String, Workload>> remote = Optional.empty();
    private Optional<Table<String, List<String>>> identities = Optional.empty();
    private final Optional<Index<String, ObjectKey, Service>> elsewhere;

    /// @param workloads those that may be on another network than ours
    /// @param elsewhere services of other clusters by resource name
    public RemoteEndpoints(
            Flow flow,
            Inputs inputs,
            Networks networks,
            Table<String, Workload> workloads,
            Optional<Index<String, ObjectKey, Service>> elsewhere,
            AmbientConfig config) {
        this(networks, elsewhere, config);
        if (config.has(Feature.MULTI_NETWORK)) {
            var table = flow.derive(
                    "remote-endpoints",
                    workloads,
                    (fetch, workload) -> Optional.of(workload).filter(own -> isRemote(fetch, own)));
            remote = Optional.of(table);
            var byService = flow.index(
                    "remote-endpoints/by-service", table, own -> own.services().keySet());
            identities =
                    Optional.of(flow.reduce("remote-endpoints/identities", byService, (fetch, service, members) -> {
                        var trustDomain = inputs.mesh(fetch).trustDomain();
                        return Optional.of(identities(members, trustDomain));
                    }));
        }
    }

    /// For services as one cluster alone has them.
    public static RemoteEndpoints none(Networks networks, AmbientConfig config) {
        return new RemoteEndpoints(networks, Optional.empty(), config);
    }

    private RemoteEndpoints(
            Networks networks, Optional<Index<String, ObjectKey, Service>> elsewhere, AmbientConfig config) {
        this.config = config;
        this.networks = networks;
        this.elsewhere = elsewhere;
        home = new ObjectKey(config.clusterId(), "", "");
    }

    /// Present with the feature only.
    public Optional<Table<String, Workload>> table() {
        return remote;
    }

    /// The workloads that are served as they are.
    public Table<String, Workload> localOf(Flow flow, Table<String, Workload> workloads) {
        return config.has(Feature.MULTI_NETWORK)
                ? flow.derive(
                        "local-endpoints",
                        workloads,
                        (fetch, workload) -> Optional.of(workload).filter(own -> !isRemote(fetch, own)))
                : workloads;
    }

    /// Who may answer for a service on other networks, sorted; also where no gateway leads there yet.
    public List<String> identities(Fetch<?> fetch, String service) {
        return identities.flatMap(table -> fetch.one(table, service)).orElse(List.of());
    }

    /// The addresses of a service in all clusters, by network and text; its own where no other cluster has it.
    public List<NetworkAddress> merged(Fetch<?> fetch, String service, List<NetworkAddress> own) {
        var found = elsewhere.map(index -> fetch.all(index, service)).orElse(List.of());
        if (found.isEmpty()) {
            return own;
        }
        var all = new TreeMap<String, NetworkAddress>();
        own.forEach(address -> all.put(address.alias(), address));
        found.forEach(there -> there.addresses().forEach(address -> all.put(address.alias(), address)));
        return List.copyOf(all.values());
    }

    private boolean isRemote(Fetch<?> fetch, Workload workload) {
        return !workload.network().equals(networks.of(fetch, home));
    }

    private static List<String> identities(List<Workload> members, String trustDomain) {
        var result = new TreeSet<String>();
        for (var member : members) {
            if (!member.serviceAccount().isEmpty()) {
                result.add(new Identity(trustDomain, member.namespace(), member.serviceAccount()).uri());
            }
        }
        return List.copyOf(result);
    }
}
