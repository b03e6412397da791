// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.waypoint.NamespaceContext;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.kube.networking.EntryEndpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// A workload in the making: every field starts as the wire's default. Lives no longer than one derivation.
public final class WorkloadDraft {
    private final String uid;
    private final String name;
    private final String namespace;
    public List<Ip> addresses = List.of();
    public String hostname = "";
    public String network = "";
    Workload.TunnelProtocol tunnelProtocol = Workload.TunnelProtocol.NONE;
    Workload.NativeTunnel nativeTunnel = Workload.NativeTunnel.NO;
    public String trustDomain = "";
    public String serviceAccount = "";
    Optional<GatewayAddress> waypoint = Optional.empty();
    Optional<GatewayAddress> networkGateway = Optional.empty();
    String node = "";
    String canonicalName = "";
    String canonicalRevision = "";
    Workload.Type type = Workload.Type.DEPLOYMENT;
    String workloadName = "";
    List<String> authorizationPolicies = List.of();
    Workload.Health health = Workload.Health.HEALTHY;
    String clusterId = "";
    Map<String, List<Port>> services = Map.of();
    Optional<Workload.ApplicationTunnel> applicationTunnel = Optional.empty();
    Locality locality = Locality.NONE;
    Workload.NetworkMode networkMode = Workload.NetworkMode.STANDARD;
    int capacity;
    Workload.Hairpin hairpin = Workload.Hairpin.NO;

    public WorkloadDraft(String uid, String name, String namespace) {
        this.uid = uid;
        this.name = name;
        this.namespace = namespace;
    }

    /// An IP goes to the addresses, anything else but nothing is a host name.
    void address(String text) {
        var ip = Ip.parse(text);
        if (ip.isPresent()) {
            addresses = List.of(ip.get());
        } else {
            hostname = text;
        }
    }

    /// What an endpoint of a WorkloadEntry or ServiceEntry says.
    ///
    /// One on another network that gives the address of that network's gateway stands for workloads whose addresses
    /// nobody here knows. It has none: several such endpoints would claim the same, and the gateway has it already.
    ///
    /// @param gateways those of each network
    void endpoint(
            EntryEndpoint endpoint,
            NamespaceContext context,
            Memberships memberships,
            Function<String, List<NetworkGateway>> gateways,
            Interner interner) {
        trustDomain = context.trustDomain();
        serviceAccount = endpoint.serviceAccount();
        if (endpoint.network().isEmpty() || endpoint.network().equals(context.network())) {
            address(endpoint.address());
            network = context.network();
            networkGateway = memberships.isNetworkGateway() ? Optional.empty() : context.networkGateway();
        } else {
            network = endpoint.network();
            var ways = gateways.apply(endpoint.network());
            networkGateway = ways.stream().map(NetworkGateway::address).findFirst();
            if (ways.stream().noneMatch(way -> way.isAt(endpoint.address()))) {
                address(endpoint.address());
            }
        }
        type = Workload.Type.POD;
        services = interner.share(memberships.services());
        locality = interner.share(Locality.parse(endpoint.locality()));
        capacity = Math.max(0, endpoint.weight());
    }

    /// Stands for endpoints on another network, which are reached through a gateway of it.
    ///
    /// @param ports by service
    public void behind(
            String otherNetwork,
            GatewayAddress gateway,
            String cluster,
            Map<String, List<Port>> ports,
            int endpoints,
            Workload.Health state) {
        network = otherNetwork;
        tunnelProtocol = Workload.TunnelProtocol.HBONE;
        networkGateway = Optional.of(gateway);
        type = Workload.Type.POD;
        clusterId = cluster;
        services = ports.values().stream().allMatch(WorkloadDraft::leadSomewhere) ? ports : led(ports);
        capacity = endpoints;
        health = state;
    }

    /// Is an endpoint of another cluster on our own network.
    ///
    /// @param ports by service
    public void beside(
            String ourNetwork,
            Workload.TunnelProtocol tunnel,
            String cluster,
            Map<String, List<Port>> ports,
            int weight,
            Workload.Health state) {
        network = ourNetwork;
        tunnelProtocol = tunnel;
        type = Workload.Type.POD;
        clusterId = cluster;
        services = ports;
        capacity = weight;
        health = state;
    }

    private static boolean leadSomewhere(List<Port> ports) {
        return ports.stream().noneMatch(port -> port.targetPort() == 0);
    }

    /// Where a port of a pod is called by its name, each pod says its number. There is no pod here, and the other
    /// side is asked for the port of the service, so any number will do: without one, clients find nobody.
    private static Map<String, List<Port>> led(Map<String, List<Port>> ports) {
        var led = new HashMap<String, List<Port>>();
        ports.forEach((service, list) -> led.put(
                service,
                list.stream()
                        .map(port -> port.targetPort() == 0
                                ? new Port(port.servicePort(), port.servicePort(), port.appProtocol())
                                : port)
                        .toList()));
        return Map.copyOf(led);
    }

    public void at(Locality place) {
        locality = place;
    }

    /// How traffic enters it, from the labels and annotations of the object it comes from.
    void capture(Map<String, String> labels, Map<String, String> annotations) {
        if (annotations.getOrDefault(Markers.REDIRECTION, "").equals("enabled")) {
            tunnelProtocol = Workload.TunnelProtocol.HBONE;
        }
        if (List.of(labels.getOrDefault(Markers.TUNNEL, "").split(",")).contains("http")) {
            tunnelProtocol = Workload.TunnelProtocol.HBONE;
            nativeTunnel = Workload.NativeTunnel.YES;
        }
    }

    /// Shares with others what the pods of a deployment have in common.
    public Workload finish(Interner interner) {
        var it = finish();
        return new Workload(
                uid,
                name,
                namespace,
                it.reachedAt(),
                interner.share(it.tunnel()),
                interner.share(it.security()),
                interner.share(it.gateways()),
                interner.share(it.place()),
                interner.share(it.canonical()),
                interner.share(it.owner()),
                health,
                interner.share(it.membership()));
    }

    public Workload finish() {
        return new Workload(
                uid,
                name,
                namespace,
                new WorkloadNetwork(network, addresses, hostname, networkMode),
                new WorkloadTunnel(tunnelProtocol, nativeTunnel, applicationTunnel),
                new WorkloadSecurity(trustDomain, serviceAccount, authorizationPolicies),
                new WorkloadGateways(waypoint, hairpin, networkGateway),
                new WorkloadPlace(clusterId, node, locality),
                new CanonicalService(canonicalName, canonicalRevision),
                new WorkloadOwner(type, workloadName),
                health,
                new ServiceMembership(services, capacity));
    }
}
