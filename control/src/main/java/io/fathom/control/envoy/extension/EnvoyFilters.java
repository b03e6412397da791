// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Reach;
import io.fathom.control.envoy.view.Situation;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Context;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Patch;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The changes that EnvoyFilters make to what the proxies of a group are told, after everything else is made. A patch
/// that cannot be applied is left out ([#problems] says so on its object); it never breaks a resource. Immutable.
public final class EnvoyFilters {
    /// Changes nothing.
    public static final EnvoyFilters NONE = new EnvoyFilters(List.of());

    private final ListenerPatches listeners;
    private final RoutePatches routes;
    private final ClusterPatches clusters;
    private final List<CompiledPatch> patches;

    private EnvoyFilters(List<CompiledPatch> patches) {
        this.patches = patches;
        routes = new RoutePatches(patches);
        listeners = new ListenerPatches(patches, routes);
        clusters = new ClusterPatches(patches);
    }

    /// Those of the root namespace come first, then those of the proxies'; in both by priority, then by age.
    ///
    /// @param candidates at least all of the root namespace and of the proxies'; others are left out
    public static EnvoyFilters of(String rootNamespace, ProxyGroup group, List<EnvoyFilterManifest> candidates) {
        var situation = new Situation(rootNamespace, group, Optional.empty());
        var patches = candidates.stream()
                .filter(filter -> reaches(filter, situation))
                .sorted(Comparator.comparingInt((EnvoyFilterManifest filter) ->
                                filter.namespace().equals(rootNamespace) ? 0 : 1)
                        .thenComparingInt(EnvoyFilterManifest::priority)
                        .thenComparing(EnvoyFilterManifest::metadata, Metadata.OLDEST_FIRST))
                .flatMap(filter -> filter.patches().stream()
                        .filter(patch -> isOf(group.role(), patch))
                        .flatMap(patch -> CompiledPatch.of(filter.key(), patch).patch().stream()))
                .toList();
        return patches.isEmpty() ? NONE : new EnvoyFilters(patches);
    }

    /// What of an EnvoyFilter cannot be applied to any proxy, and why.
    public static List<ObjectProblem> problems(EnvoyFilterManifest filter) {
        return FilterReview.problems(filter);
    }

    /// Whether there is nothing to change.
    public boolean isEmpty() {
        return patches.isEmpty();
    }

    /// The listener with its filter chains, filters and inline routes; empty when it is taken away.
    public Optional<Listener> listener(Listener listener) {
        return listeners.apply(listener);
    }

    public List<Listener> addedListeners() {
        return listeners.added();
    }

    public RouteConfiguration routes(RouteConfiguration configuration) {
        return routes.apply(configuration);
    }

    /// Empty when it is taken away.
    public Optional<Cluster> cluster(Cluster cluster) {
        return clusters.apply(cluster);
    }

    /// The EnvoyFilters that change a cluster.
    public Set<ObjectKey> authors(Cluster cluster) {
        return clusters.authors(cluster);
    }

    public List<Cluster> addedClusters() {
        return clusters.added();
    }

    /// Whether it is for these proxies.
    public static boolean reaches(EnvoyFilterManifest filter, Situation situation) {
        return Reach.of(filter.key(), filter.selector(), filter.targets(), situation)
                .filter(reach -> situation.group().role() == ProxyRole.INGRESS
                        || reach == Reach.GATEWAY
                        || reach == Reach.GATEWAY_CLASS)
                .isPresent();
    }

    private static boolean isOf(ProxyRole role, Patch patch) {
        return switch (patch.context()) {
            case ANY -> true;
            case GATEWAY -> role == ProxyRole.INGRESS;
            case WAYPOINT -> role != ProxyRole.INGRESS;
            case SIDECAR_INBOUND -> role != ProxyRole.INGRESS && isForWaypoints(patch);
            case SIDECAR_OUTBOUND -> false;
        };
    }

    /// What a waypoint does is what sidecars do with what comes in. Clusters of sidecars have nothing in common with
    /// its own: they may be added, but not changed.
    static boolean isForWaypoints(Patch patch) {
        return patch.context() == Context.SIDECAR_INBOUND
                && (patch.applyTo() != ApplyTo.CLUSTER || patch.operation() == Operation.ADD);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EnvoyFilters filters && patches.equals(filters.patches);
    }

    @Override
    public int hashCode() {
        return patches.hashCode();
    }
}
