// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// A Gateway of class `istio-remote` as we write it: what of it counts, and no more, so that what an API server or
/// somebody else adds makes no difference.
///
/// @param labels those that say where it leads
/// @param annotations those that say who answers there
record PeerShape(
        String namespace,
        String name,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        List<LinkAddress> addresses,
        List<PeerListener> listeners) {
    static final String CLASS = "istio-remote";
    static final String NETWORK = "topology.istio.io/network";
    static final String CLUSTER = "topology.istio.io/cluster";
    static final String ACCOUNT = "gateway.istio.io/service-account";
    static final String TRUST_DOMAIN = "gateway.istio.io/trust-domain";
    /// Whoever has this label is ours, and no other object is ever changed or removed.
    static final String OWNER = "app.kubernetes.io/managed-by";

    static final String OWNED = "fathomctl";
    private static final String NAME_PREFIX = "istio-remote-peer-";
    private static final String TUNNELS = "cross-network";
    private static final String DISCOVERY = "xds-tls";
    private static final List<String> LABELS = List.of(NETWORK, CLUSTER, OWNER);
    private static final List<String> ANNOTATIONS = List.of(ACCOUNT, TRUST_DOMAIN);

    /// @param mode of TLS; empty if nothing is said of it
    record PeerListener(String name, int port, String protocol, String mode) {}

    PeerShape {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
        annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
        addresses = List.copyOf(addresses);
        listeners = List.copyOf(listeners);
    }

    /// What stands for a gateway of a cluster in all others.
    ///
    /// @param number of the gateway among those of its cluster, from 1
    static PeerShape of(ClusterFacts cluster, EastWestGateway gateway, int number) {
        var listeners = new ArrayList<PeerListener>();
        gateway.hbonePort().ifPresent(port -> listeners.add(new PeerListener(TUNNELS, port, "HBONE", "Passthrough")));
        gateway.discoveryPort()
                .ifPresent(port -> listeners.add(new PeerListener(DISCOVERY, port, "TLS", "Passthrough")));
        return new PeerShape(
                gateway.namespace(),
                NAME_PREFIX + objectName(cluster.id()) + (number == 1 ? "" : "-" + number),
                new TreeMap<>(Map.of(NETWORK, cluster.network(), CLUSTER, cluster.id(), OWNER, OWNED)),
                new TreeMap<>(Map.of(ACCOUNT, gateway.account(), TRUST_DOMAIN, cluster.trustDomain())),
                gateway.addresses(),
                listeners);
    }

    /// Objects have small letters.
    private static String objectName(String cluster) {
        return cluster.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
    }

    /// What is there.
    static PeerShape read(Tree gateway) {
        var root = Field.root(gateway);
        var metadata = root.at("metadata");
        var listeners = new ArrayList<PeerListener>();
        for (var listener : root.at("spec").at("listeners").items()) {
            listeners.add(new PeerListener(
                    listener.at("name").text(),
                    listener.at("port").integer(1, 65535).orElse(0),
                    listener.at("protocol").text(),
                    listener.at("tls").at("mode").text()));
        }
        return new PeerShape(
                metadata.at("namespace").text("default"),
                metadata.at("name").text(),
                chosen(metadata.at("labels"), LABELS),
                chosen(metadata.at("annotations"), ANNOTATIONS),
                addresses(root.at("spec").at("addresses")),
                listeners);
    }

    static List<LinkAddress> addresses(Field field) {
        return field.items().stream()
                .map(address -> new LinkAddress(
                        address.at("type").text("IPAddress"),
                        address.at("value").text()))
                .toList();
    }

    private static SortedMap<String, String> chosen(Field field, List<String> keys) {
        var chosen = new TreeMap<String, String>();
        field.textMap().forEach((key, value) -> {
            if (keys.contains(key)) {
                chosen.put(key, value);
            }
        });
        return chosen;
    }

    static boolean isPeer(Tree gateway) {
        return Field.root(gateway).at("spec").at("gatewayClassName").text().equals(CLASS);
    }

    boolean isOwned() {
        return OWNED.equals(labels.get(OWNER));
    }

    /// The cluster that it stands for: its label says so, or its name; empty if neither does.
    String cluster() {
        var fromName = name.startsWith(NAME_PREFIX) ? name.substring(NAME_PREFIX.length()) : "";
        return labels.getOrDefault(CLUSTER, fromName);
    }

    String network() {
        return labels.getOrDefault(NETWORK, "");
    }

    /// Who has to answer there.
    String account() {
        return annotations.getOrDefault(ACCOUNT, name.startsWith(NAME_PREFIX) ? "istio-eastwest" : name + "-" + CLASS);
    }

    OptionalInt hbonePort() {
        return listeners.stream()
                .filter(listener -> listener.protocol().equals("HBONE"))
                .mapToInt(PeerListener::port)
                .findFirst();
    }

    String path() {
        return namespace + "/" + name;
    }

    Tree tree() {
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("name", name);
        metadata.put("namespace", namespace);
        metadata.put("labels", labels);
        metadata.put("annotations", annotations);
        var spec = new LinkedHashMap<String, Object>();
        spec.put("gatewayClassName", CLASS);
        spec.put(
                "addresses",
                addresses.stream()
                        .map(address -> sorted("type", address.type(), "value", address.value()))
                        .toList());
        spec.put("listeners", listeners.stream().map(PeerShape::tree).toList());
        var object = new LinkedHashMap<String, Object>();
        object.put("apiVersion", "gateway.networking.k8s.io/v1");
        object.put("kind", "Gateway");
        object.put("metadata", metadata);
        object.put("spec", spec);
        return Json.of(object);
    }

    private static Map<String, Object> tree(PeerListener listener) {
        var fields = sorted("name", listener.name(), "protocol", listener.protocol());
        fields.put("port", listener.port());
        if (!listener.mode().isEmpty()) {
            fields.put("tls", Map.of("mode", listener.mode()));
        }
        return fields;
    }

    private static Map<String, Object> sorted(String first, String one, String second, String other) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put(first, one);
        fields.put(second, other);
        return fields;
    }
}
