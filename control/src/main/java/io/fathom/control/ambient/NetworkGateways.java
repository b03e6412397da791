// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.Destination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The ways into other networks: local Gateways that stand for gateways elsewhere. Each address is also served as a
/// workload, so that clients know which identity answers there.
final class NetworkGateways {
    private final Table<ObjectKey, List<NetworkGateway>> byGateway;
    private final Table<String, List<NetworkGateway>> byNetwork;
    private final Table<String, List<GatewayAddress>> ways;
    private final Table<String, Workload> workloads;

    NetworkGateways(Flow flow, Inputs inputs) {
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
        workloads = flow.deriveMany(
                "network-gateways/workloads", byGateway, (fetch, found) -> workloads(fetch, inputs, found));
    }

    /// Sorted by Gateway, then in the order of its status.
    Table<String, List<NetworkGateway>> byNetwork() {
        return byNetwork;
    }

    /// The addresses behind which a network can be reached.
    Table<String, List<GatewayAddress>> ways() {
        return ways;
    }

    Table<ObjectKey, List<NetworkGateway>> byGateway() {
        return byGateway;
    }

    Table<String, Workload> workloads() {
        return workloads;
    }

    /// Where a workload of that network is reached from other networks.
    Optional<GatewayAddress> first(Fetch<?> fetch, String network) {
        return of(fetch, network).stream().map(NetworkGateway::address).findFirst();
    }

    /// All addresses behind which a network can be reached.
    List<NetworkGateway> of(Fetch<?> fetch, String network) {
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

    private static Map<String, Workload> workloads(Fetch<?> fetch, Inputs inputs, List<NetworkGateway> gateways) {
        var trustDomain = inputs.mesh(fetch).shownTrustDomain();
        return gateways.stream()
                .map(gateway -> workload(gateway, trustDomain))
                .collect(Collectors.toMap(Workload::uid, own -> own, (first, _) -> first, LinkedHashMap::new));
    }

    private static Workload workload(NetworkGateway gateway, String trustDomain) {
        var draft = new WorkloadDraft(
                gateway.uid(), gateway.uid(), gateway.gateway().namespace());
        draft.network = gateway.network();
        draft.trustDomain = trustDomain;
        draft.serviceAccount = gateway.account();
        switch (gateway.address().destination()) {
            case Destination.ByHostname(NamespacedHostname host) -> draft.hostname = host.hostname();
            case Destination.ByAddress(NetworkAddress address) ->
                draft.addresses = List.of(address.block().address());
        }
        return draft.finish();
    }
}
