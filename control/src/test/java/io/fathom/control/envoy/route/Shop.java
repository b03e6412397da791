// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.gateway.Hostnames;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Services to route to, by name and namespace, and manifests from text.
final class Shop implements Destinations {
    static final String CLUSTER = "c1";

    private final Map<ObjectKey, MeshService> services = new LinkedHashMap<>();

    /// @param ports HTTP ones
    Shop with(String namespace, String name, int... ports) {
        return with(namespace, name, Map.of(), ports);
    }

    Shop with(String namespace, String name, Map<String, String> labels, int... ports) {
        var key = new ObjectKey(CLUSTER, namespace, name);
        var http = Arrays.stream(ports)
                .mapToObj(port -> new ServicePort(port, "http-" + port, AppProtocol.HTTP11))
                .toList();
        services.put(key, Sketch.service(key, labels, http));
        return this;
    }

    MeshService get(String namespace, String name) {
        return service(new ObjectKey(CLUSTER, namespace, name)).orElseThrow();
    }

    List<MeshService> all() {
        return List.copyOf(services.values());
    }

    @Override
    public Optional<MeshService> service(ObjectKey object) {
        return Optional.ofNullable(services.get(object));
    }

    @Override
    public Optional<MeshService> host(String namespace, String hostname) {
        return services.values().stream()
                .filter(service -> service.hostname().equals(hostname))
                .findFirst();
    }

    @Override
    public ClusterName cluster(MeshService service, int port, ClusterName.ClusterLayer layer, String subset) {
        return service.namespace().equals("shop")
                ? ClusterName.behindWaypoint(port, layer, subset, service.hostname())
                : ClusterName.outbound(port, subset, service.hostname());
    }

    static List<RouteManifest> routes(String yaml) {
        return Sketch.read(yaml).stream()
                .filter(RouteManifest.class::isInstance)
                .map(RouteManifest.class::cast)
                .toList();
    }

    static List<VirtualServiceManifest> virtualServices(String yaml) {
        return Sketch.read(yaml).stream()
                .filter(VirtualServiceManifest.class::isInstance)
                .map(VirtualServiceManifest.class::cast)
                .toList();
    }

    /// A listener that shares its port with no other.
    static Entrance listener(String hostname, List<RouteManifest> routes) {
        return Entrance.listener(
                hostname,
                routes.stream()
                        .map(route -> new Entrance.Attached(
                                route,
                                Hostnames.orAll(route.hostnames()).stream()
                                        .flatMap(name -> Hostnames.both(Hostnames.orAll(hostname), name).stream())
                                        .toList()))
                        .toList());
    }
}
