package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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
        services.put(key, service(key, labels, ports));
        return this;
    }

    private static MeshService service(ObjectKey key, Map<String, String> labels, int... ports) {
        var hostname = key.name() + "." + key.namespace() + ".svc.cluster.local";
        var service = new Service(
                key.name(),
                key.namespace(),
                hostname,
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.YES,
                Service.IngressWaypoint.SKIPPED,
                List.of(),
                Service.Visibility.PUBLIC);
        var metadata = new Metadata(key, "", labels, Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE);
        return new MeshService(
                service,
                metadata,
                Origin.SERVICE,
                Arrays.stream(ports)
                        .mapToObj(port -> new ServicePort(port, "http-" + port, AppProtocol.HTTP11))
                        .toList(),
                Resolution.ENDPOINTS);
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
    public ClusterName cluster(MeshService service, int port, ClusterName.Layer layer, String subset) {
        return service.namespace().equals("shop")
                ? ClusterName.behindWaypoint(port, layer, subset, service.hostname())
                : ClusterName.outbound(port, subset, service.hostname());
    }

    static List<RouteManifest> routes(String yaml) {
        return manifests(yaml)
                .filter(RouteManifest.class::isInstance)
                .map(RouteManifest.class::cast)
                .toList();
    }

    static List<VirtualServiceManifest> virtualServices(String yaml) {
        return manifests(yaml)
                .filter(VirtualServiceManifest.class::isInstance)
                .map(VirtualServiceManifest.class::cast)
                .toList();
    }

    private static Stream<Manifest> manifests(String yaml) {
        var reader = new ManifestReader(ReaderConfig.of(CLUSTER, "", "istio-system"));
        return Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT).stream()
                .map(document -> ((Document.Parsed) document).root())
                .flatMap(root -> reader.read(root, _ -> Instant.EPOCH).stream())
                .map(reading -> switch (reading) {
                    case Reading.Good(var manifest, var _) -> manifest;
                    case Reading.Bad(var problem, var _) -> throw new AssertionError(problem.toString());
                    case Reading.Skipped(var kind) -> throw new AssertionError("skipped " + kind);
                });
    }
}
