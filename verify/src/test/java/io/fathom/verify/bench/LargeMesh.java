// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A made-up cluster of any size: ten services to a namespace, pods spread evenly over services and nodes, with the
/// labels that pods of a Deployment have.
///
/// @param range the second number of its pods' addresses, at first
/// @param sharing labels of services
record LargeMesh(String cluster, int range, Map<String, String> sharing, int pods, int services) {
    private static final int SERVICES_PER_NAMESPACE = 10;
    private static final int PODS_PER_NODE = 100;
    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

    /// Begins the version label of a pod that was changed at a known time.
    static final String STAMP = "stamp-";

    /// The only cluster, which shares nothing.
    LargeMesh(int pods, int services) {
        this("Kubernetes", 128, Map.of(), pods, services);
    }

    /// Everything, as one batch.
    List<ManifestChange> manifests() {
        var batch = new ArrayList<ManifestChange>();
        for (var namespace = 0; namespace < services / SERVICES_PER_NAMESPACE; namespace++) {
            batch.add(put(new NamespaceManifest(
                    metadata("", "ns-" + namespace, Map.of("istio.io/dataplane-mode", "ambient"), Map.of()))));
        }
        for (var node = 0; node <= pods / PODS_PER_NODE; node++) {
            var locality = new Locality("region-1", "zone-" + node % 3, "");
            batch.add(put(new NodeManifest(metadata("", "node-" + node, Map.of(), Map.of()), locality)));
        }
        for (var service = 0; service < services; service++) {
            batch.add(put(service(service)));
        }
        for (var pod = 0; pod < pods; pod++) {
            batch.add(put(pod(pod, "v1")));
        }
        return batch;
    }

    /// A pod again, telling when it changed: the version label becomes part of the workload.
    ManifestChange change(int pod, long nanoTime) {
        return put(pod(pod, STAMP + nanoTime));
    }

    private ServiceManifest service(int number) {
        var app = "app-" + number;
        var port = new ServiceManifest.ServicePort(
                "http", 80, Transport.TCP, new ServiceManifest.Target.ByNumber(8080), "");
        return new ServiceManifest(
                metadata(namespace(number), app, sharing, Map.of()),
                ServiceManifest.Type.CLUSTER_IP,
                List.of(ip(range - 32, number)),
                ServiceManifest.Headless.NO,
                List.of(Ip.Family.V4),
                Map.of("app", app),
                List.of(port),
                ServiceManifest.TrafficPolicy.CLUSTER,
                "",
                false,
                List.of(),
                Optional.empty());
    }

    private PodManifest pod(int number, String version) {
        var service = number % services;
        var app = "app-" + service;
        var labels = Map.of("app", app, "pod-template-hash", "5c7d8f9b", "version", version);
        return new PodManifest(
                metadata(
                        namespace(service),
                        "%s-5c7d8f9b-%05d".formatted(app, number),
                        labels,
                        Map.of("ambient.istio.io/redirection", "enabled")),
                PodManifest.Phase.RUNNING,
                true,
                List.of(ip(range, number)),
                "node-" + number / PODS_PER_NODE,
                "account-" + service,
                false,
                List.of(new PodManifest.ContainerPort("http", 8080, Transport.TCP)),
                Optional.of(new PodManifest.Owner("ReplicaSet", app + "-5c7d8f9b")),
                app + "-5c7d8f9b-");
    }

    private static String namespace(int service) {
        return "ns-" + service / SERVICES_PER_NAMESPACE;
    }

    private Metadata metadata(
            String namespace, String name, Map<String, String> labels, Map<String, String> annotations) {
        // As a parser makes them: no string is shared with another object.
        var uid = new UUID(namespace.hashCode(), name.hashCode()).toString();
        return new Metadata(
                new ObjectKey(cluster, namespace, name), uid, labels, annotations, EPOCH, Metadata.Lifecycle.ACTIVE);
    }

    private static Ip ip(int range, int number) {
        return Ip.parse("10.%d.%d.%d".formatted(range + number / 62_500, number / 250 % 250, number % 250 + 1))
                .orElseThrow();
    }

    private static ManifestChange put(Manifest manifest) {
        return new ManifestChange.Put(manifest);
    }
}
