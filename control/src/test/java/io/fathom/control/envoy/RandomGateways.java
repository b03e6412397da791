// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.gateway.TlsSecrets;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Gateways, ListenerSets, routes and Services at random: `edge/gw` lets traffic in, `infra/wp` is the waypoint of
/// `shop/s0` and `shop/s1`. Each route has a path and a backend `b-<route>` of its own.
final class RandomGateways {
    static final int ROUTES = 7;
    private static final List<String> HOSTS = List.of("*.example.com", "a.example.com", "*.com", "b.example.org");
    private static final List<String> NAMESPACES = List.of("edge", "shop", "other");

    private final Random random;
    private final ManifestReader reader;
    private final List<Manifest> manifests = new ArrayList<>();

    private RandomGateways(long seed, ManifestReader reader) {
        this.random = new Random(seed);
        this.reader = reader;
    }

    static ManifestReader reader() {
        return new ManifestReader(
                ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    }

    static List<Manifest> of(long seed, ManifestReader reader) {
        var made = new RandomGateways(seed, reader);
        made.make();
        return made.manifests;
    }

    private void make() {
        add("v1", "Namespace", "", "other", Map.of("labels", Map.of("team", "red")), Map.of());
        gateway();
        for (var i = 0; i < random.nextInt(3); i++) {
            add(
                    "gateway.networking.k8s.io/v1",
                    "ListenerSet",
                    one(List.of("shop", "other")),
                    "ls" + i,
                    day(),
                    Map.of(
                            "parentRef", Map.of("name", "gw", "namespace", "edge"),
                            "listeners", listeners(3)));
        }
        add(
                "gateway.networking.k8s.io/v1",
                "Gateway",
                "infra",
                "wp",
                Map.of(),
                Map.of(
                        "gatewayClassName",
                        "istio-waypoint",
                        "listeners",
                        List.of(Map.of(
                                "name",
                                "mesh",
                                "port",
                                15008,
                                "protocol",
                                "HBONE",
                                "allowedRoutes",
                                Map.of("namespaces", Map.of("from", "All"))))),
                Map.of("addresses", List.of(Map.of("type", "Hostname", "value", "wp.infra.svc.cluster.local"))));
        for (var name : List.of("good", "bad", "opaque")) {
            for (var namespace : NAMESPACES) {
                secret(namespace, name);
            }
        }
        var waypoint = Map.of("istio.io/use-waypoint", "wp", "istio.io/use-waypoint-namespace", "infra");
        service("shop", "s0", waypoint, List.of(port("http", 80), port("tcp-db", 90)));
        service("shop", "s1", waypoint, List.of(port("any", 80)));
        service("shop", "s2", Map.of(), List.of(port("http", 80)));
        if (random.nextBoolean()) {
            add(
                    "gateway.networking.k8s.io/v1beta1",
                    "ReferenceGrant",
                    "other",
                    "grant",
                    Map.of(),
                    Map.of(
                            "from",
                            List.of(Map.of(
                                    "group", "gateway.networking.k8s.io", "kind", "HTTPRoute", "namespace", "shop")),
                            "to",
                            List.of(Map.of("group", "", "kind", "Service"))));
        }
        for (var i = 0; i < ROUTES; i++) {
            route("r" + i);
        }
    }

    private void gateway() {
        var spec = new LinkedHashMap<String, Object>();
        spec.put("gatewayClassName", "istio");
        spec.put("listeners", listeners(5));
        if (random.nextInt(4) > 0) {
            spec.put("allowedListeners", Map.of("namespaces", Map.of("from", one(List.of("All", "All", "None")))));
        }
        add("gateway.networking.k8s.io/v1", "Gateway", "edge", "gw", Map.of(), spec);
    }

    private List<Object> listeners(int most) {
        var result = new ArrayList<Object>();
        for (var i = 0; i <= random.nextInt(most); i++) {
            var listener = new LinkedHashMap<String, Object>();
            listener.put("name", "l" + i);
            listener.put("port", one(List.of(80, 80, 81, 443, 443, 444)));
            var protocol = one(List.of("HTTP", "HTTP", "HTTPS", "TLS", "TCP", "UDP"));
            listener.put("protocol", protocol);
            if (random.nextInt(3) > 0 && !protocol.equals("TCP")) {
                listener.put("hostname", one(HOSTS));
            }
            if (protocol.equals("HTTPS") || protocol.equals("TLS")) {
                listener.put(
                        "tls",
                        protocol.equals("TLS") && random.nextBoolean()
                                ? Map.of("mode", "Passthrough")
                                : Map.of("certificateRefs", List.of(certificate())));
            }
            var allowed = new LinkedHashMap<String, Object>();
            allowed.put(
                    "namespaces",
                    one(List.of(
                            Map.of("from", "All"),
                            Map.of("from", "All"),
                            Map.of("from", "Same"),
                            Map.of("from", "Selector", "selector", Map.of("matchLabels", Map.of("team", "red"))))));
            if (random.nextInt(5) == 0) {
                allowed.put("kinds", List.of(Map.of("kind", one(List.of("HTTPRoute", "TCPRoute", "GRPCRoute")))));
            }
            listener.put("allowedRoutes", allowed);
            result.add(listener);
        }
        return result;
    }

    private Map<String, Object> certificate() {
        var name = one(List.of("good", "good", "good", "bad", "opaque", "missing"));
        return random.nextInt(6) == 0 ? Map.of("name", name, "namespace", "other") : Map.of("name", name);
    }

    private void route(String name) {
        var kind = one(List.of("HTTPRoute", "HTTPRoute", "HTTPRoute", "TLSRoute", "TCPRoute"));
        var namespace = one(NAMESPACES);
        var parents = new ArrayList<Object>();
        for (var i = 0; i <= random.nextInt(2); i++) {
            parents.add(parent());
        }
        var spec = new LinkedHashMap<String, Object>();
        spec.put("parentRefs", parents);
        if (!kind.equals("TCPRoute")) {
            var hosts = new ArrayList<Object>();
            for (var i = 0; i < random.nextInt(3); i++) {
                hosts.add(one(HOSTS));
            }
            spec.put("hostnames", hosts);
        }
        var backends = random.nextInt(6) == 0 ? "other" : namespace;
        service(backends, "b-" + name, Map.of(), List.of(port("http", 80)));
        var rule = new LinkedHashMap<String, Object>();
        if (kind.equals("HTTPRoute")) {
            rule.put("matches", List.of(Map.of("path", Map.of("type", "PathPrefix", "value", "/" + name))));
        }
        rule.put("backendRefs", List.of(Map.of("name", "b-" + name, "namespace", backends, "port", 80)));
        spec.put("rules", List.of(rule));
        var version = kind.equals("HTTPRoute") ? "v1" : "v1alpha2";
        add("gateway.networking.k8s.io/" + version, kind, namespace, name, day(), spec);
    }

    private Map<String, Object> parent() {
        var result = new LinkedHashMap<String, Object>();
        switch (random.nextInt(5)) {
            case 0 -> {
                result.put("kind", "Service");
                result.put("name", one(List.of("s0", "s0", "s1", "s2", "s9")));
                result.put("namespace", "shop");
                if (random.nextInt(3) == 0) {
                    result.put("sectionName", one(List.of("http", "tcp-db", "wrong")));
                }
                if (random.nextInt(3) == 0) {
                    result.put("port", one(List.of(80, 90, 91)));
                }
            }
            case 1 -> {
                result.put("kind", "ListenerSet");
                result.put("name", one(List.of("ls0", "ls1")));
                result.put("namespace", one(List.of("shop", "other")));
            }
            default -> {
                result.put("name", "gw");
                result.put("namespace", "edge");
                if (random.nextInt(3) == 0) {
                    result.put("sectionName", one(List.of("l0", "l1", "l2")));
                }
                if (random.nextInt(4) == 0) {
                    result.put("port", one(List.of(80, 443)));
                }
            }
        }
        return result;
    }

    private void secret(String namespace, String name) {
        if (random.nextInt(8) == 0) {
            return;
        }
        var yaml = switch (name) {
            case "good" -> TlsSecrets.good(namespace, name);
            case "bad" -> TlsSecrets.mismatched(namespace, name);
            default -> TlsSecrets.ofAnotherType(namespace, name);
        };
        read(((Document.Parsed) Documents.ofYaml("secret", yaml, Limits.DEFAULT).getFirst()).root());
    }

    private void service(String namespace, String name, Map<String, String> labels, List<Object> ports) {
        add(
                "v1",
                "Service",
                namespace,
                name,
                Map.of("labels", labels),
                Map.of("clusterIP", "10.0.0." + (1 + random.nextInt(250)), "ports", ports));
    }

    private static Object port(String name, int number) {
        return Map.of("name", name, "port", number);
    }

    private Map<String, Object> day() {
        return Map.of("creationTimestamp", "2026-01-0" + (1 + random.nextInt(9)) + "T00:00:00Z");
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private void add(
            String version, String kind, String namespace, String name, Map<String, ?> metadata, Map<String, ?> spec) {
        add(version, kind, namespace, name, metadata, spec, Map.of());
    }

    private void add(
            String version,
            String kind,
            String namespace,
            String name,
            Map<String, ?> metadata,
            Map<String, ?> spec,
            Map<String, ?> status) {
        var all = new LinkedHashMap<String, Object>(metadata);
        all.put("name", name);
        if (!namespace.isEmpty()) {
            all.put("namespace", namespace);
        }
        read(Json.of(Map.of("apiVersion", version, "kind", kind, "metadata", all, "spec", spec, "status", status)));
    }

    private void read(Tree tree) {
        for (var reading : reader.read(tree, _ -> Instant.EPOCH)) {
            manifests.add(((Reading.Good) reading).manifest());
        }
    }
}
