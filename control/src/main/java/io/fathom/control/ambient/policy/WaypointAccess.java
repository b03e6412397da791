// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// With [Feature#AUTO_ALLOW_WAYPOINT], a policy per waypoint that lets its pods in, listed by whoever is behind it.
public final class WaypointAccess {
    private final Optional<Table<ObjectKey, Authorization>> byWaypoint;
    private final Optional<Table<String, Authorization>> authorizations;

    /// @param pods of each Gateway
    public WaypointAccess(
            Flow flow,
            Inputs inputs,
            Waypoints waypoints,
            Index<ObjectKey, ObjectKey, PodManifest> pods,
            AmbientConfig config) {
        if (!config.has(Feature.AUTO_ALLOW_WAYPOINT)) {
            byWaypoint = Optional.empty();
            authorizations = Optional.empty();
            return;
        }
        var policies = flow.derive(
                "waypoint-access",
                waypoints.table(),
                (fetch, waypoint) ->
                        waypoint.address().isEmpty() || waypoint.objection().isPresent()
                                ? Optional.empty()
                                : policy(fetch, waypoint.key(), pods, inputs));
        byWaypoint = Optional.of(policies);
        authorizations = Optional.of(flow.deriveMany(
                "waypoint-access/authorizations", policies, (fetch, policy) -> Map.of(policy.key(), policy)));
    }

    /// The policies by resource name; present with the feature only.
    public Optional<Table<String, Authorization>> authorizations() {
        return authorizations;
    }

    /// The keys that follow from the waypoints of a workload's services and from its own, after those it has anyway.
    public List<String> append(Fetch<?> fetch, List<String> keys, Memberships memberships, Attachment own) {
        if (byWaypoint.isEmpty()) {
            return keys;
        }
        var result = new ArrayList<>(keys);
        memberships.waypoints().forEach(waypoint -> add(fetch, waypoint, result));
        own.bound().ifPresent(bound -> add(fetch, bound.gateway(), result));
        return List.copyOf(result);
    }

    private void add(Fetch<?> fetch, ObjectKey waypoint, List<String> keys) {
        byWaypoint
                .flatMap(table -> fetch.one(table, waypoint))
                .map(Authorization::key)
                .filter(key -> !keys.contains(key))
                .ifPresent(keys::add);
    }

    private static Optional<Authorization> policy(
            Fetch<ObjectKey> fetch, ObjectKey waypoint, Index<ObjectKey, ObjectKey, PodManifest> pods, Inputs inputs) {
        var accounts = fetch.all(pods, waypoint).stream()
                .map(PodManifest::serviceAccount)
                .filter(account -> !account.isEmpty())
                .toList();
        return WaypointAllowPolicies.policy(
                waypoint.namespace(), waypoint.name(), inputs.mesh(fetch).trustDomain(), accounts);
    }
}
