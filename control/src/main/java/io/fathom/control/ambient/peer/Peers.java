// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.ServiceSharing;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.ambient.network.PeerGateways;
import io.fathom.control.ambient.service.KeptWaypoints;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Locality;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What other clusters share with us. A service that both have counts here only if it is shared here, too. A cluster
/// speaks for its own trust domain and no other: its Gateway here says which one that is.
public final class Peers {
    private final Inputs inputs;
    private final Networks networks;
    private final NetworkGateways networkGateways;
    private final PeerGateways gateways;
    private final NearPeers near;
    private final KeptWaypoints kept;
    private final AmbientConfig config;
    private final ObjectKey home;
    private final Table<PeerServiceKey, PeerService> table;
    private final Index<String, PeerServiceKey, PeerService> byService;

    public Peers(
            Flow flow,
            Inputs inputs,
            PeerSources sources,
            Networks networks,
            NetworkGateways networkGateways,
            PeerGateways gateways,
            NearPeers near,
            KeptWaypoints kept,
            AmbientConfig config) {
        this.inputs = inputs;
        this.networks = networks;
        this.networkGateways = networkGateways;
        this.gateways = gateways;
        this.near = near;
        this.kept = kept;
        this.config = config;
        home = new ObjectKey(config.clusterId(), "", "");
        table = flow.derive("peers/shared", sources.services(), this::service);
        byService = flow.index("peers/by-service", table, PeerService::keys);
    }

    Table<PeerServiceKey, PeerService> table() {
        return table;
    }

    /// Who may answer for a service in other clusters.
    public List<String> identities(Fetch<?> fetch, String service) {
        var found = fetch.all(byService, service);
        if (found.isEmpty()) {
            return List.of();
        }
        var all = new TreeSet<String>();
        found.forEach(peer -> all.addAll(peer.identities()));
        return List.copyOf(all);
    }

    private Optional<PeerService> service(Fetch<PeerServiceKey> fetch, ServiceSummary summary) {
        var cluster = fetch.key().cluster();
        var keys = keys(fetch, summary);
        var leading = fetch.all(gateways.byCluster(), cluster);
        if (keys.isEmpty() || leading.isEmpty()) {
            return Optional.empty();
        }
        var domain = leading.stream()
                .flatMap(gateway -> gateway.trustDomain().stream())
                .findFirst()
                .orElseGet(() -> inputs.mesh(fetch).trustDomain());
        return Optional.of(new PeerService(
                cluster,
                summary,
                keys,
                domain,
                near.has(fetch, cluster)
                        ? List.of()
                        : summary.accounts().stream()
                                .map(account -> identity(domain, account))
                                .toList(),
                ways(fetch, leading),
                leading.stream()
                        .map(PeerGateway::locality)
                        .filter(place -> !place.equals(Locality.NONE))
                        .findFirst()
                        .orElse(Locality.NONE)));
    }

    /// The name in Kubernetes counts where our own cluster has such a service and wants it to mean all clusters; that
    /// of an exported service wherever its namespace is known.
    private Set<String> keys(Fetch<?> fetch, ServiceSummary summary) {
        var twin = new ObjectKey(config.clusterId(), summary.namespace(), summary.name());
        var keys = new HashSet<String>();
        if (config.has(Feature.MCS_HOSTS)
                && summary.export().isPresent()
                && fetch.one(inputs.discovered(), Keys.namespaceOf(twin)).orElse(false)) {
            keys.add(Hosts.clusterSetKeyOf(summary.namespace(), summary.name()));
        }
        if (!inputs.permits(fetch, twin)) {
            return keys;
        }
        var named = Hosts.keyOf(twin, config.domain());
        if (fetch.one(inputs.sharing(), twin)
                        .filter(ServiceSharing::withKubernetesName)
                        .isPresent()
                && !kept.forbids(fetch, named)) {
            keys.add(named);
        }
        if (config.has(Feature.MESH_WIDE_NAMES)) {
            keys.add(Hosts.meshKeyOf(summary.namespace(), summary.name()));
        }
        return keys;
    }

    /// One for each Gateway; several addresses of one are the same way. Those of a network that we share lead nowhere:
    /// there clients dial endpoints, see [NearWorkloads].
    private List<NetworkGateway> ways(Fetch<?> fetch, List<PeerGateway> leading) {
        var result = new ArrayList<NetworkGateway>();
        var ours = networks.of(fetch, home);
        for (var gateway : leading) {
            fetch.one(networkGateways.declared(), gateway.key()).stream()
                    .flatMap(found -> found.stream().limit(1))
                    .filter(way -> !way.network().equals(ours))
                    .forEach(result::add);
        }
        return result;
    }

    private static String identity(String domain, String account) {
        var slash = account.indexOf('/');
        return new Identity(domain, account.substring(0, slash), account.substring(slash + 1)).uri();
    }
}
