// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Where calls of other networks come in: the east-west gateways of each network. What comes from their addresses is
/// either their own, and then their certificate says so, or a tunnel of somebody elsewhere that they hand on.
public final class Entrances {
    private final Table<String, Entrance> byNetwork;

    /// The entrance of a network.
    ///
    /// @param addresses of the gateways, as those see them whom they call; sorted
    /// @param identities of the gateways themselves
    public record Entrance(List<Ip> addresses, List<Identity> identities) {
        public Entrance {
            addresses = List.copyOf(addresses);
            identities = List.copyOf(identities);
        }
    }

    private record Gate(String network, Entrance entrance) {}

    /// @param others the objects of other clusters
    /// @param instances the pods of each of our Gateways
    public Entrances(
            Flow flow,
            Inputs inputs,
            Inputs others,
            Index<ObjectKey, ObjectKey, PodManifest> instances,
            Networks networks) {
        var elsewhere = flow.index("remote/pods/of-gateways", others.pods(), Entrances::gateways);
        var own = flow.derive(
                "entrances/ours",
                inputs.gateways(),
                (fetch, gateway) -> isOne(fetch, inputs, gateway)
                        ? gate(
                                inputs.mesh(fetch),
                                networks.of(fetch, gateway.key()),
                                gateway,
                                fetch.all(instances, gateway.key()))
                        : Optional.empty());
        var shared = flow.derive(
                "entrances/of-others",
                others.gateways(),
                (fetch, gateway) -> isOne(fetch, others, gateway)
                        ? gate(
                                inputs.mesh(fetch),
                                networks.of(fetch, gateway.key()),
                                gateway,
                                fetch.all(elsewhere, gateway.key()))
                        : Optional.empty());
        var gates = flow.index(
                "entrances/by-network",
                flow.join("entrances/all", List.of(own, shared)),
                gate -> Set.of(gate.network()));
        byNetwork = flow.reduce("entrances", gates, (_, _, found) -> Optional.of(all(found)));
    }

    /// No row for a network that nobody lets anybody into.
    public Table<String, Entrance> byNetwork() {
        return byNetwork;
    }

    /// The Gateway that a pod says it works for.
    public static Set<ObjectKey> gateways(PodManifest pod) {
        var name = pod.labels().get(Markers.GATEWAY_NAME);
        return name == null ? Set.of() : Set.of(pod.key().sibling(name));
    }

    private static boolean isOne(Fetch<?> fetch, Inputs inputs, GatewayManifest gateway) {
        var gatewayClass = fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
        return GatewayKind.of(gateway.className(), gatewayClass) == GatewayKind.EAST_WEST;
    }

    private static Optional<Gate> gate(
            MeshSettings mesh, String network, GatewayManifest gateway, List<PodManifest> instances) {
        var pods = instances.stream().filter(WorkloadSources::isServed).toList();
        // Without pods it is something that its status alone tells of.
        var addresses = pods.isEmpty()
                ? gateway.statusAddresses().stream().flatMap(address -> Ip.parse(address.value()).stream())
                : pods.stream().flatMap(pod -> pod.ips().stream());
        var accounts = new HashSet<String>();
        pods.forEach(pod -> accounts.add(pod.serviceAccount()));
        accounts.add(gateway.annotations().getOrDefault(Markers.GATEWAY_SERVICE_ACCOUNT, gateway.name()));
        accounts.remove("");
        var identities = Stream.concat(Stream.of(mesh.trustDomain()), mesh.trustDomainAliases().stream())
                .flatMap(
                        domain -> accounts.stream().map(account -> new Identity(domain, gateway.namespace(), account)));
        var entrance = new Entrance(
                addresses.distinct().sorted().toList(),
                identities
                        .distinct()
                        .sorted(Comparator.comparing(Identity::uri))
                        .toList());
        return Optional.of(new Gate(network, entrance))
                .filter(_ -> !entrance.addresses().isEmpty());
    }

    private static Entrance all(List<Gate> gates) {
        var addresses = gates.stream().flatMap(gate -> gate.entrance().addresses().stream());
        var identities = gates.stream().flatMap(gate -> gate.entrance().identities().stream());
        return new Entrance(
                addresses.distinct().sorted().toList(),
                identities
                        .distinct()
                        .sorted(Comparator.comparing(Identity::uri))
                        .toList());
    }
}
