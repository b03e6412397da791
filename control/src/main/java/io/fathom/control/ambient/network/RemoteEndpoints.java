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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/// Workloads on other networks: not served one by one, since their addresses mean nothing here. Those that our own
/// objects put there count only with [Feature#MULTI_NETWORK]; without it they are served as they are written.
public final class RemoteEndpoints {
    private final AmbientConfig config;
    private final Networks networks;
    private final ObjectKey home;
    private final Optional<Table<String, Workload>> remote;
    private final Optional<Table<String, List<String>>> identities;
    private final Optional<Index<String, ObjectKey, Service>> elsewhere;
    private final BiFunction<Fetch<?>, String, List<String>> ofPeers;

    /// @param own workloads that objects of our cluster may put on another network
    /// @param others workloads of other clusters
    /// @param elsewhere services of other clusters by resource name
    /// @param ofPeers who else may answer for a service, as other clusters say
    public RemoteEndpoints(
            Flow flow,
            Inputs inputs,
            Networks networks,
            Table<String, Workload> own,
            Table<String, Workload> others,
            Index<String, ObjectKey, Service> elsewhere,
            BiFunction<Fetch<?>, String, List<String>> ofPeers,
            AmbientConfig config) {
        this.config = config;
        this.ofPeers = ofPeers;
        this.networks = networks;
        this.elsewhere = Optional.of(elsewhere);
        home = new ObjectKey(config.clusterId(), "", "");
        var far = new ArrayList<>(List.of(flow.derive(
                "remote-endpoints/of-others",
                others,
                (fetch, workload) -> Optional.of(workload).filter(found -> isRemote(fetch, found)))));
        if (config.has(Feature.MULTI_NETWORK)) {
            far.add(flow.derive(
                    "remote-endpoints/own",
                    own,
                    (fetch, workload) -> Optional.of(workload).filter(found -> isRemote(fetch, found))));
        }
        var table = flow.join("remote-endpoints", far);
        remote = Optional.of(table);
        var byService = flow.index(
                "remote-endpoints/by-service", table, found -> found.services().keySet());
        identities = Optional.of(flow.reduce("remote-endpoints/identities", byService, (fetch, service, members) -> {
            var trustDomain = inputs.mesh(fetch).trustDomain();
            return Optional.of(identities(members, trustDomain));
        }));
    }

    /// For services as one cluster alone has them.
    public static RemoteEndpoints none(Networks networks, AmbientConfig config) {
        return new RemoteEndpoints(networks, config);
    }

    private RemoteEndpoints(Networks networks, AmbientConfig config) {
        this.config = config;
        ofPeers = (_, _) -> List.of();
        this.networks = networks;
        home = new ObjectKey(config.clusterId(), "", "");
        remote = Optional.empty();
        identities = Optional.empty();
        elsewhere = Optional.empty();
    }

    /// All of them.
    public Table<String, Workload> table() {
        return remote.orElseThrow();
    }

    /// The workloads of other clusters that share our network, which are served one by one.
    ///
    /// @param forbids whether those of a service must not be used
    public Table<String, Workload> nearOf(
            Flow flow, Table<String, Workload> others, BiPredicate<Fetch<?>, String> forbids) {
        return flow.derive(
                "local-endpoints/of-others",
                others,
                (fetch, workload) -> Optional.of(workload)
                        .filter(own -> !isRemote(fetch, own))
                        .map(own -> own.outside(own.services().keySet().stream()
                                .filter(service -> forbids.test(fetch, service))
                                .collect(Collectors.toSet()))));
    }

    /// Our own workloads that are served as they are written.
    public Table<String, Workload> servedOf(Flow flow, Table<String, Workload> own) {
        return config.has(Feature.MULTI_NETWORK) ? near(flow, "local-endpoints", own) : own;
    }

    private Table<String, Workload> near(Flow flow, String name, Table<String, Workload> workloads) {
        return flow.derive(
                name, workloads, (fetch, workload) -> Optional.of(workload).filter(own -> !isRemote(fetch, own)));
    }

    /// Who may answer for a service on other networks, sorted; also where no gateway leads there yet.
    public List<String> identities(Fetch<?> fetch, String service) {
        var own = identities.flatMap(table -> fetch.one(table, service)).orElse(List.of());
        var more = ofPeers.apply(fetch, service);
        if (own.isEmpty() || more.isEmpty()) {
            return own.isEmpty() ? more : own;
        }
        var all = new TreeSet<>(own);
        all.addAll(more);
        return List.copyOf(all);
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
