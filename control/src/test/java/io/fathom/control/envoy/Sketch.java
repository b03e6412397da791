// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A small mesh for tests: manifests from YAML, a service, the proxies of a Gateway.
public final class Sketch {
    private static final Instant SEEN = Instant.parse("2026-01-01T00:00:00Z");

    private Sketch() {}

    /// The objects of the text, which must all be good.
    public static List<Manifest> read(String yaml) {
        var reader = new ManifestReader(
                ReaderConfig.of("c1", "default", "istio-system").ofApiServer());
        return Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT).stream()
                .map(document -> ((Document.Parsed) document).root())
                .flatMap(root -> reader.read(root, _ -> SEEN).stream())
                .map(reading -> switch (reading) {
                    case Reading.Good(var manifest, var _, var _, var _) -> manifest;
                    case Reading.Bad(var problems, var _) -> throw new AssertionError(problems.toString());
                    case Reading.Skipped(var kind, var _) -> throw new AssertionError("nobody reads " + kind);
                })
                .toList();
    }

    public static <M extends Manifest> List<M> read(Class<M> kind, String yaml) {
        return read(yaml).stream().map(kind::cast).toList();
    }

    public static <M extends Manifest> M one(Class<M> kind, String yaml) {
        return read(kind, yaml).getFirst();
    }

    /// A Kubernetes Service with HTTP ports.
    public static MeshService service(String namespace, String name, int... ports) {
        var http = Arrays.stream(ports)
                .mapToObj(port -> new ServicePort(port, "http", AppProtocol.HTTP11))
                .toList();
        return service(new ObjectKey("c1", namespace, name), Map.of(), http);
    }

    /// A Kubernetes Service.
    public static MeshService service(ObjectKey key, Map<String, String> labels, List<ServicePort> ports) {
        var service = new Service(
                key.name(),
                key.namespace(),
                key.name() + "." + key.namespace() + ".svc.cluster.local",
                List.of(),
                List.of(),
                List.of(),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.YES,
                Service.Visibility.PUBLIC);
        var metadata = new Metadata(key, "", labels, Map.of(), SEEN, Metadata.Lifecycle.ACTIVE);
        return new MeshService(service, metadata, Origin.SERVICE, ports, Resolution.ENDPOINTS);
    }

    public static ProxyGroup proxies(ProxyRole role, String namespace, String gateway) {
        return new ProxyGroup(role, new ObjectKey("c1", namespace, gateway), Map.of("app", gateway), "");
    }

    public static Situation behind(ProxyGroup group, MeshService service) {
        return new Situation("istio-system", group, Optional.of(service));
    }

    public static Situation at(ProxyGroup group) {
        return new Situation("istio-system", group, Optional.empty());
    }

    /// All services are outside of the proxies.
    public static Destinations destinations(MeshService... services) {
        return new Destinations() {
            @Override
            public Optional<MeshService> service(ObjectKey object) {
                return Arrays.stream(services)
                        .filter(service -> service.metadata().key().equals(object))
                        .findFirst();
            }

            @Override
            public Optional<MeshService> host(String namespace, String hostname) {
                return Arrays.stream(services)
                        .filter(service -> service.hostname().equals(hostname))
                        .findFirst();
            }

            @Override
            public ClusterName cluster(MeshService service, int port, ClusterName.ClusterLayer layer, String subset) {
                return ClusterName.outbound(port, subset, service.hostname());
            }
        };
    }
}
