// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// With [Feature#MULTI_NETWORK], workloads on other networks: not served one by one, since their addresses mean nothing
/// here. Without it there are none, and nothing is looked up.
public final class RemoteEndpoints {
    private final AmbientConfig config;
    private final Networks networks;
    private final ObjectKey home;
    private Optional<Table<String, Workload>> remote = Optional.empty();
    private Optional<Table<String, List<String>>> identities = Optional.empty();

    /// @param workloads those whose network may be another than that of their cluster
    public RemoteEndpoints(
            Flow flow, Inputs inputs, Networks networks, Table<String, Workload> workloads, AmbientConfig config) {
        this.config = config;
        this.networks = networks;
        home = new ObjectKey(config.clusterId(), "", "");
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
