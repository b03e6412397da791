// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import com.google.protobuf.Struct;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.TransportSocketMatch;
import io.envoyproxy.envoy.config.core.v3.ProxyProtocolConfig;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport.MetadataValueSource;
import io.envoyproxy.envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.type.metadata.v3.MetadataKind;
import io.fathom.wire.kube.traffic.TrafficPolicy.ProxyProtocol;
import java.util.List;
import java.util.Map;

/// What connections of a cluster are wrapped in. Pure.
final class TransportSockets {
    static final TransportSocket RAW = TransportSocket.newBuilder()
            .setName("envoy.transport_sockets.raw_buffer")
            .setTypedConfig(Any.pack(RawBuffer.getDefaultInstance()))
            .build();

    /// An endpoint with these words is reached through a tunnel.
    static final Map<String, String> TUNNEL = Map.of("tunnel", "http");

    private static final MetadataValueSource HOST_DESTINATION = value(
            MetadataKind.newBuilder()
                    .setHost(MetadataKind.Host.getDefaultInstance())
                    .build(),
            Endpoints.ORIGINAL_DESTINATION);
    private static final MetadataValueSource HOST_ISTIO = value(
            MetadataKind.newBuilder()
                    .setHost(MetadataKind.Host.getDefaultInstance())
                    .build(),
            Endpoints.ISTIO);
    private static final MetadataValueSource CLUSTER_ISTIO = value(
            MetadataKind.newBuilder()
                    .setCluster(MetadataKind.Cluster.getDefaultInstance())
                    .build(),
            Endpoints.ISTIO);

    private TransportSockets() {}

    private static MetadataValueSource value(MetadataKind kind, String name) {
        return MetadataValueSource.newBuilder().setKind(kind).setName(name).build();
    }

    /// To an internal listener, without telling it anything.
    static TransportSocket internal(TransportSocket inside) {
        return internal(inside, List.of());
    }

    /// To an internal listener that is told where to go. Does no harm to endpoints that are no listeners.
    static TransportSocket toEndpoint(TransportSocket inside) {
        return internal(inside, List.of(HOST_DESTINATION, HOST_ISTIO));
    }

    private static TransportSocket internal(TransportSocket inside, List<MetadataValueSource> told) {
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.internal_upstream")
                .setTypedConfig(Any.pack(InternalUpstreamTransport.newBuilder()
                        .addAllPassthroughMetadata(told)
                        .setTransportSocket(inside)
                        .build()))
                .build();
    }

    /// Tunnels for endpoints of the mesh, and for all others what is inside them alone.
    static List<TransportSocketMatch> byEndpoint(TransportSocket inside, String plainName) {
        return List.of(
                TransportSocketMatch.newBuilder()
                        .setName("hbone")
                        .setMatch(Protos.struct(TUNNEL))
                        .setTransportSocket(internal(inside, List.of(HOST_DESTINATION, CLUSTER_ISTIO, HOST_ISTIO)))
                        .build(),
                TransportSocketMatch.newBuilder()
                        .setName(plainName)
                        .setMatch(Struct.getDefaultInstance())
                        .setTransportSocket(inside)
                        .build());
    }

    static TransportSocket tls(UpstreamTlsContext context) {
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.tls")
                .setTypedConfig(Any.pack(context))
                .build();
    }

    static TransportSocket mesh(MeshTls tls) {
        return tls(UpstreamTlsContext.newBuilder()
                .setCommonTlsContext(tls.context())
                .build());
    }

    static TransportSocket withHeader(ProxyProtocol version, TransportSocket inside) {
        var number = version == ProxyProtocol.V1 ? ProxyProtocolConfig.Version.V1 : ProxyProtocolConfig.Version.V2;
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.upstream_proxy_protocol")
                .setTypedConfig(Any.pack(ProxyProtocolUpstreamTransport.newBuilder()
                        .setConfig(ProxyProtocolConfig.newBuilder().setVersion(number))
                        .setTransportSocket(inside)
                        .build()))
                .build();
    }
}
