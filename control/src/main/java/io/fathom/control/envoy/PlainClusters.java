package io.fathom.control.envoy;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.type.metadata.v3.MetadataKind;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.waypoint.MeshTlsContexts;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import java.util.List;

/// The smallest clusters and routes that work.
final class PlainClusters {
    private static final String ORIGINAL_DST = "envoy.filters.listener.original_dst";
    private static final String HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

    private PlainClusters() {}

    static List<Cluster> fixed(List<String> trustDomains) {
        return List.of(internal("main_internal", "main_internal").build(), encap(), connectOriginate(trustDomains));
    }

    private static Cluster.Builder internal(String name, String listener) {
        var endpoint = LbEndpoint.newBuilder();
        endpoint.getEndpointBuilder()
                .getAddressBuilder()
                .getEnvoyInternalAddressBuilder()
                .setServerListenerName(listener);
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.STATIC)
                .setConnectTimeout(seconds(10))
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .setTransportSocket(internalUpstream(InternalUpstreamTransport.newBuilder()));
    }

    private static Cluster encap() {
        var options = HttpProtocolOptions.newBuilder();
        options.getCommonHttpProtocolOptionsBuilder().setIdleTimeout(seconds(300));
        options.getUseDownstreamProtocolConfigBuilder().getHttpProtocolOptionsBuilder();
        options.getUseDownstreamProtocolConfigBuilder().getHttp2ProtocolOptionsBuilder();
        return internal("encap", "connect_originate")
                .putTypedExtensionProtocolOptions(HTTP_OPTIONS, Any.pack(options.build()))
                .build();
    }

    private static Cluster connectOriginate(List<String> trustDomains) {
        var options = HttpProtocolOptions.newBuilder();
        options.getCommonHttpProtocolOptionsBuilder().setIdleTimeout(seconds(3600));
        options.getExplicitHttpConfigBuilder().getHttp2ProtocolOptionsBuilder().setAllowConnect(true);
        var cluster = Cluster.newBuilder()
                .setName("connect_originate")
                .setType(Cluster.DiscoveryType.ORIGINAL_DST)
                .setLbPolicy(Cluster.LbPolicy.CLUSTER_PROVIDED)
                .setConnectTimeout(seconds(10))
                .setCleanupInterval(seconds(60))
                .putTypedExtensionProtocolOptions(HTTP_OPTIONS, Any.pack(options.build()))
                .setTransportSocket(MeshTlsContexts.client(trustDomains));
        cluster.getOriginalDstLbConfigBuilder()
                .setUpstreamPortOverride(UInt32Value.of(15008))
                .getMetadataKeyBuilder()
                .setKey(ORIGINAL_DST)
                .addPathBuilder()
                .setKey("waypoint");
        return cluster.build();
    }

    static Cluster of(ClusterName name, AppProtocol protocol) {
        var cluster = Cluster.newBuilder()
                .setName(name.toString())
                .setType(Cluster.DiscoveryType.EDS)
                .setConnectTimeout(seconds(10))
                .setLbPolicy(Cluster.LbPolicy.LEAST_REQUEST)
                .setTransportSocket(internalUpstream(InternalUpstreamTransport.newBuilder()
                        .addPassthroughMetadata(host(ORIGINAL_DST))
                        .addPassthroughMetadata(host("istio"))));
        cluster.getEdsClusterConfigBuilder()
                .setServiceName(name.toString())
                .getEdsConfigBuilder()
                .setResourceApiVersion(ApiVersion.V3)
                .setInitialFetchTimeout(seconds(0))
                .getAdsBuilder();
        var options = HttpProtocolOptions.newBuilder();
        if (protocol == AppProtocol.HTTP2 || protocol == AppProtocol.GRPC) {
            options.getExplicitHttpConfigBuilder().getHttp2ProtocolOptionsBuilder();
        } else if (protocol == AppProtocol.UNKNOWN) {
            options.getUseDownstreamProtocolConfigBuilder().getHttp2ProtocolOptionsBuilder();
        } else {
            options.getExplicitHttpConfigBuilder().getHttpProtocolOptionsBuilder();
        }
        return cluster.putTypedExtensionProtocolOptions(HTTP_OPTIONS, Any.pack(options.build()))
                .build();
    }

    static ClusterLoadAssignment endpoints(ClusterName name, MeshService service, int port, List<Workload> members) {
        var locality = LocalityLbEndpoints.newBuilder();
        for (var member : members) {
            var target = member.services().getOrDefault(service.service().key(), List.of()).stream()
                    .filter(own -> own.servicePort() == port)
                    .mapToInt(Port::targetPort)
                    .findFirst()
                    .orElse(0);
            if (target == 0 || member.addresses().isEmpty() || member.health() != Workload.Health.HEALTHY) {
                continue;
            }
            locality.addLbEndpoints(endpoint(member, target));
        }
        return ClusterLoadAssignment.newBuilder()
                .setClusterName(name.toString())
                .addEndpoints(locality)
                .build();
    }

    private static LbEndpoint endpoint(Workload member, int port) {
        var ip = member.addresses().getFirst();
        var endpoint = LbEndpoint.newBuilder();
        var workload = String.join(
                ";",
                member.workloadName(),
                member.namespace(),
                member.canonicalName(),
                member.canonicalRevision(),
                member.clusterId());
        endpoint.getMetadataBuilder().putFilterMetadata("istio", text("workload", workload));
        if (member.tunnelProtocol() == Workload.TunnelProtocol.HBONE) {
            var authority = ip.toString().contains(":") ? "[" + ip + "]:" + port : ip + ":" + port;
            endpoint.getEndpointBuilder()
                    .getAddressBuilder()
                    .getEnvoyInternalAddressBuilder()
                    .setServerListenerName("connect_originate")
                    .setEndpointId(authority);
            endpoint.getMetadataBuilder().putFilterMetadata(ORIGINAL_DST, text("local", authority));
        } else {
            endpoint.getEndpointBuilder()
                    .getAddressBuilder()
                    .getSocketAddressBuilder()
                    .setAddress(ip.toString())
                    .setPortValue(port);
        }
        return endpoint.build();
    }

    static Route defaultRoute(String cluster, MeshService service, int port) {
        var route = Route.newBuilder().setName("default");
        route.getMatchBuilder().setPrefix("/");
        route.getDecoratorBuilder().setOperation(service.hostname() + ":" + port + "/*");
        route.getRouteBuilder()
                .setCluster(cluster)
                .setTimeout(seconds(0))
                .setRetryPolicy(RetryPolicy.newBuilder()
                        .setRetryOn("connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes")
                        .setNumRetries(UInt32Value.of(2))
                        .setHostSelectionRetryMaxAttempts(5));
        return route.build();
    }

    private static TransportSocket internalUpstream(InternalUpstreamTransport.Builder transport) {
        transport
                .getTransportSocketBuilder()
                .setName("envoy.transport_sockets.raw_buffer")
                .setTypedConfig(Any.pack(RawBuffer.getDefaultInstance()));
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.internal_upstream")
                .setTypedConfig(Any.pack(transport.build()))
                .build();
    }

    private static InternalUpstreamTransport.MetadataValueSource host(String name) {
        return InternalUpstreamTransport.MetadataValueSource.newBuilder()
                .setName(name)
                .setKind(MetadataKind.newBuilder().setHost(MetadataKind.Host.getDefaultInstance()))
                .build();
    }

    private static Struct text(String key, String value) {
        return Struct.newBuilder()
                .putFields(key, Value.newBuilder().setStringValue(value).build())
                .build();
    }

    private static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }
}
