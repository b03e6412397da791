// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.refusal.Quarantine;
import io.fathom.control.envoy.view.ResourceKey;
import java.util.Optional;

/// Clusters as EnvoyFilters leave them. Nearly all of them are left alone; for the others it is known what they are
/// made from, so that a patch that Envoys refuse is held back and the cluster goes on without it.
final class PatchedClusters {
    /// As it is made, before users change it.
    record Plain(ResourceKey key, Cluster cluster) {}

    /// @param made empty for one that is left alone
    /// @param cluster empty for one that is taken away
    private record Row(Optional<Made> made, Optional<Cluster> cluster) {}

    private final Groups groups;
    private final UserParts users;
    private final Quarantine quarantine;
    private final Table<ResourceKey, Message> table;
    private final Table<ResourceKey, Made> made;

    PatchedClusters(
            Flow flow, Groups groups, UserParts users, Quarantine quarantine, Table<ResourceKey, Plain> clusters) {
        this.groups = groups;
        this.users = users;
        this.quarantine = quarantine;
        var rows = flow.derive("envoy/patched-clusters", clusters, this::row);
        table = flow.derive("envoy/clusters", rows, (_, row) -> row.cluster().map(own -> own));
        made = flow.derive("envoy/made-clusters", rows, (_, row) -> row.made());
    }

    Table<ResourceKey, Message> table() {
        return table;
    }

    /// What changed clusters are made from.
    Table<ResourceKey, Made> made() {
        return made;
    }

    private Optional<Row> row(Fetch<ResourceKey> fetch, Plain plain) {
        var authors = users.patches(fetch, plain.key().group()).authors(plain.cluster());
        if (authors.isEmpty()) {
            return Optional.of(new Row(Optional.empty(), Optional.of(plain.cluster())));
        }
        return fetch.one(groups.table(), plain.key().group()).map(group -> {
            var parts = new Ingredients(plain.key());
            parts.addCluster(plain.cluster());
            parts.addFilters(users.filters(fetch, group.proxies()).stream()
                    .filter(filter -> authors.contains(filter.key()))
                    .toList());
            parts.admit(fetch, quarantine);
            var patched = users.patches(fetch, group, parts).cluster(parts.cluster(plain.cluster()));
            return new Row(Optional.of(parts.made()), patched);
        });
    }
}
