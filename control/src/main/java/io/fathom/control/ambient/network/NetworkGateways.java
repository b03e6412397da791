// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The ways into other networks: local Gateways that stand for gateways elsewhere, and the east-west gateways that
/// other clusters run. Each address is also served as a workload, so that clients know which identity answers there.
public final class NetworkGateways {
    private final Table<ObjectKey, List<NetworkGateway>> declared;
    private final Table<ObjectKey, List<NetworkGateway>> byGateway;
    private final Table<String, List<NetworkGateway>> byNetwork;

    /// @param others the objects of other clusters
    /// @param told the networks that clusters say they are on
    public NetworkGateways(Flow flow, PeerGateways peers, Inputs others, Table<String, String> told) {
        declared = flow.derive("network-gateways", peers.table(), (fetch, peer) -> gateways(fetch, peer, told));
        var elsewhere = flow.derive(
                "remote/network-gateways", others.gateways(), (fetch, gateway) -> gateways(fetch, others, gateway));
        byGateway = flow.join("network-gateways/all", List.of(declared, elsewhere));
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
    }

    /// Sorted by Gateway, then in the order of its status.
    public Table<String, List<NetworkGateway>> byNetwork() {
        return byNetwork;
    }

    /// By Gateway, of whatever cluster.
    public Table<ObjectKey, List<NetworkGateway>> byGateway() {
        return byGateway;
    }

    /// By local Gateway.
    public Table<ObjectKey, List<NetworkGateway>> declared() {
        return declared;
    }

    /// Where a workload of that network is reached from other networks. Gateways of other clusters are left out:
    /// workloads behind them are folded, and those of a network that we share are reached directly.
    public Optional<GatewayAddress> first(Fetch<?> fetch, String network) {
        return of(fetch, network).stream()
                .map(NetworkGateway::address)
                .filter(address -> address.hbonePort() != 0)
                .findFirst();
    }

    /// All addresses behind which a network can be reached.
    public List<NetworkGateway> of(Fetch<?> fetch, String network) {
        return network.isEmpty() ? List.of() : fetch.one(byNetwork, network).orElse(List.of());
    }

    private static Optional<List<NetworkGateway>> gateways(
            Fetch<?> fetch, PeerGateway peer, Table<String, String> told) {
        var said = peer.cluster().flatMap(cluster -> fetch.one(told, cluster));
        var network = peer.network(said);
        if (network.isEmpty() || peer.hbonePort().isEmpty()) {
            return Optional.empty();
        }
        var port = peer.hbonePort().getAsInt();
        return some(peer.addresses().stream()
                .flatMap(address -> gateway(peer.key(), network.get(), port, peer.account(), address).stream())
                .map(gateway -> gateway.in(peer.trustDomain()))
                .toList());
    }

    /// The east-west gateway of another cluster.
    private static Optional<List<NetworkGateway>> gateways(Fetch<?> fetch, Inputs inputs, GatewayManifest gateway) {
        var network = gateway.labels().getOrDefault(Markers.NETWORK, "");
        if (network.isEmpty() || gateway.statusAddresses().isEmpty()) {
            return Optional.empty(); // asks for no class: most Gateways end here
        }
        var gatewayClass = fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
        if (GatewayKind.of(gateway.className(), gatewayClass) != GatewayKind.EAST_WEST
                || gateway.listeners().stream().noneMatch(NetworkGateways::terminatesHbone)) {
            return Optional.empty();
        }
        var account = gateway.annotations().getOrDefault(Markers.GATEWAY_SERVICE_ACCOUNT, gateway.name());
        // Upstream names no port for these, and clients that know none use that of HBONE.
        return some(gateway.statusAddresses().stream()
                .flatMap(address -> gateway(gateway.key(), network, 0, account, address).stream())
                .toList());
    }

    private static Optional<List<NetworkGateway>> some(List<NetworkGateway> gateways) {
        return Optional.of(gateways).filter(found -> !found.isEmpty());
    }

    private static boolean terminatesHbone(Listener listener) {
        return listener.protocol().equals("HBONE")
                && listener.tls().filter(GatewayManifest.Tls::terminates).isPresent();
    }

    private static Optional<NetworkGateway> gateway(
            ObjectKey key, String network, int port, String account, GatewayManifest.Address address) {
        return destination(key, network, address)
                .map(destination -> new NetworkGateway(
                        key, network, new GatewayAddress(destination, port), account, "", address.value()));
    }

    private static Optional<GatewayDestination> destination(
            ObjectKey key, String network, GatewayManifest.Address address) {
        return switch (address.type()) {
            case "Hostname" ->
                Optional.of(
                        new GatewayDestination.ByHostname(new NamespacedHostname(key.namespace(), address.value())));
            case "IPAddress" ->
                Ip.parse(address.value()).map(ip -> new GatewayDestination.ByAddress(NetworkAddress.of(network, ip)));
            default -> Optional.empty();
        };
    }
}
