package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.xds.XdsType;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Clusters and endpoints of what proxy groups use. An endpoint set is computed and encoded once for all groups that
/// look at it the same way.
final class Backends {
    /// @param cluster its name
    /// @param role of the proxies that look
    private record SetKey(String cluster, ProxyRole role) implements Comparable<SetKey> {
        private static final Comparator<SetKey> ORDER =
                Comparator.comparing(SetKey::cluster).thenComparing(SetKey::role);

        @Override
        public int compareTo(SetKey other) {
            return ORDER.compare(this, other);
        }
    }

    private final MeshServices services;
    private final Members members;
    private final Table<ResourceKey, Message> clusters;
    private final Table<ResourceKey, Encoded> endpoints;

    /// @param uses by the key of their cluster
    Backends(
            MeshFlow mesh, Groups groups, MeshServices services, Members members, Table<ResourceKey, ClusterUse> uses) {
        this.services = services;
        this.members = members;
        var flow = mesh.flow();
        var made = flow.derive("envoy/clusters", uses, this::cluster);
        clusters = flow.join("envoy/all-clusters", List.of(made));
        var discovered = flow.derive(
                "envoy/discovered-uses",
                uses,
                (fetch, use) -> fetch.own(made)
                        .filter(cluster -> cluster.getType() == Cluster.DiscoveryType.EDS)
                        .map(_ -> use));
        var wanted = flow.deriveMany(
                "envoy/endpoint-sets-wanted",
                discovered,
                (fetch, use) -> fetch.one(groups.table(), use.group())
                        .map(group -> Map.of(setKey(use, group), use))
                        .orElse(Map.of()));
        var sets = flow.derive("envoy/endpoint-sets", wanted, this::endpoints);
        var shared = flow.derive(
                "envoy/endpoints-by-cluster",
                discovered,
                (fetch, use) ->
                        fetch.one(groups.table(), use.group()).flatMap(group -> fetch.one(sets, setKey(use, group))));
        endpoints = flow.rekey(
                "envoy/endpoints", shared, (key, _) -> new ResourceKey(key.group(), XdsType.ENDPOINTS, key.name()));
    }

    Table<ResourceKey, Message> clusters() {
        return clusters;
    }

    /// The same bytes for all groups that look at a service the same way.
    Table<ResourceKey, Encoded> endpoints() {
        return endpoints;
    }

    private static SetKey setKey(ClusterUse use, Group group) {
        return new SetKey(use.name().toString(), group.proxies().role());
    }

    private Optional<Cluster> cluster(Fetch<ResourceKey> fetch, ClusterUse use) {
        return fetch.one(services.table(), use.service())
                .map(service -> PlainClusters.of(
                        use.name(),
                        service.port(use.port()).map(ServicePort::protocol).orElse(AppProtocol.UNKNOWN)));
    }

    private Optional<Encoded> endpoints(Fetch<SetKey> fetch, ClusterUse use) {
        return fetch.one(services.table(), use.service())
                .map(service -> Encoded.of(
                        use.name().toString(),
                        PlainClusters.endpoints(use.name(), service, use.port(), members.of(fetch, use.service()))));
    }
}
