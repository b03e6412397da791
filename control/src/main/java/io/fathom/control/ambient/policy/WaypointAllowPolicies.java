// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.StringMatch;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The policies of `PILOT_AUTO_ALLOW_WAYPOINT_POLICY`: whoever uses a waypoint accepts calls from its pods. Pure.
final class WaypointAllowPolicies {
    private WaypointAllowPolicies() {}

    /// The key that workloads list which use the waypoint, themselves or through a service.
    static String key(String namespace, String waypoint) {
        return namespace + "/" + name(namespace, waypoint);
    }

    /// Empty while the waypoint has no pods: nothing to allow, and nothing to list.
    ///
    /// @param accounts the service accounts of the waypoint's pods, in any order and number
    static Optional<Authorization> policy(
            String namespace, String waypoint, String trustDomain, Collection<String> accounts) {
        if (accounts.isEmpty()) {
            return Optional.empty();
        }
        var match = new MatchFields();
        match.principals = accounts.stream()
                .distinct()
                .sorted()
                .map(account -> new Identity(trustDomain, namespace, account).principal())
                .<StringMatch>map(StringMatch.Exact::new)
                .toList();
        return Optional.of(new Authorization(
                name(namespace, waypoint),
                namespace,
                Authorization.Scope.WORKLOAD_SELECTOR,
                Authorization.Action.ALLOW,
                List.of(new Group(List.of(new Rules(List.of(match.toMatch()))))),
                Authorization.DryRun.NO));
    }

    private static String name(String namespace, String waypoint) {
        return "istio_allow_waypoint_" + namespace + "_" + waypoint;
    }
}
