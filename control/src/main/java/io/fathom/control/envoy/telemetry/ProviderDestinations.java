// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Backend;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

/// Where providers are reached. Remembers which services were asked for: proxies need clusters for them.
final class ProviderDestinations {
    private final ObjectKey gateway;
    private final Destinations destinations;
    private final SequencedSet<ProviderUse> used = new LinkedHashSet<>();

    ProviderDestinations(ObjectKey gateway, Destinations destinations) {
        this.gateway = gateway;
        this.destinations = destinations;
    }

    /// The name of its cluster; empty when the mesh has no such service or port.
    Optional<String> cluster(Backend backend) {
        return find(backend)
                .filter(service -> service.port(backend.port()).isPresent())
                .map(service -> {
                    used.add(new ProviderUse(service, backend.port()));
                    return destinations
                            .cluster(service, backend.port(), ClusterName.ClusterLayer.HTTP, "")
                            .toString();
                });
    }

    List<ProviderUse> used() {
        return List.copyOf(used);
    }

    private Optional<MeshService> find(Backend backend) {
        var slash = backend.service().indexOf('/');
        var namespace = slash < 0 ? gateway.namespace() : backend.service().substring(0, slash);
        return destinations.host(namespace, host(backend)).or(() -> byShortName(host(backend)));
    }

    /// `name.namespace`, as people write it for collectors.
    private Optional<MeshService> byShortName(String host) {
        var parts = host.split("\\.", 3);
        return parts.length >= 2
                ? destinations.service(new ObjectKey(gateway.cluster(), parts[1], parts[0]))
                : Optional.empty();
    }

    static String host(Backend backend) {
        return backend.service().substring(backend.service().indexOf('/') + 1);
    }

    static GrpcService.Builder grpc(Backend backend, String cluster) {
        return GrpcService.newBuilder()
                .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder()
                        .setClusterName(cluster)
                        .setAuthority(host(backend)));
    }
}
