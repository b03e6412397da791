// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.RequiredWaypoints;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The policies that keep calls from going around waypoints: one for each set of waypoints that pods have and that
/// forbids it. Whoever does not prove to be a pod of one of them is denied.
public final class RequiredWaypointPolicies {
    private final Table<String, Authorization> table;

    /// @param pods workloads of pods by uid
    /// @param instances the pods of each Gateway
    public RequiredWaypointPolicies(
            Flow flow,
            Inputs inputs,
            Table<String, Workload> pods,
            Index<ObjectKey, ObjectKey, PodManifest> instances) {
        var byKey = flow.index("pods/by-required-waypoints", pods, RequiredWaypointPolicies::keys);
        table = flow.reduce("required-waypoints", byKey, (fetch, key, found) -> {
            var cluster = found.iterator().next().clusterId();
            return RequiredWaypoints.parse(key)
                    .map(required -> policy(
                            required,
                            principals(
                                    fetch, required, cluster, inputs.mesh(fetch).trustDomain(), instances)));
        });
    }

    /// By resource name.
    public Table<String, Authorization> authorizations() {
        return table;
    }

    /// What a pod that makes no Gateway work has to list; empty where calls may go around its waypoints.
    ///
    /// @param own what came of the waypoint of the pod itself
    public static Optional<RequiredWaypoints> of(String namespace, Memberships memberships, Attachment own) {
        return memberships.bypass().and(own.bypass()) == Bypass.ALLOWED
                ? Optional.empty()
                : Optional.of(new RequiredWaypoints(
                        namespace,
                        Stream.concat(
                                        memberships.allWaypoints().stream(),
                                        own.bound().map(Attachment.Bound::gateway).stream())
                                .map(key -> new RequiredWaypoints.Waypoint(key.namespace(), key.name()))
                                .toList()));
    }

    public static List<String> append(List<String> keys, Optional<RequiredWaypoints> required) {
        if (required.isEmpty()) {
            return keys;
        }
        var result = new ArrayList<>(keys);
        result.add(required.get().key());
        return List.copyOf(result);
    }

    /// What the policies that a workload lists want of its callers.
    static Optional<RequiredWaypoints> listedBy(Workload workload) {
        return workload.authorizationPolicies().stream()
                .flatMap(key -> RequiredWaypoints.parse(key).stream())
                .findFirst();
    }

    private static Set<String> keys(Workload workload) {
        return workload.authorizationPolicies().stream()
                .filter(RequiredWaypoints::isKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static List<String> principals(
            Fetch<?> fetch,
            RequiredWaypoints required,
            String cluster,
            String trustDomain,
            Index<ObjectKey, ObjectKey, PodManifest> instances) {
        return required.waypoints().stream()
                .flatMap(waypoint ->
                        fetch.all(instances, new ObjectKey(cluster, waypoint.namespace(), waypoint.name())).stream())
                .filter(pod -> !pod.serviceAccount().isEmpty())
                .map(pod -> new Identity(trustDomain, pod.namespace(), pod.serviceAccount()).principal())
                .distinct()
                .sorted()
                .toList();
    }

    /// A waypoint without pods lets nobody in: rules without a match hold for everybody.
    private static Authorization policy(RequiredWaypoints required, List<String> principals) {
        var match = new MatchFields();
        match.notPrincipals =
                principals.stream().<StringMatch>map(StringMatch.Exact::new).toList();
        return new Authorization(
                required.name(),
                required.namespace(),
                Authorization.Scope.WORKLOAD_SELECTOR,
                Authorization.Action.DENY,
                List.of(new Group(List.of(new Rules(principals.isEmpty() ? List.of() : List.of(match.toMatch()))))),
                Authorization.DryRun.NO);
    }
}
