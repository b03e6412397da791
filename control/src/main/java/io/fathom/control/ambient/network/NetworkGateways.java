// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.Destination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The ways into other networks: local Gateways that stand for gateways elsewhere.
public final class NetworkGateways {
    private final Table<ObjectKey, List<NetworkGateway>> byGateway;
    private final Table<String, List<NetworkGateway>> byNetwork;
    private final Table<String, List<GatewayAddress>> ways;

    public NetworkGateways(Flow flow, Inputs inputs) {
        byGateway = flow.derive("network-gateways", inputs.gateways(), (fetch, gateway) -> {
            var network = gateway.labels().getOrDefault(Markers.NETWORK, "");
            if (network.isEmpty() || gateway.statusAddresses().isEmpty()) {
                return Optional.empty(); // asks for no class: most Gateways end here
            }
            var gatewayClass = fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
            return GatewayKind.of(gateway.className(), gatewayClass) == GatewayKind.REMOTE
                    ? Optional.of(gateways(gateway, network)).filter(found -> !found.isEmpty())
                    : Optional.empty();
        });
        // All addresses of one Gateway are on one network.
        var index = flow.index(
                "network-gateways/by-network",
                byGateway,
                found -> Set.of(found.getFirst().network()));
        byNetwork = flow.reduce(
                "network-gateways/of-network",
                index,
                (fetch, network, members) ->
                        Optional.of(members.stream().flatMap(List::stream).toList()));
        ways = flow.derive(
                "network-gateways/ways",
                byNetwork,
                (fetch, found) -> Optional.of(
                        found.stream().map(NetworkGateway::address).distinct().toList()));
    }

    /// Sorted by Gateway, then in the order of its status.
    public Table<String, List<NetworkGateway>> byNetwork() {
        return byNetwork;
    }

    /// The addresses behind which a network can be reached.
    public Table<String, List<GatewayAddress>> ways() {
        return ways;
    }

    public Table<ObjectKey, List<NetworkGateway>> byGateway() {
        return byGateway;
    }

    /// Where a workload of that network is reached from other networks.
    public Optional<GatewayAddress> first(Fetch<?> fetch, String network) {
        return of(fetch, network).stream().map(NetworkGateway::address).findFirst();
    }

    /// All addresses behind which a network can be reached.
    public List<NetworkGateway> of(Fetch<?> fetch, String network) {
        return network.isEmpty() ? List.of() : fetch.one(byNetwork, network).orElse(List.of());
    }

    private static List<NetworkGateway> gateways(GatewayManifest gateway, String network) {
        var port = gateway.listeners().stream()
                .filter(listener -> listener.protocol().equals("HBONE") && listener.port() != 0)
                .map(Listener::port)
                .findFirst();
        if (port.isEmpty()) {
            return List.of();
        }
        var account =
                gateway.annotations().getOrDefault(Markers.GATEWAY_SERVICE_ACCOUNT, gateway.name() + "-istio-remote");
        return gateway.statusAddresses().stream()
                .flatMap(address -> destination(gateway, network, address).stream()
                        .map(destination -> new NetworkGateway(
                                gateway.key(),
                                network,
                                new GatewayAddress(destination, port.get()),
                                account,
                                address.value())))
                .toList();
    }

    private static Optional<Destination> destination(
            GatewayManifest gateway, String network, GatewayManifest.Address address) {
        return switch (address.type()) {
            case "Hostname" ->
                Optional.of(new Destination.ByHostname(new NamespacedHostname(gateway.namespace(), address.value())));
            case "IPAddress" ->
                Ip.parse(address.value()).map(ip -> new Destination.ByAddress(NetworkAddress.of(network, ip)));
            default -> Optional.empty();
        };
    }
}
