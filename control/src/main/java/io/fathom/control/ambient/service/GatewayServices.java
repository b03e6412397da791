// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.GatewayRole.GatewayDuty;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The services that waypoints and network gateways are reached by. Such a service and its workloads must not go
/// through a waypoint or a network gateway themselves, or traffic would go in circles.
public final class GatewayServices {
    private final AmbientConfig config;
    private final Index<Ip, ObjectKey, ServiceManifest> servicesByIp;
    private final Index<Ip, ObjectKey, ServiceEntryManifest> entriesByIp;
    private final Table<String, GatewayRole> table;

    public GatewayServices(
            Flow flow, Inputs inputs, Waypoints waypoints, NetworkGateways gateways, AmbientConfig config) {
        this.config = config;
        servicesByIp = flow.index("services/by-ip", inputs.services(), service -> Set.copyOf(service.clusterIps()));
        entriesByIp = flow.index("service-entries/by-ip", inputs.serviceEntries(), GatewayServices::ips);
        var ofWaypoints = flow.deriveMany(
                "gateway-services/waypoints",
                waypoints.table(),
                (fetch, waypoint) -> waypoint.objection().isPresent()
                        ? Map.<String, GatewayRole>of()
                        : waypoint.address()
                                .map(address -> services(
                                        fetch, new GatewayRole(waypoint.key(), GatewayDuty.WAYPOINT), List.of(address)))
                                .orElse(Map.of()));
        var ofNetworks = flow.deriveMany(
                "gateway-services/networks",
                gateways.declared(),
                (fetch, found) -> services(
                        fetch,
                        new GatewayRole(found.getFirst().gateway(), GatewayDuty.NETWORK_GATEWAY),
                        found.stream().map(NetworkGateway::address).toList()));
        table = flow.join("gateway-services", List.of(ofNetworks, ofWaypoints));
    }

    /// For clusters whose Gateways concern nobody here.
    public static GatewayServices none(Flow flow, Inputs inputs, AmbientConfig config) {
        return new GatewayServices(flow, inputs, config);
    }

    private GatewayServices(Flow flow, Inputs inputs, AmbientConfig config) {
        this.config = config;
        servicesByIp = flow.index("remote/services/by-ip", inputs.services(), _ -> Set.of());
        entriesByIp = flow.index("remote/service-entries/by-ip", inputs.serviceEntries(), _ -> Set.of());
        table = flow.source("remote/gateway-services");
    }

    /// The Gateway that a service of that key leads to, if any.
    public Optional<GatewayRole> role(Fetch<?> fetch, String serviceKey) {
        return fetch.one(table, serviceKey);
    }

    private Map<String, GatewayRole> services(Fetch<?> fetch, GatewayRole role, List<GatewayAddress> addresses) {
        var result = new HashMap<String, GatewayRole>();
        for (var address : addresses) {
            switch (address.destination()) {
                case GatewayDestination.ByHostname(NamespacedHostname host) -> result.put(host.key(), role);
                case GatewayDestination.ByAddress(NetworkAddress at) -> {
                    var ip = at.block().address();
                    fetch.all(servicesByIp, ip)
                            .forEach(service -> result.put(Hosts.keyOf(service.key(), config.domain()), role));
                    fetch.all(entriesByIp, ip)
                            .forEach(entry ->
                                    entry.hosts().forEach(host -> result.put(entry.namespace() + "/" + host, role)));
                }
            }
        }
        return result;
    }

    private static Set<Ip> ips(ServiceEntryManifest entry) {
        var ips = new HashSet<Ip>();
        for (var text : entry.addresses()) {
            IpBlock.parse(text).filter(IpBlock::isSingleAddress).ifPresent(block -> ips.add(block.address()));
        }
        return ips;
    }
}
