// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DiscoveryType;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LbPolicy;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.OriginalDstLbConfig;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.EnvoyInternalAddress;
import io.envoyproxy.envoy.config.core.v3.Http1ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.KeepaliveSettings;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.UseDownstreamHttpConfig;
import io.envoyproxy.envoy.extensions.upstreams.tcp.v3.TcpProtocolOptions;
import io.envoyproxy.envoy.type.metadata.v3.MetadataKey;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import java.time.Duration;
import java.util.List;

/// The clusters that lead from one layer of a proxy to the next and into tunnels. The same for every proxy of a mesh.
/// Pure.
public final class FixedClusters {
    public static final String MAIN_INTERNAL = "main_internal";
    public static final String ENCAP = "encap";
    public static final String CONNECT_ORIGINATE = "connect_originate";
    public static final String INNER_CONNECT_ORIGINATE = "inner_connect_originate";
    public static final String OUTER_CONNECT_ORIGINATE = "outer_connect_originate";
    public static final String FORWARD_INNER_CONNECT = "forward_inner_connect";
    public static final String BLACK_HOLE = "BlackHoleCluster";
    public static final String PASSTHROUGH = "PassthroughCluster";

    private static final int HBONE_PORT = 15008;
    private static final Duration ENCAP_IDLE = Duration.ofMinutes(5);
    private static final Duration ABANDONED = Duration.ofMinutes(10);
    /// Twice as long is what a caller waits until a gateway is passed over. One lost packet is no reason.
    private static final Duration GATEWAY_PATIENCE = Duration.ofMillis(1400);
    /// Both tunnels, and whatever is behind the gateway.
    private static final Duration ENDPOINT_PATIENCE = Duration.ofSeconds(3);
    private static final Duration GATEWAY_PING = Duration.ofSeconds(1);

    private final ProxySettings settings;

    public FixedClusters(ProxySettings settings) {
        this.settings = settings;
    }

    /// What a waypoint needs.
    public List<Cluster> ofWaypoint() {
        return List.of(mainInternal(), encap(), connectOriginate(), blackHole());
    }

    /// What an ingress gateway needs.
    public List<Cluster> ofIngress() {
        return List.of(connectOriginate(), blackHole());
    }

    /// What an east-west gateway needs.
    public List<Cluster> ofEastWest() {
        return List.of(mainInternal(), forwardInnerConnect(), connectOriginate(), blackHole());
    }

