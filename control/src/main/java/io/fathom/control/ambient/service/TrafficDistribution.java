// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.HealthPolicy;
import io.fathom.model.mesh.LoadBalancing.Mode;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.List;
import java.util.Locale;

/// Which endpoints of a service are preferred.
final class TrafficDistribution {
    private static final LoadBalancing SAME_NODE =
            new LoadBalancing(List.of(Scope.NODE), Mode.STRICT, HealthPolicy.ONLY_HEALTHY);
    private static final LoadBalancing CLOSE = new LoadBalancing(
            List.of(Scope.NETWORK, Scope.REGION, Scope.ZONE), Mode.FAILOVER, HealthPolicy.ONLY_HEALTHY);
    private static final LoadBalancing CLOSEST = new LoadBalancing(
            List.of(Scope.NETWORK, Scope.REGION, Scope.ZONE, Scope.SUBZONE, Scope.NODE),
            Mode.FAILOVER,
            HealthPolicy.ONLY_HEALTHY);
    private static final LoadBalancing PASSTHROUGH =
            new LoadBalancing(List.of(), Mode.PASSTHROUGH, HealthPolicy.ALLOW_ALL);

    /// Any endpoint of the client's own network, before those of others.
    static final LoadBalancing WITHIN_NETWORK =
            new LoadBalancing(List.of(Scope.NETWORK), Mode.FAILOVER, HealthPolicy.ONLY_HEALTHY);
    private static final LoadBalancing WITHIN_REGION =
            new LoadBalancing(List.of(Scope.NETWORK, Scope.REGION), Mode.FAILOVER, HealthPolicy.ONLY_HEALTHY);

    private TrafficDistribution() {}

    /// @param inherited the annotation of the namespace, empty when absent
    /// @param otherwise where nobody says anything
    static LoadBalancing of(ServiceManifest service, String inherited, LoadBalancing otherwise) {
        var balancing = service.internalTrafficPolicy() == ServiceManifest.TrafficPolicy.LOCAL
                ? SAME_NODE
                : byName(
                        first(
                                service.trafficDistribution(),
                                service.annotations().getOrDefault(Markers.TRAFFIC_DISTRIBUTION, ""),
                                inherited),
                        otherwise);
        return service.publishNotReadyAddresses()
                ? new LoadBalancing(balancing.preference(), balancing.mode(), HealthPolicy.ALLOW_ALL)
                : balancing;
    }

    static LoadBalancing of(ServiceEntryManifest entry, String inherited, LoadBalancing otherwise) {
        return entry.resolution() == ServiceEntryManifest.Resolution.NONE
                ? PASSTHROUGH
                : byName(
                        first(entry.annotations().getOrDefault(Markers.TRAFFIC_DISTRIBUTION, ""), inherited),
                        otherwise);
    }

    private static String first(String... candidates) {
        for (var candidate : candidates) {
            if (!candidate.isEmpty()) {
                return candidate;
            }
        }
        return "";
    }

    private static LoadBalancing byName(String name, LoadBalancing otherwise) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "" -> otherwise;
            case "prefernetwork" -> WITHIN_NETWORK;
            case "preferregion" -> WITHIN_REGION;
            case "preferclose", "prefersamezone" -> CLOSE;
            case "prefersamenode" -> CLOSEST;
            default -> LoadBalancing.NONE;
        };
    }
}
