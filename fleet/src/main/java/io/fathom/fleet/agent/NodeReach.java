// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.tree.Field;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What of a cluster says how its gateways are reached from outside. A gateway that no load balancer gave an address is
/// reached through the port that its Service has on each node. Pure.
///
/// @param services of gateways
/// @param slices of these
public record NodeReach(List<KubeObject> services, List<KubeObject> slices, List<KubeObject> nodes) {
    /// Where there are no nodes.
    public static final NodeReach NONE = new NodeReach(List.of(), List.of(), List.of());

    /// The type of an address that is a node's.
    static final String NODE = "fleet.fathom.io/Node";

    static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final int MOST_NODES = 8;
    private static final int MOST_PORT = 65535;

    public NodeReach {
        services = List.copyOf(services);
        slices = List.copyOf(slices);
        nodes = List.copyOf(nodes);
    }

    /// A Gateway with addresses and ports that others can use, as far as there are any.
    GatewayManifest outside(GatewayManifest gateway) {
        var usable = gateway.statusAddresses().stream()
                .filter(address -> !isInternal(gateway, address))
                .toList();
        if (!usable.isEmpty() || !gateway.specAddresses().isEmpty()) {
            return with(gateway, usable, gateway.listeners());
        }
        return services.stream()
                .filter(service -> service.namespace().equals(gateway.namespace())
                        && gateway.name()
                                .equals(service.metadata()
                                        .at("labels")
                                        .textMap()
                                        .get(GATEWAY_NAME)))
                .findFirst()
                .map(service -> throughNodes(gateway, service))
                .orElseGet(() -> with(gateway, usable, gateway.listeners()));
    }

    /// Names that only the cluster's own DNS knows, and addresses of Services, which only its own nodes know.
    private boolean isInternal(GatewayManifest gateway, Address address) {
        return address.value().startsWith(gateway.name() + "." + gateway.namespace() + ".svc")
                || address.value().contains("." + gateway.namespace() + ".svc.")
                || services.stream()
                        .flatMap(service -> service.root().at("spec").at("clusterIPs").texts().stream())
                        .anyMatch(address.value()::equals);
    }

    private GatewayManifest throughNodes(GatewayManifest gateway, KubeObject service) {
        var spec = service.root().at("spec");
        var ports = new HashMap<Integer, Integer>();
        for (var port : spec.at("ports").items()) {
            var node = port.at("nodePort").integer(1, MOST_PORT);
            var own = port.at("port").integer(1, MOST_PORT);
            if (node.isPresent() && own.isPresent()) {
                ports.put(own.getAsInt(), node.getAsInt());
            }
        }
        var serving = spec.at("externalTrafficPolicy").text().equals("Local") ? readyNodes(service) : names();
        var addresses = nodes.stream()
                .filter(node -> serving.contains(node.name()) && isReady(node))
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .limit(MOST_NODES)
                .flatMap(NodeReach::addresses)
                .map(value -> new Address(NODE, value))
                .toList();
        var listeners = gateway.listeners().stream()
                .filter(listener -> ports.containsKey(listener.port()))
                .map(listener -> at(listener, ports))
                .toList();
        return listeners.isEmpty()
                ? with(gateway, List.of(), gateway.listeners())
                : with(gateway, addresses, listeners);
    }

    private static GatewayManifest.Listener at(GatewayManifest.Listener listener, Map<Integer, Integer> ports) {
        return new GatewayManifest.Listener(
                listener.name(),
                listener.hostname(),
                ports.getOrDefault(listener.port(), listener.port()),
                listener.protocol(),
                listener.tls(),
                listener.allowedRoutes());
    }

    private Set<String> names() {
        return nodes.stream().map(KubeObject::name).collect(Collectors.toSet());
    }

    /// Nodes with a ready endpoint: with the policy `Local` others drop what comes to them.
    private Set<String> readyNodes(KubeObject service) {
        return slices.stream()
                .filter(slice -> slice.namespace().equals(service.namespace())
                        && service.name()
                                .equals(slice.metadata().at("labels").textMap().get(SERVICE_NAME)))
                .flatMap(slice -> slice.root().at("endpoints").items().stream())
                .filter(endpoint -> endpoint.at("conditions").at("ready").flag(Field.Absent.MEANS_TRUE))
                .map(endpoint -> endpoint.at("nodeName").text())
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    }

    private static boolean isReady(KubeObject node) {
        return node.root().at("status").at("conditions").items().stream()
                .anyMatch(condition -> condition.at("type").text().equals("Ready")
                        && condition.at("status").text().equals("True"));
    }

    private static Stream<String> addresses(KubeObject node) {
        var external = addresses(node, "ExternalIP");
        return (external.isEmpty() ? addresses(node, "InternalIP") : external).stream();
    }

    private static Collection<String> addresses(KubeObject node, String type) {
        return node.root().at("status").at("addresses").items().stream()
                .filter(address -> address.at("type").text().equals(type))
                .map(address -> address.at("address").text())
                .toList();
    }

    private static GatewayManifest with(
            GatewayManifest gateway, List<Address> addresses, List<GatewayManifest.Listener> listeners) {
        return new GatewayManifest(
                gateway.metadata(),
                gateway.className(),
                listeners,
                gateway.specAddresses(),
                addresses,
                gateway.clients(),
                gateway.infrastructure(),
                gateway.allowedListeners(),
                gateway.generation());
    }
}
