// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A ServiceEntry or WorkloadEntry for a stock istiod. Of such a pair istiod makes what our control plane makes of a
/// service of another network by itself: a service, and for each cluster one workload without an address, with a
/// weight, behind the gateway of that network. Pure.
record EntryObject(EntryKind kind, String name, Tree content) {
    static final String SERVICE = "fleet.fathom.io/service";
    /// Annotation: the clusters that have it, with commas.
    static final String ORIGIN = "fleet.fathom.io/origin";
    private static final int LONGEST_LABEL = 63;

    enum EntryKind {
        SERVICE("ServiceEntry"),
        WORKLOAD("WorkloadEntry");

        private final String title;

        EntryKind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /// A service of another cluster.
    record OriginService(ClusterSummary cluster, ServiceSummary service) {}

    /// The service, as one of its clusters has it; any of them may answer.
    ///
    /// @param origins all that have it, the one that decides on ports first
    static EntryObject service(String namespace, List<OriginService> origins) {
        var first = origins.getFirst().service();
        var names = new TreeSet<String>();
        origins.forEach(origin -> names.addAll(hosts(origin.service())));
        var accounts = new TreeSet<String>();
        origins.forEach(origin -> origin.service()
                .accounts()
                .forEach(account -> accounts.add(identity(origin.cluster().trustDomain(), account))));
        var spec = new LinkedHashMap<String, Object>();
        spec.put("hosts", List.copyOf(names));
        spec.put("location", "MESH_INTERNAL");
        spec.put("resolution", "STATIC");
        spec.put("ports", ports(first));
        spec.put("workloadSelector", Map.of("labels", Map.of(SERVICE, label(first))));
        spec.put("subjectAltNames", List.copyOf(accounts));
        var clusters = String.join(
                ",", origins.stream().map(origin -> origin.cluster().cluster()).toList());
        return of(EntryKind.SERVICE, namespace, name(first), Map.of(ORIGIN, clusters), label(first), spec);
    }

    /// Its endpoints in one cluster, as one.
    static EntryObject workload(String namespace, OriginService origin) {
        var service = origin.service();
        var cluster = origin.cluster().cluster();
        var spec = new LinkedHashMap<String, Object>();
        spec.put("network", origin.cluster().network());
        spec.put("weight", service.ready());
        spec.put("labels", Map.of(SERVICE, label(service)));
        service.shares().stream()
                .max(Comparator.comparingInt(LocalityShare::ready))
                .map(share -> share.locality())
                .filter(place -> !place.region().isEmpty())
                .ifPresent(place -> spec.put(
                        "locality",
                        String.join(
                                "/",
                                Stream.of(place.region(), place.zone(), place.subzone())
                                        .filter(part -> !part.isEmpty())
                                        .toList())));
        return of(
                EntryKind.WORKLOAD,
                namespace,
                name(service) + "." + cluster,
                Map.of(ORIGIN, cluster, "ambient.istio.io/redirection", "enabled"), // it is reached through HBONE
                label(service),
                spec);
    }

    private static EntryObject of(
            EntryKind kind,
            String namespace,
            String name,
            Map<String, String> annotations,
            String service,
            Map<String, Object> spec) {
        var labels = Map.of(SERVICE, service, PeerManifest.MANAGED_BY, PeerManifest.MANAGER);
        return new EntryObject(
                kind,
                name,
                Json.of(Map.of(
                        "apiVersion",
                        "networking.istio.io/v1",
                        "kind",
                        kind.title(),
                        "metadata",
                        Map.of("name", name, "namespace", namespace, "labels", labels, "annotations", annotations),
                        "spec",
                        spec)));
    }

    private static Collection<String> hosts(ServiceSummary service) {
        var shared = service.name() + "." + service.namespace() + ".svc.cluster.local";
        var ofMesh = service.name() + "." + service.namespace() + ".mesh.internal";
        return switch (service.scope()) {
            case SHARED_NAME -> List.of(shared);
            case MESH_NAME -> List.of(ofMesh);
            case BOTH_NAMES -> List.of(shared, ofMesh);
        };
    }

    private static List<Object> ports(ServiceSummary service) {
        return service.ports().stream()
                .map(port -> (Object) Map.of(
                        "number",
                        port.servicePort(),
                        "name",
                        "p" + port.servicePort(),
                        "protocol",
                        switch (port.appProtocol()) {
                            case HTTP11 -> "HTTP";
                            case HTTP2 -> "HTTP2";
                            case GRPC -> "GRPC";
                            case TLS -> "TLS";
                            case TCP, UNKNOWN -> "TCP";
                        }))
                .toList();
    }

    private static String identity(String trustDomain, String account) {
        var slash = account.indexOf('/');
        return "spiffe://%s/ns/%s/sa/%s"
                .formatted(trustDomain, account.substring(0, slash), account.substring(slash + 1));
    }

    private static String name(ServiceSummary service) {
        return service.name() + "." + service.namespace();
    }

    /// A name has room for more than a label.
    private static String label(ServiceSummary service) {
        var name = name(service);
        return name.length() <= LONGEST_LABEL ? name : PeerManifest.digest(name);
    }
}