    /// Bytes as they come: what is in them is TLS that only the control plane can read.
    @SuppressWarnings("deprecation") // its successor is not in every Envoy that we serve
    public static Cluster toControlPlane(String name, String host, int port) {
        var endpoint = LbEndpoint.newBuilder();
        endpoint.getEndpointBuilder()
                .getAddressBuilder()
                .getSocketAddressBuilder()
                .setAddress(host)
                .setPortValue(port);
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.STRICT_DNS)
                .setDnsLookupFamily(Cluster.DnsLookupFamily.V4_PREFERRED)
                .setRespectDnsTtl(true)
                .setConnectTimeout(Protos.duration(Duration.ofSeconds(5)))
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .build();
    }

    /// What a proxy needs besides that sends to other networks.
    public List<Cluster> toOtherNetworks() {
        return List.of(innerConnectOriginate(), outerConnectOriginate());
    }

    /// From a terminated tunnel to the chains of services.
    public Cluster mainInternal() {
        // Tunnels that were cancelled early leave a connection behind, which nobody else may use for ever.
        var idle = TcpProtocolOptions.newBuilder().setIdleTimeout(Protos.duration(ABANDONED));
        return internal(MAIN_INTERNAL, TransportSockets.internal(TransportSockets.RAW))
                .putTypedExtensionProtocolOptions(
                        "envoy.extensions.upstreams.tcp.v3.TcpProtocolOptions", Any.pack(idle.build()))
                .build();
    }

    /// From a chain of workloads to the tunnel of the very workload that the client asked for.
    public Cluster encap() {
        var protocol = io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.newBuilder()
                .setCommonHttpProtocolOptions(
                        HttpProtocolOptions.newBuilder().setIdleTimeout(Protos.duration(ENCAP_IDLE)))
                .setUseDownstreamProtocolConfig(UseDownstreamHttpConfig.newBuilder()
                        .setHttpProtocolOptions(Http1ProtocolOptions.getDefaultInstance())
                        .setHttp2ProtocolOptions(Http2ProtocolOptions.getDefaultInstance()));
        return internal(ENCAP, CONNECT_ORIGINATE, TransportSockets.internal(TransportSockets.RAW))
                .putTypedExtensionProtocolOptions(ProtocolOptions.KEY, Any.pack(protocol.build()))
                .build();
    }

    /// The tunnel to a workload, or to the waypoint that an endpoint names.
    public Cluster connectOriginate() {
        return originalDestination(CONNECT_ORIGINATE)
                .setOriginalDstLbConfig(OriginalDstLbConfig.newBuilder()
                        .setUpstreamPortOverride(Protos.number(HBONE_PORT))
                        .setMetadataKey(waypointKey()))
                .putTypedExtensionProtocolOptions(ProtocolOptions.KEY, tunnel(0))
                .setTransportSocket(TransportSockets.mesh(settings.tls()))
                .build();
    }

    /// The tunnel inside a tunnel to another network: ends at the workload or its waypoint there.
    public Cluster innerConnectOriginate() {
        return internal(
                        INNER_CONNECT_ORIGINATE,
                        OUTER_CONNECT_ORIGINATE,
                        TransportSockets.internal(TransportSockets.mesh(settings.tls())))
                .setConnectTimeout(Protos.duration(atMost(ENDPOINT_PATIENCE)))
                .putTypedExtensionProtocolOptions(ProtocolOptions.KEY, tunnel(1))
                .build();
    }

    /// The tunnel to the gateway of another network, on whatever port that listens. One that swallows what it gets must
    /// not cost much, be it at the begin or later.
    public Cluster outerConnectOriginate() {
        var alive = Http2ProtocolOptions.newBuilder()
                .setAllowConnect(true)
                .setConnectionKeepalive(KeepaliveSettings.newBuilder()
                        .setInterval(Protos.duration(GATEWAY_PING))
                        .setTimeout(Protos.duration(GATEWAY_PATIENCE)));
        return originalDestination(OUTER_CONNECT_ORIGINATE)
                .setConnectTimeout(Protos.duration(atMost(GATEWAY_PATIENCE)))
                .putTypedExtensionProtocolOptions(ProtocolOptions.KEY, tunnel(1, alive))
                .setTransportSocket(TransportSockets.mesh(settings.tls()))
                .build();
    }

    /// Hands the inner tunnel on as it is.
    public Cluster forwardInnerConnect() {
        return originalDestination(FORWARD_INNER_CONNECT)
                .setOriginalDstLbConfig(OriginalDstLbConfig.newBuilder()
                        .setUpstreamPortOverride(Protos.number(HBONE_PORT))
                        .setMetadataKey(waypointKey()))
                .build();
    }

    /// Leads nowhere.
    public static Cluster blackHole() {
        return Cluster.newBuilder()
                .setName(BLACK_HOLE)
                .setType(DiscoveryType.STATIC)
                .setConnectTimeout(Protos.duration(Duration.ofSeconds(10)))
                .build();
    }

    /// Leads to wherever the client wanted to go.
    public Cluster passthrough() {
        return originalDestination(PASSTHROUGH)
                .setCircuitBreakers(ConnectionLimits.UNLIMITED)
                .build();
    }

    private Duration atMost(Duration patience) {
        return settings.connectTimeout().compareTo(patience) < 0 ? settings.connectTimeout() : patience;
    }

    private Cluster.Builder originalDestination(String name) {
        var cluster = Cluster.newBuilder()
                .setName(name)
                .setType(DiscoveryType.ORIGINAL_DST)
                .setLbPolicy(LbPolicy.CLUSTER_PROVIDED)
                .setConnectTimeout(Protos.duration(settings.connectTimeout()))
                .setCleanupInterval(Protos.duration(Duration.ofSeconds(60)))
                .setCircuitBreakers(ConnectionLimits.UNLIMITED);
        ConnectionLimits.keepalive(TrafficPolicy.NONE, settings.mesh())
                .ifPresent(cluster::setUpstreamConnectionOptions);
        return cluster;
    }

    private Cluster.Builder internal(String name, TransportSocket socket) {
        return internal(name, name, socket);
    }

    private Cluster.Builder internal(String name, String listener, TransportSocket socket) {
        var address = Address.newBuilder()
                .setEnvoyInternalAddress(EnvoyInternalAddress.newBuilder().setServerListenerName(listener));
        var endpoint = LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address));
        return Cluster.newBuilder()
                .setName(name)
                .setType(DiscoveryType.STATIC)
                .setConnectTimeout(Protos.duration(settings.connectTimeout()))
                .setCircuitBreakers(ConnectionLimits.UNLIMITED)
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .setTransportSocket(socket);
    }

    private Any tunnel(int requestsPerConnection) {
        return tunnel(requestsPerConnection, Http2ProtocolOptions.newBuilder().setAllowConnect(true));
    }

    private Any tunnel(int requestsPerConnection, Http2ProtocolOptions.Builder http2) {
        var common = HttpProtocolOptions.newBuilder().setIdleTimeout(Protos.duration(settings.tunnelIdle()));
        if (requestsPerConnection > 0) {
            common.setMaxRequestsPerConnection(Protos.number(requestsPerConnection));
        }
        return Any.pack(io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.newBuilder()
                .setCommonHttpProtocolOptions(common)
                .setExplicitHttpConfig(ExplicitHttpConfig.newBuilder().setHttp2ProtocolOptions(http2))
                .build());
    }

    private static MetadataKey waypointKey() {
        return MetadataKey.newBuilder()
                .setKey(Endpoints.ORIGINAL_DESTINATION)
                .addPath(MetadataKey.PathSegment.newBuilder().setKey("waypoint"))
                .build();
    }
}
