// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.fleet.agent.AgentConfig.GatewaySettings;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The east-west gateway of the agent's own cluster, as others are to know it. Pure.
///
/// @param fact nothing while there is no gateway that others could use
/// @param problems what is wrong with it
record LocalGateway(Optional<GatewayFact> fact, List<Problem> problems) {
    static final String NETWORK = "topology.istio.io/network";
    static final String ACCOUNT = "gateway.istio.io/service-account";
    static final String REGION = "topology.kubernetes.io/region";
    static final String ZONE = "topology.kubernetes.io/zone";
    static final String DISTRIBUTE_TO = "fleet.fathom.io/distribute-to";
    private static final String ADVERTISE = "fleet.fathom.io/advertise";
    private static final Set<String> CLASSES = Set.of("istio-east-west", "istio-eastwest");
    private static final String PEER_ACCOUNT = "istio-eastwest";
    private static final int HBONE_PORT = 15008;
    private static final int XDS_PORT = 15012;

    LocalGateway {
        problems = List.copyOf(problems);
    }

    static LocalGateway find(String cluster, Collection<GatewayManifest> gateways, GatewaySettings settings) {
        var said = gateways.stream()
                .filter(gateway -> isDescription(cluster, gateway, settings))
                .min(Comparator.comparing(GatewayManifest::metadata, Metadata.OLDEST_FIRST));
        return said.isPresent()
                ? described(cluster, said.get(), settings, new ArrayList<>())
                : fromGateway(cluster, gateways, settings);
    }

    /// What the control plane, or a person, says of the cluster is better than what we would say.
    private static boolean isDescription(String cluster, GatewayManifest gateway, GatewaySettings settings) {
        var remote = ExistingGateway.of(gateway.namespace(), gateway.name(), gateway.labels());
        return gateway.className().equals(PeerManifest.CLASS)
                && gateway.namespace().equals(settings.namespace())
                && gateway.metadata().lifecycle() == Metadata.Lifecycle.ACTIVE
                && remote.cluster().equals(cluster)
                && !remote.isOurs();
    }

    private static LocalGateway fromGateway(
            String cluster, Collection<GatewayManifest> gateways, GatewaySettings settings) {
        var found = gateways.stream()
                .filter(gateway -> CLASSES.contains(gateway.className()))
                .filter(gateway -> gateway.namespace().equals(settings.namespace()))
                .filter(gateway -> gateway.metadata().lifecycle() == Metadata.Lifecycle.ACTIVE)
                .sorted(Comparator.comparing(GatewayManifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
        if (found.isEmpty()) {
            return new LocalGateway(
                    Optional.empty(),
                    List.of(Problem.ofInput(
                            "no-east-west-gateway",
                            "there is no Gateway of class istio-east-west in namespace " + settings.namespace(),
                            "create one, or name its namespace with --namespace")));
        }
        var problems = new ArrayList<Problem>();
        if (found.size() > 1) {
            problems.add(Problem.ofInput(
                    "several-east-west-gateways",
                    found.size() + " Gateways could stand for the cluster: "
                            + found.getFirst().key().path() + " does",
                    "remove the others, if another one was meant"));
        }
        return described(cluster, found.getFirst(), settings, problems);
    }

    private static LocalGateway described(
            String cluster, GatewayManifest gateway, GatewaySettings settings, List<Problem> problems) {
        var addresses = addresses(gateway);
        if (addresses.isEmpty()) {
            problems.add(Problem.ofInput(
                    "gateway-without-address",
                    "Gateway " + gateway.key().path() + " has no address that others could use",
                    "wait for its load balancer, or say where it is: annotation " + ADVERTISE + ": HOST or HOST:PORT"));
            return new LocalGateway(Optional.empty(), problems);
        }
        var labels = gateway.labels();
        var annotations = annotations(gateway);
        var fact = new GatewayFact(
                gateway.key().path(),
                text(labels.getOrDefault(NETWORK, "")).or(settings::network).orElse(cluster),
                annotations.getOrDefault(
                        ACCOUNT, gateway.className().equals(PeerManifest.CLASS) ? PEER_ACCOUNT : gateway.name()),
                text(annotations.getOrDefault(PeerManifest.TRUST_DOMAIN, "")).orElse(settings.trustDomain()),
                addresses,
                new GatewayFact.Place(
                        labels.getOrDefault(REGION, settings.place().region()),
                        labels.getOrDefault(ZONE, settings.place().zone())),
                GatewayFact.GatewayState.ACTIVE,
                Audience.parse(annotations.getOrDefault(DISTRIBUTE_TO, "")));
        return new LocalGateway(Optional.of(fact), problems);
    }

    private static Map<String, String> annotations(GatewayManifest gateway) {
        return gateway.infrastructure().ownAnnotations();
    }

    private static Optional<String> text(String value) {
        return Optional.of(value).filter(it -> !it.isEmpty());
    }

    /// What the operator says, else what the load balancer got, else what the Gateway asks for.
    private static List<GatewayAddress> addresses(GatewayManifest gateway) {
        var hbone = port(gateway, "HBONE", HBONE_PORT).orElse(HBONE_PORT);
        var xds = port(gateway, "TLS", XDS_PORT).orElse(0);
        var advertised = annotations(gateway).getOrDefault(ADVERTISE, "");
        if (!advertised.isBlank()) {
            return Stream.of(advertised.split(",", -1))
                    .map(String::strip)
                    .flatMap(text -> advertised(text, hbone, xds).stream())
                    .toList();
        }
        var given = gateway.statusAddresses().isEmpty() ? gateway.specAddresses() : gateway.statusAddresses();
        return given.stream()
                .filter(address -> !address.value().isEmpty())
                .flatMap(address ->
                        kind(address).stream().map(kind -> new GatewayAddress(kind, address.value(), hbone, xds)))
                .toList();
    }

    private static Optional<GatewayAddress.Kind> kind(GatewayManifest.Address address) {
        return switch (address.type()) {
            case "IPAddress", "" -> Optional.of(GatewayAddress.Kind.LB_IP);
            case "Hostname" -> Optional.of(GatewayAddress.Kind.LB_HOST);
            case NodeReach.NODE -> Optional.of(GatewayAddress.Kind.NODE);
            default -> Optional.empty();
        };
    }

    private static Optional<GatewayAddress> advertised(String text, int hbone, int xds) {
        var hasPort = text.matches("[^:]+:[0-9]+|\\[.*]:[0-9]+");
        return ServerAddress.parse(text.indexOf(':') >= 0 && !hasPort ? "[" + text + "]:" + hbone : text)
                .map(address -> new GatewayAddress(
                        GatewayAddress.Kind.STATIC, address.host(), hasPort ? address.port() : hbone, xds));
    }

    private static Optional<Integer> port(GatewayManifest gateway, String protocol, int usual) {
        var ports = gateway.listeners().stream()
                .filter(listener -> listener.protocol().equals(protocol))
                .map(GatewayManifest.Listener::port)
                .toList();
        return protocol.equals("TLS")
                ? ports.stream().filter(port -> port == usual).findFirst()
                : ports.stream().findFirst();
    }
}
