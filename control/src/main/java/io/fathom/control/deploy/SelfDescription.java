// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The Gateway of class `istio-remote` that stands for our own cluster, for others to copy: it leads to our east-west
/// gateway and says all that others have to know of it. Pure.
///
/// @param namespace that of the east-west gateway
/// @param ports of its listeners
/// @param content all of it
public record SelfDescription(
        String namespace,
        String name,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<String> addresses,
        List<Integer> ports,
        Map<String, Object> content) {
    static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    static final String MANAGER = "fathomd";
    private static final String PREFIX = "istio-remote-peer-";
    private static final String ADVERTISE = "fleet.fathom.io/advertise";
    private static final List<String> COPIED = List.of(ADVERTISE, "fleet.fathom.io/distribute-to");
    private static final int HBONE_PORT = 15008;
    private static final int XDS_PORT = 15012;

    public SelfDescription {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        content = Map.copyOf(content);
    }

    /// What a cluster is called.
    ///
    /// @param network empty where it has no name
    public record OwnNames(String cluster, String network, String trustDomain) {}

    /// Nothing while there is no gateway that others could use; of several the oldest counts.
    ///
    /// @param gateways those of our cluster that let other networks in
    public static Optional<SelfDescription> of(OwnNames names, Collection<GatewayManifest> gateways) {
        return gateways.stream()
                .filter(gateway -> gateway.metadata().lifecycle() == Metadata.Lifecycle.ACTIVE)
                .filter(gateway -> !addresses(gateway).isEmpty())
                .min(Comparator.comparing(GatewayManifest::metadata, Metadata.OLDEST_FIRST))
                .map(gateway -> of(names, gateway));
    }

    /// Whether a Gateway is one of those that we write.
    public static boolean isOurs(GatewayManifest gateway) {
        return MANAGER.equals(gateway.labels().get(MANAGED_BY));
    }

    private static SelfDescription of(OwnNames names, GatewayManifest gateway) {
        var labels = new TreeMap<String, String>();
        labels.put(
                Markers.NETWORK,
                Stream.of(gateway.labels().getOrDefault(Markers.NETWORK, ""), names.network(), names.cluster())
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .orElseThrow());
        labels.put(Markers.CLUSTER, names.cluster());
        labels.put(MANAGED_BY, MANAGER);
        copy(gateway.labels(), List.of(Markers.REGION, Markers.ZONE), labels);
        var annotations = new TreeMap<String, String>();
        var given = gateway.infrastructure().ownAnnotations();
        annotations.put(
                Markers.GATEWAY_SERVICE_ACCOUNT, given.getOrDefault(Markers.GATEWAY_SERVICE_ACCOUNT, gateway.name()));
        annotations.put(Markers.GATEWAY_TRUST_DOMAIN, names.trustDomain());
        copy(given, COPIED, annotations);
        var name = PREFIX + names.cluster();
        var content = new LinkedHashMap<String, Object>();
        content.put("apiVersion", "gateway.networking.k8s.io/v1");
        content.put("kind", "Gateway");
        content.put(
                "metadata",
                Map.of("name", name, "namespace", gateway.namespace(), "labels", labels, "annotations", annotations));
        content.put(
                "spec",
                Map.of(
                        "gatewayClassName",
                        "istio-remote",
                        "addresses",
                        addresses(gateway).stream()
                                .map(SelfDescription::address)
                                .toList(),
                        "listeners",
                        listeners(gateway)));
        return new SelfDescription(
                gateway.namespace(), name, labels, annotations, addresses(gateway), ports(gateway), content);
    }

    private static void copy(Map<String, String> from, List<String> names, Map<String, String> to) {
        names.stream().filter(from::containsKey).forEach(name -> to.put(name, from.get(name)));
    }

    /// What the operator says, else what the load balancer got, else what the Gateway asks for.
    private static List<String> addresses(GatewayManifest gateway) {
        var advertised = gateway.infrastructure().ownAnnotations().getOrDefault(ADVERTISE, "");
        if (!advertised.isBlank()) {
            return Stream.of(advertised.split(",", -1))
                    .map(String::strip)
                    .map(SelfDescription::withoutPort)
                    .filter(host -> !host.isEmpty())
                    .toList();
        }
        var given = gateway.statusAddresses().isEmpty() ? gateway.specAddresses() : gateway.statusAddresses();
        return given.stream()
                .map(GatewayManifest.Address::value)
                .filter(value -> !value.isEmpty())
                .toList();
    }

    private static String withoutPort(String text) {
        var bare = text.startsWith("[") ? text.substring(1, Math.max(1, text.indexOf(']'))) : text;
        return Ip.parse(bare).isPresent() ? bare : bare.replaceFirst(":[0-9]+$", "");
    }

    private static Map<String, String> address(String host) {
        return Map.of("type", Ip.parse(host).isPresent() ? "IPAddress" : "Hostname", "value", host);
    }

    private static List<Integer> ports(GatewayManifest gateway) {
        var ports = new ArrayList<Integer>();
        ports.add(gateway.listeners().stream()
                .filter(listener -> listener.protocol().equals("HBONE"))
                .findFirst()
                .map(GatewayManifest.Listener::port)
                .orElse(HBONE_PORT));
        gateway.listeners().stream()
                .filter(listener -> listener.protocol().equals("TLS") && listener.port() == XDS_PORT)
                .limit(1)
                .forEach(_ -> ports.add(XDS_PORT));
        return ports;
    }

    private static List<Object> listeners(GatewayManifest gateway) {
        var ports = ports(gateway);
        var listeners = new ArrayList<Object>();
        listeners.add(listener("cross-network", ports.getFirst(), "HBONE"));
        ports.stream().skip(1).forEach(port -> listeners.add(listener("xds-tls", port, "TLS")));
        return listeners;
    }

    private static Map<String, Object> listener(String name, int port, String protocol) {
        return Map.of("name", name, "port", port, "protocol", protocol, "tls", Map.of("mode", "Passthrough"));
    }

    /// Whether a Gateway says all of that.
    boolean isAs(GatewayManifest there) {
        return there.labels().entrySet().containsAll(labels.entrySet())
                && there.infrastructure().ownAnnotations().entrySet().containsAll(annotations.entrySet())
                && there.specAddresses().stream()
                        .map(GatewayManifest.Address::value)
                        .toList()
                        .equals(addresses)
                && there.listeners().stream()
                        .map(GatewayManifest.Listener::port)
                        .toList()
                        .equals(ports);
    }

    /// For an API server.
    Tree tree() {
        return Json.of(content);
    }
}
