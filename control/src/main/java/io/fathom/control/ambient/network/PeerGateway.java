// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.control.ambient.input.Markers;
import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/// A Gateway of class `istio-remote`, read in each of its three spellings: upstream's, with the label of a network;
/// Solo's, which also names the cluster, its trust domain and a port for discovery; and the plain one, which is called
/// `istio-remote-peer-CLUSTER` and says nothing else.
///
/// @param cluster that it stands for, where it says so
/// @param network that it leads to, where it says so
/// @param addresses of its status, or else of its spec: in a folder nobody writes a status
/// @param hbonePort where tunnels go; empty where it has no listener for them
/// @param discoveryPort where the control plane behind it answers, with TLS all the way
/// @param account who answers there, in the namespace of the Gateway
/// @param trustDomain of that one, where it says so
/// @param locality of all that is behind it, where it says so
/// @param discovery who tells what is behind it
public record PeerGateway(
        ObjectKey key,
        Optional<String> cluster,
        Optional<String> network,
        List<GatewayManifest.Address> addresses,
        OptionalInt hbonePort,
        OptionalInt discoveryPort,
        String account,
        Optional<String> trustDomain,
        Locality locality,
        Discovery discovery) {
    /// Who tells what a cluster has.
    public enum Discovery {
        /// Its control plane, which is asked.
        PEER,
        /// The agent of a fleet, which has written the Gateway.
        FLEET
    }

    /// How Gateways that stand for a cluster are called.
    public static final String NAME_PREFIX = "istio-remote-peer-";

    private static final String SERVICES = "fleet.fathom.io/services";
    private static final String BY_AGENT = "agent";
    private static final String PEER_ACCOUNT = "istio-eastwest";
    private static final String DISCOVERY_LISTENER = "xds-tls";
    private static final int DISCOVERY_PORT = 15012;
    private static final int HBONE_PORT = 15008;

    public PeerGateway {
        addresses = List.copyOf(addresses);
    }

    static PeerGateway of(GatewayManifest gateway) {
        var named = clusterOfName(gateway.name());
        var discovery = port(gateway, PeerGateway::isForDiscovery);
        var tunnels = port(gateway, listener -> listener.protocol().equals("HBONE"));
        return new PeerGateway(
                gateway.key(),
                label(gateway, Markers.CLUSTER).or(() -> named),
                label(gateway, Markers.NETWORK),
                gateway.statusAddresses().isEmpty() ? gateway.specAddresses() : gateway.statusAddresses(),
                // Newer tools write the port of discovery alone and mean the usual one for tunnels.
                tunnels.isEmpty() && discovery.isPresent() ? OptionalInt.of(HBONE_PORT) : tunnels,
                discovery,
                gateway.annotations()
                        .getOrDefault(
                                Markers.GATEWAY_SERVICE_ACCOUNT,
                                named.isPresent() ? PEER_ACCOUNT : gateway.name() + "-istio-remote"),
                Optional.ofNullable(gateway.annotations().get(Markers.GATEWAY_TRUST_DOMAIN))
                        .filter(domain -> !domain.isBlank()),
                new Locality(
                        label(gateway, Markers.REGION).orElse(""),
                        label(gateway, Markers.ZONE).orElse(""),
                        ""),
                BY_AGENT.equals(gateway.infrastructure().ownAnnotations().get(SERVICES))
                        ? Discovery.FLEET
                        : Discovery.PEER);
    }

    /// The network that it leads to: one that is named after the cluster while nobody says.
    ///
    /// @param told what the cluster itself says
    public Optional<String> network(Optional<String> told) {
        return network.or(() -> told.filter(name -> !name.isEmpty())).or(() -> cluster);
    }

    /// Whether it stands for a cluster that can tell what it has.
    public boolean isPeer() {
        return cluster.isPresent();
    }

    private static Optional<String> clusterOfName(String name) {
        return name.startsWith(NAME_PREFIX) && name.length() > NAME_PREFIX.length()
                ? Optional.of(name.substring(NAME_PREFIX.length()))
                : Optional.empty();
    }

    private static Optional<String> label(GatewayManifest gateway, String key) {
        return Optional.ofNullable(gateway.labels().get(key)).filter(value -> !value.isEmpty());
    }

    /// The port of a node may stand in for the usual one, so the name counts as well.
    private static boolean isForDiscovery(Listener listener) {
        return listener.protocol().equals("TLS")
                && (listener.name().equals(DISCOVERY_LISTENER) || listener.port() == DISCOVERY_PORT);
    }

    private static OptionalInt port(GatewayManifest gateway, Predicate<Listener> wanted) {
        return gateway.listeners().stream()
                .filter(listener -> listener.port() != 0 && wanted.test(listener))
                .mapToInt(Listener::port)
                .findFirst();
    }
}
