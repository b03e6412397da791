// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.BackendPolicyManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Where policies of backends are in effect: at each Gateway with a route to one of their targets, and at each waypoint
/// that sends to one: its own, and those of services with a route to it.
public final class PolicyAncestors {
    private static final int MOST_ANCESTORS = 16; // that the API server stores

    private final Index<PolicyBackend, ManifestId, RouteVerdict> routes;
    private final Waypoints waypoints;

    /// What routes and policies both refer to.
    record PolicyBackend(String group, String kind, String namespace, String name) {
        static PolicyBackend of(BackendPolicyManifest policy, Target target) {
            return new PolicyBackend(target.group(), target.kind(), policy.namespace(), target.name());
        }
    }

    /// Which Gateway stands in front of a Service or ServiceEntry, remembered by the flow.
    @FunctionalInterface
    public interface Waypoints {
        Optional<ObjectKey> of(Fetch<?> fetch, String kind, ObjectKey service);
    }

    /// Adds its index to a flow.
    ///
    /// @param judged routes
    public PolicyAncestors(Flow flow, Table<ManifestId, RouteVerdict> judged, Waypoints waypoints) {
        this.waypoints = waypoints;
        routes = flow.index("routes/by-backend", judged, PolicyAncestors::backends);
    }

    /// The same findings at each of them.
    List<ParentVerdict> verdicts(Fetch<?> fetch, BackendPolicyManifest policy, Finding accepted, Finding resolved) {
        return gateways(fetch, policy).stream()
                .limit(MOST_ANCESTORS)
                .map(gateway -> new ParentVerdict(
                        new ParentRef(RouteManifest.GROUP, "Gateway", gateway.namespace(), gateway.name(), "", 0),
                        accepted,
                        resolved))
                .toList();
    }

    private SortedSet<ObjectKey> gateways(Fetch<?> fetch, BackendPolicyManifest policy) {
        var gateways = new TreeSet<ObjectKey>();
        for (var target : new HashSet<>(policy.targets())) {
            waypoints
                    .of(fetch, target.kind(), policy.key().sibling(target.name()))
                    .ifPresent(gateways::add);
            for (var verdict : fetch.all(routes, PolicyBackend.of(policy, target))) {
                verdict.attached().forEach(listener -> gateways.add(listener.gateway()));
                inMesh(verdict).forEach(gateways::add);
            }
        }
        return gateways;
    }

    /// Of routes that are in effect somewhere.
    private static Set<PolicyBackend> backends(RouteVerdict verdict) {
        if (verdict.attached().isEmpty() && inMesh(verdict).findAny().isEmpty()) {
            return Set.of();
        }
        var route = verdict.route();
        return route.backends()
                .map(ref -> new PolicyBackend(ref.group(), ref.kind(), ref.namespaceFor(route.namespace()), ref.name()))
                .collect(Collectors.toSet());
    }

    /// The waypoints that a route is in effect at.
    private static Stream<ObjectKey> inMesh(RouteVerdict verdict) {
        return verdict.effects().keySet().stream()
                .flatMap(place -> place instanceof RouteAttachPoint.AtService(var waypoint, var _, var _)
                        ? Stream.of(waypoint)
                        : Stream.empty());
    }
}
