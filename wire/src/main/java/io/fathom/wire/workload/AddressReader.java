// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import com.google.protobuf.ByteString;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads generated messages as model values; refuses what the model cannot express.
final class AddressReader {
    private AddressReader() {}

    static Workload workload(io.fathom.wire.proto.workload.Workload it) {
        return new Workload(
                it.getUid(),
                it.getName(),
                it.getNamespace(),
                new WorkloadNetwork(
                        it.getNetwork(),
                        it.getAddressesList().stream().map(AddressReader::ip).toList(),
                        it.getHostname(),
                        choice("network_mode", Workload.NetworkMode.values(), it.getNetworkModeValue())),
                new WorkloadTunnel(
                        choice("tunnel_protocol", Workload.TunnelProtocol.values(), it.getTunnelProtocolValue()),
                        it.getNativeTunnel() ? Workload.NativeTunnel.YES : Workload.NativeTunnel.NO,
                        it.hasApplicationTunnel() ? Optional.of(tunnel(it.getApplicationTunnel())) : Optional.empty()),
                new WorkloadSecurity(
                        it.getTrustDomain(), it.getServiceAccount(), List.copyOf(it.getAuthorizationPoliciesList())),
                new WorkloadGateways(
                        it.hasWaypoint() ? Optional.of(gateway(it.getWaypoint())) : Optional.empty(),
                        hairpin(it.getExtensionsList()),
                        it.hasNetworkGateway() ? Optional.of(gateway(it.getNetworkGateway())) : Optional.empty()),
                new WorkloadPlace(
                        it.getClusterId(),
                        it.getNode(),
                        new Locality(
                                it.getLocality().getRegion(),
                                it.getLocality().getZone(),
                                it.getLocality().getSubzone())),
                new CanonicalService(it.getCanonicalName(), it.getCanonicalRevision()),
                new WorkloadOwner(tolerant(Workload.Type.values(), it.getWorkloadTypeValue()), it.getWorkloadName()),
                choice("status", Workload.Health.values(), it.getStatusValue()),
                new ServiceMembership(
                        services(it.getServicesMap()), it.getCapacity().getValue()));
    }

    /// Extensions of others are passed over.
    private static Workload.Hairpin hairpin(List<io.fathom.wire.proto.workload.Extension> extensions) {
        for (var extension : extensions) {
            if (extension.getName().equals(Extensions.HAIRPIN)) {
                return Workload.Hairpin.YES;
            }
        }
        return Workload.Hairpin.NO;
    }

    static Service service(io.fathom.wire.proto.workload.Service it) {
        return new Service(
                it.getName(),
                it.getNamespace(),
                it.getHostname(),
                it.getAddressesList().stream().map(AddressReader::address).toList(),
                ports(it.getPortsList()),
                List.copyOf(it.getSubjectAltNamesList()),
                new ServiceWaypoints(
                        it.hasWaypoint() ? Optional.of(gateway(it.getWaypoint())) : Optional.empty(),
                        it.getWeightedWaypointsList().stream()
                                .map(weighted -> new Service.WeightedWaypoint(
                                        gateway(weighted.getDestination()), weighted.getWeight()))
                                .toList(),
                        it.getIngressUseWaypoint() ? Service.IngressWaypoint.USED : Service.IngressWaypoint.SKIPPED),
                loadBalancing(it.getLoadBalancing()),
                choice("ip_families", Service.IpFamilies.values(), it.getIpFamiliesValue()),
                it.getCanonical() ? Service.Canonical.YES : Service.Canonical.NO,
                tolerant(Service.Visibility.values(), it.getVisibilityValue()));
    }

    private static Map<String, List<Port>> services(Map<String, io.fathom.wire.proto.workload.PortList> services) {
        var ports = HashMap.<String, List<Port>>newHashMap(services.size());
        services.forEach((key, list) -> ports.put(key, ports(list.getPortsList())));
        return ports;
    }

    private static List<Port> ports(List<io.fathom.wire.proto.workload.Port> ports) {
        return ports.stream()
                .map(port -> new Port(
                        port.getServicePort() & 0xffff, // the wire has room for more than a port can be
                        port.getTargetPort() & 0xffff,
                        choice("app_protocol", AppProtocol.values(), port.getAppProtocolValue())))
                .toList();
    }

    private static LoadBalancing loadBalancing(io.fathom.wire.proto.workload.LoadBalancing it) {
        return new LoadBalancing(
                it.getRoutingPreferenceValueList().stream()
                        .map(scope -> choice("routing_preference", LoadBalancing.Scope.values(), scope))
                        .toList(),
                choice("mode", LoadBalancing.Mode.values(), it.getModeValue()),
                choice("health_policy", LoadBalancing.HealthPolicy.values(), it.getHealthPolicyValue()));
    }

    private static Workload.ApplicationTunnel tunnel(io.fathom.wire.proto.workload.ApplicationTunnel it) {
        return new Workload.ApplicationTunnel(
                choice("protocol", Workload.ApplicationTunnel.Protocol.values(), it.getProtocolValue()), it.getPort());
    }

    private static GatewayAddress gateway(io.fathom.wire.proto.workload.GatewayAddress it) {
        GatewayAddress.GatewayDestination destination = switch (it.getDestinationCase()) {
            case HOSTNAME ->
                new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname(
                        it.getHostname().getNamespace(), it.getHostname().getHostname()));
            case ADDRESS -> new GatewayAddress.GatewayDestination.ByAddress(address(it.getAddress()));
            case DESTINATION_NOT_SET ->
                throw WireProblem.malformed("a gateway address", "neither hostname nor address");
        };
        return new GatewayAddress(destination, it.getHboneMtlsPort());
    }

    private static NetworkAddress address(io.fathom.wire.proto.workload.NetworkAddress it) {
        var ip = ip(it.getAddress());
        return it.hasLength()
                ? new NetworkAddress(it.getNetwork(), block(ip, it.getLength()))
                : NetworkAddress.of(it.getNetwork(), ip);
    }

    static Ip ip(ByteString bytes) {
        if (bytes.size() != 4 && bytes.size() != 16) {
            throw WireProblem.malformed("an IP address", "it has " + bytes.size() + " bytes, not 4 or 16");
        }
        return Ip.ofBytes(bytes.toByteArray());
    }

    static IpBlock block(Ip ip, int length) {
        if (length < 0 || length > ip.family().bits()) {
            throw WireProblem.malformed("the range of " + ip, "no such prefix length: " + length);
        }
        return new IpBlock(ip, length);
    }

    /// For what only words and defaults hang on: a value of tomorrow is read as the first one.
    private static <E extends Enum<E>> E tolerant(E[] values, int number) {
        return number < 0 || number >= values.length ? values[0] : values[number];
    }

    static <E extends Enum<E>> E choice(String field, E[] values, int number) {
        if (number < 0 || number >= values.length) {
            throw WireProblem.malformed("field " + field, "no such value: " + number);
        }
        return values[number];
    }
}
