// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Struct;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.EnvoyInternalAddress;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.fathom.control.envoy.telemetry.UpstreamState;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Map;

/// Single endpoints. Pure.
final class LbEndpoints {
    private static final String SOCKET_MATCH = "envoy.transport_socket_match";

    private LbEndpoints() {}

    /// A member that is dialled as it is, on the first address; others are for when that does not answer.
    static LbEndpoint plain(Workload workload, List<IpPort> addresses) {
        var endpoint = Endpoint.newBuilder().setAddress(address(addresses.getFirst()));
        addresses.stream()
                .skip(1)
                .forEach(more -> endpoint.addAdditionalAddresses(
                        Endpoint.AdditionalAddress.newBuilder().setAddress(address(more))));
        return finish(endpoint, workload, Metadata.newBuilder());
    }

    /// A member with a name that DNS knows.
    static LbEndpoint plain(Workload workload, String host, int port) {
        return finish(Endpoint.newBuilder().setAddress(address(host, port)), workload, Metadata.newBuilder());
    }

    static LbEndpoint plain(String host, int port) {
        return LbEndpoint.newBuilder()
                .setEndpoint(Endpoint.newBuilder().setAddress(address(host, port)))
                .build();
    }

    /// A member that is reached through a tunnel.
    static LbEndpoint tunnelled(Workload workload, IpPort target) {
        var metadata = Metadata.newBuilder()
                .putFilterMetadata(Endpoints.ORIGINAL_DESTINATION, Protos.struct(Map.of("local", target.toString())))
                .putFilterMetadata(SOCKET_MATCH, Protos.struct(TransportSockets.TUNNEL));
        return finish(internal(FixedClusters.CONNECT_ORIGINATE, target), workload, metadata);
    }

    /// A member that gets the tunnel of somebody else as it is.
    static LbEndpoint forwarded(Workload workload, IpPort target) {
        var metadata = Metadata.newBuilder()
                .putFilterMetadata(Endpoints.ORIGINAL_DESTINATION, Protos.struct(Map.of("local", target.toString())));
        return finish(internal(FixedClusters.FORWARD_INNER_CONNECT, target), workload, metadata);
    }

    /// The same with a weight that many times as large.
    static LbEndpoint scaled(LbEndpoint endpoint, int times) {
        if (times == 1) {
            return endpoint;
        }
        var weight = endpoint.hasLoadBalancingWeight()
                ? endpoint.getLoadBalancingWeight().getValue()
                : 1;
        return endpoint.toBuilder()
                .setLoadBalancingWeight(Protos.number(Math.max(1, weight) * times))
                .build();
    }

    /// A waypoint that is asked for a service.
    static LbEndpoint waypoint(Workload workload, IpPort waypoint, IpPort service) {
        var metadata = Metadata.newBuilder()
                .putFilterMetadata(
                        Endpoints.ORIGINAL_DESTINATION,
                        Protos.struct(Map.of("local", service.toString(), "waypoint", waypoint.toString())))
                .putFilterMetadata(SOCKET_MATCH, Protos.struct(TransportSockets.TUNNEL));
        return finish(internal(FixedClusters.CONNECT_ORIGINATE, waypoint), workload, metadata);
    }

    /// The gateway of another network, which is asked for `target` there.
    static LbEndpoint remote(IpPort gateway, String target, int weight) {
        var asked = Struct.newBuilder()
                .putFields("double_hbone", Protos.nested(Protos.struct(Map.of("hbone_target_address", target))))
                .build();
        return LbEndpoint.newBuilder()
                .setEndpoint(internal(FixedClusters.INNER_CONNECT_ORIGINATE, gateway))
                .setLoadBalancingWeight(Protos.number(Math.max(1, weight)))
                .setMetadata(Metadata.newBuilder()
                        .putFilterMetadata(
                                Endpoints.ORIGINAL_DESTINATION, Protos.struct(Map.of("local", gateway.toString())))
                        .putFilterMetadata(Endpoints.ISTIO, asked)
                        .putFilterMetadata(SOCKET_MATCH, Protos.struct(TransportSockets.TUNNEL)))
                .build();
    }

    private static Endpoint.Builder internal(String listener, IpPort id) {
        // Endpoints without an id of their own would count as one.
        return Endpoint.newBuilder()
                .setAddress(Address.newBuilder()
                        .setEnvoyInternalAddress(EnvoyInternalAddress.newBuilder()
                                .setServerListenerName(listener)
                                .setEndpointId(id.toString())));
    }

    private static LbEndpoint finish(Endpoint.Builder endpoint, Workload workload, Metadata.Builder metadata) {
        metadata.putFilterMetadata(Endpoints.ISTIO, Protos.struct(UpstreamState.labels(workload)));
        var result = LbEndpoint.newBuilder().setEndpoint(endpoint).setMetadata(metadata);
        if (workload.capacity() > 0) {
            result.setLoadBalancingWeight(Protos.number(workload.capacity()));
        }
        return result.build();
    }

    private static Address address(IpPort address) {
        return address(address.ip().toString(), address.port());
    }

    private static Address address(String host, int port) {
        return Address.newBuilder()
                .setSocketAddress(SocketAddress.newBuilder().setAddress(host).setPortValue(port))
                .build();
    }

    static io.envoyproxy.envoy.config.core.v3.Locality locality(Locality locality) {
        return io.envoyproxy.envoy.config.core.v3.Locality.newBuilder()
                .setRegion(locality.region())
                .setZone(locality.zone())
                .setSubZone(locality.subzone())
                .build();
    }
}
