// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.peer.MeshName;
import io.fathom.control.ambient.peer.MeshWideServices;
import io.fathom.control.ambient.peer.PeerServiceKey;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The services that clusters export together, and their names here. A service is there as long as any cluster exports
/// it, in each cluster that has its namespace.
public final class ClusterSet {
    private final Table<String, ClusterSetService> services;
    private final Table<ObjectKey, ClusterSetService> here;
    private final Table<String, MeshName> names;

    /// @param own what our cluster exports
    /// @param others what clusters export whose objects we read
    /// @param peers what clusters export that tell us
    public ClusterSet(
            Flow flow,
            Inputs inputs,
            Table<ObjectKey, ExportedService> own,
            Table<ObjectKey, ExportedService> others,
            PeerSources peers,
            AmbientConfig config) {
        var claims = flow.join(
                "cluster-set/claims",
                List.of(
                        claims(flow, "cluster-set/own", own),
                        claims(flow, "cluster-set/of-other-clusters", others),
                        flow.derive(
                                "cluster-set/of-peers",
                                peers.services(),
                                (fetch, summary) -> summary.export()
                                        .map(export -> new ExportClaim(
                                                fetch.key().cluster(), summary.namespace(), summary.name(), export)))));
        services = flow.reduce(
                "cluster-set/services",
                flow.index("cluster-set/by-service", claims, claim -> Set.of(claim.path())),
                (_, _, found) -> Optional.of(ExportMerge.merge(found)));
        here = flow.rekey(
                "cluster-set/by-key",
                flow.derive(
                        "cluster-set/here",
                        services,
                        (fetch, service) -> Optional.of(service)
                                .filter(one -> fetch.one(inputs.discovered(), Keys.namespaceOf(key(one, config)))
                                        .orElse(false))),
                (_, service) -> key(service, config));
        names = config.has(Feature.MCS_HOSTS)
                ? flow.rekey(
                        "cluster-set/names",
                        flow.derive(
                                "cluster-set/names-by-key",
                                here,
                                (fetch, service) -> Optional.of(name(fetch.key(), service.service()))),
                        (_, name) -> name.host())
                : flow.source("cluster-set/names");
    }

    private static Table<PeerServiceKey, ExportClaim> claims(
            Flow flow, String name, Table<ObjectKey, ExportedService> exports) {
        return flow.rekey(
                name,
                flow.derive(
                        name + "-claims",
                        exports,
                        (fetch, service) -> Optional.of(new ExportClaim(
                                fetch.key().cluster(),
                                fetch.key().namespace(),
                                fetch.key().name(),
                                service))),
                (_, claim) -> new PeerServiceKey(claim.cluster(), claim.path()));
    }

    private static ObjectKey key(ClusterSetService service, AmbientConfig config) {
        return new ObjectKey(config.clusterId(), service.namespace(), service.name());
    }

    private static MeshName name(ObjectKey key, ExportedService service) {
        return new MeshName(
                Hosts.clusterSetNameOf(key.namespace(), key.name()),
                key,
                service.kind() == ExportedService.ExportType.HEADLESS
                        ? MeshName.NameForm.HEADLESS_CLUSTER_SET
                        : MeshName.NameForm.CLUSTER_SET,
                service.ports().stream().map(ClusterSet::port).toList(),
                service.distribution());
    }

    private static EntryPort port(ExportedPort port) {
        return MeshWideServices.entryPort(new ServicePort(
                port.name(),
                port.number(),
                Transport.valueOf(port.protocol()),
                new Target.ByNumber(port.number()),
                port.appProtocol()));
    }

    /// By host.
    public Table<String, MeshName> names() {
        return names;
    }

    /// By `namespace/name`, wherever the namespace is.
    Table<String, ClusterSetService> services() {
        return services;
    }

    /// Those whose namespace is here and counts, by the key that a Service of ours has or would have.
    Table<ObjectKey, ClusterSetService> here() {
        return here;
    }
}
