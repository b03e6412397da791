// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.control.envoy.cluster.Clusters;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Where the routes of one part may lead, and where they do: every cluster that was asked for is one that the proxies
/// need. Used by one derivation.
final class RecordedDestinations implements Destinations {
    private final Fetch<?> fetch;
    private final ObjectKey group;
    private final MeshServices services;
    private final Predicate<String> owned;
    private final Map<ResourceKey, ClusterUse> uses = new LinkedHashMap<>();

    /// @param owned whether the group stands in front of the service with that resource name
    RecordedDestinations(Fetch<?> fetch, ObjectKey group, MeshServices services, Predicate<String> owned) {
        this.fetch = fetch;
        this.group = group;
        this.services = services;
        this.owned = owned;
    }

    @Override
    public Optional<MeshService> service(ObjectKey object) {
        return services.of(fetch, object);
    }

    @Override
    public Optional<MeshService> host(String namespace, String hostname) {
        return services.of(fetch, namespace, hostname);
    }

    @Override
    public ClusterName cluster(MeshService service, int port, ClusterName.ClusterLayer wanted, String subset) {
        var key = service.service().key();
        var layer = served(service, port, wanted);
        var name = owned.test(key)
                ? ClusterName.behindWaypoint(port, layer, subset, service.hostname())
                : ClusterName.outbound(port, subset, service.hostname());
        var use = new ClusterUse(group, name, key, port, layer, subset);
        uses.put(use.key(), use);
        return name;
    }

    /// Requests may be routed to a port for TLS, and connections to one for requests: its only cluster takes them.
    private static ClusterName.ClusterLayer served(MeshService service, int port, ClusterName.ClusterLayer wanted) {
        var layers = service.port(port).map(Clusters::layers).orElse(List.of(wanted));
        return layers.contains(wanted) ? wanted : layers.getFirst();
    }

    Map<ResourceKey, ClusterUse> uses() {
        return Map.copyOf(uses);
    }
}
