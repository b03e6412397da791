// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest.ImportSpec;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The ServiceImports that our cluster should have, whether somebody can write them or not.
public final class Imports {
    /// The label of those that we write; others are somebody else's.
    public static final String OWNER = "app.kubernetes.io/managed-by";

    public static final String OWNER_VALUE = "fathomd";

    private final Table<ObjectKey, ServiceImportManifest> table;

    /// @param vips of the names
    public Imports(Flow flow, ClusterSet set, Table<ObjectKey, Vips> vips) {
        table = flow.derive("cluster-set/imports", set.here(), (fetch, service) -> {
            var key = fetch.key();
            return Optional.of(manifest(
                    key,
                    service,
                    fetch.one(vips, MeshNames.clusterSetEntryOf(key))
                            .map(found -> found.of(Hosts.clusterSetNameOf(key.namespace(), key.name())))
                            .orElse(List.of())));
        });
    }

    /// By their keys.
    public Table<ObjectKey, ServiceImportManifest> table() {
        return table;
    }

    /// The name has addresses of both families; what nobody who exports it speaks is not offered.
    private static ServiceImportManifest manifest(ObjectKey key, ClusterSetService set, List<Ip> addresses) {
        var service = set.service();
        var families = service.families();
        var ips = addresses.stream()
                .filter(ip -> families.isEmpty() || families.contains(ip.family()))
                .toList();
        var isHeadless = service.kind() == ExportedService.ExportType.HEADLESS;
        var labels = new HashMap<>(service.labels());
        labels.put(OWNER, OWNER_VALUE);
        return new ServiceImportManifest(
                new Metadata(key, "", labels, service.annotations(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE),
                new ImportSpec(
                        service.kind(),
                        service.ports(),
                        isHeadless ? List.of() : ips,
                        isHeadless ? families : ips.stream().map(Ip::family).toList(),
                        isHeadless ? Optional.empty() : service.affinity(),
                        service.policy(),
                        service.distribution()),
                set.clusters());
    }

    /// Whether we may change an object that is there.
    public static boolean isOurs(Map<String, String> labels) {
        return OWNER_VALUE.equals(labels.get(OWNER));
    }
}
