// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.extension.EnvoyFilters;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.refusal.Quarantine;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Clusters and listeners that nobody but EnvoyFilters brings. One that Envoys refuse is held back.
final class AddedResources {
    /// @param message empty as long as it is held back
    private record Row(Made made, Optional<Message> message) {}

    private final UserParts users;
    private final Quarantine quarantine;
    private final List<Table<ResourceKey, Message>> others;
    private final Table<ResourceKey, Message> table;
    private final Table<ResourceKey, Made> made;

    /// @param others what there is without them; it keeps its names
    AddedResources(
            Flow flow,
            Groups groups,
            UserParts users,
            Quarantine quarantine,
            List<Table<ResourceKey, Message>> others) {
        this.users = users;
        this.quarantine = quarantine;
        this.others = others;
        Table<ResourceKey, Row> rows = flow.deriveMany("envoy/added", groups.table(), this::rows);
        table = flow.derive("envoy/added-messages", rows, (_, row) -> row.message());
        made = flow.derive("envoy/added-made", rows, (_, row) -> Optional.of(row.made()));
    }

    Table<ResourceKey, Message> table() {
        return table;
    }

    /// Which EnvoyFilters they come from.
    Table<ResourceKey, Made> made() {
        return made;
    }

    private Map<ResourceKey, Row> rows(Fetch<ObjectKey> fetch, Group group) {
        var added = added(group, users.patches(fetch, group.key())).keySet().stream()
                .filter(key ->
                        others.stream().noneMatch(table -> fetch.one(table, key).isPresent()))
                .toList();
        var result = new LinkedHashMap<ResourceKey, Row>();
        for (var key : added) {
            var parts = new Ingredients(key);
            parts.addFilters(users.filters(fetch, group.proxies()).stream()
                    .filter(filter -> added(group, users.patches(fetch, group.proxies(), List.of(filter)))
                            .containsKey(key))
                    .toList());
            parts.admit(fetch, quarantine);
            var message = added(group, users.patches(fetch, group, parts)).get(key);
            result.put(key, new Row(parts.made(), Optional.ofNullable(message)));
        }
        return result;
    }

    private static Map<ResourceKey, Message> added(Group group, EnvoyFilters patches) {
        var result = new LinkedHashMap<ResourceKey, Message>();
        patches.addedClusters()
                .forEach(cluster -> result.put(ResourceKey.cluster(group.key(), cluster.getName()), cluster));
        patches.addedListeners()
                .forEach(listener -> result.put(ResourceKey.listener(group.key(), listener.getName()), listener));
        return result;
    }
}
