// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.bootstrap.internal_listener.v3.InternalListener;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.listener.original_dst.v3.OriginalDst;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.UpgradeConfig;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import java.util.List;

/// The parts around clusters that tests need: plain listeners, tunnels in and out.
final class Envoys {
    static final int HBONE = 15008;

    private Envoys() {}

    /// The only listener that clients use: on a port of its own.
    static Listener entrance(HttpConnectionManager.Builder manager) {
        return Listener.newBuilder()
                .setName("entrance")
                .setAddress(address("127.0.0.1", 0))
                .addFilterChains(chain(manager))
                .build();
    }

    private static FilterChain.Builder chain(HttpConnectionManager.Builder manager) {
        return FilterChain.newBuilder().addFilters(filter("envoy.filters.network.http_connection_manager", manager));
    }

    private static Filter filter(String name, com.google.protobuf.Message.Builder config) {
        return Filter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config.build()))
                .build();
    }

    static HttpConnectionManager.Builder manager(List<Route> routes) {
        return HttpConnectionManager.newBuilder()
                .setStatPrefix("test")
                .setRouteConfig(RouteConfiguration.newBuilder()
                        .addVirtualHosts(VirtualHost.newBuilder()
                                .setName("all")
                                .addDomains("*")
                                .addAllRoutes(routes)))
                .addHttpFilters(HttpFilter.newBuilder()
                        .setName("envoy.filters.http.router")
                        .setTypedConfig(Any.pack(Router.getDefaultInstance())));
    }

    /// Requests whose path begins so go to a cluster.
    static Route route(String prefix, String cluster) {
        return route(prefix, RouteAction.newBuilder().setCluster(cluster));
    }

    static Route route(String prefix, RouteAction.Builder action) {
        return Route.newBuilder()
                .setMatch(RouteMatch.newBuilder().setPrefix(prefix))
                .setRoute(action.setTimeout(Duration.newBuilder().setSeconds(30)))
                .build();
    }

    /// The listener that puts connections into tunnels.
    static Listener connectOriginate() {
        return Listener.newBuilder()
                .setName("connect_originate")
                .setInternalListener(Listener.InternalListenerConfig.getDefaultInstance())
                .addListenerFilters(originalDestination())
                .addFilterChains(tunnel("connect_originate", "%DOWNSTREAM_LOCAL_ADDRESS%"))
                .build();
    }

    static ListenerFilter originalDestination() {
        return ListenerFilter.newBuilder()
                .setName("envoy.filters.listener.original_dst")
                .setTypedConfig(Any.pack(OriginalDst.getDefaultInstance()))
                .build();
    }

    static FilterChain.Builder tunnel(String cluster, String authority) {
        return FilterChain.newBuilder()
                .addFilters(filter(
                        "envoy.filters.network.tcp_proxy",
                        TcpProxy.newBuilder()
                                .setStatPrefix(cluster)
                                .setCluster(cluster)
                                .setTunnelingConfig(TunnelingConfig.newBuilder().setHostname(authority))));
    }

    /// The end of tunnels at an address: those with this authority lead to a cluster, others nowhere.
    static Listener tunnelEnd(String address, String authority, String cluster, MeshTls tls) {
        var route = Route.newBuilder()
                .setMatch(RouteMatch.newBuilder()
                        .setConnectMatcher(RouteMatch.ConnectMatcher.getDefaultInstance())
                        .addHeaders(HeaderMatcher.newBuilder()
                                .setName(":authority")
                                .setStringMatch(StringMatcher.newBuilder().setExact(authority))))
                .setRoute(RouteAction.newBuilder()
                        .setCluster(cluster)
                        .addUpgradeConfigs(RouteAction.UpgradeConfig.newBuilder()
                                .setUpgradeType("CONNECT")
                                .setConnectConfig(RouteAction.UpgradeConfig.ConnectConfig.getDefaultInstance())))
                .build();
        var manager = manager(List.of(route))
                .setHttp2ProtocolOptions(Http2ProtocolOptions.newBuilder().setAllowConnect(true))
                .addUpgradeConfigs(UpgradeConfig.newBuilder().setUpgradeType("CONNECT"));
        return Listener.newBuilder()
                .setName("end " + address + " " + authority)
                .setAddress(address(address, HBONE))
                .addFilterChains(chain(manager)
                        .setTransportSocket(TransportSocket.newBuilder()
                                .setName("envoy.transport_sockets.tls")
                                .setTypedConfig(Any.pack(DownstreamTlsContext.newBuilder()
                                        .setRequireClientCertificate(com.google.protobuf.BoolValue.of(true))
                                        .setCommonTlsContext(tls.context())
                                        .build()))))
                .build();
    }

    /// One address.
    static Cluster plainCluster(String name, String address, int port) {
        return Cluster.newBuilder()
                .setName(name)
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(
                                LocalityLbEndpoints.newBuilder().addLbEndpoints(LbEndpoints.plain(address, port))))
                .build();
    }

    /// A cluster with its endpoints inside, as there is nobody to send them.
    static Cluster inline(BuiltCluster built, ClusterLoadAssignment endpoints) {
        return built.cluster().toBuilder()
                .clearEdsClusterConfig()
                .setType(Cluster.DiscoveryType.STATIC)
                .setLoadAssignment(endpoints)
                .build();
    }

    static Bootstrap bootstrap(List<Listener> listeners, List<Cluster> clusters, List<Secret> secrets) {
        return Bootstrap.newBuilder()
                .setNode(Node.newBuilder().setId("test").setCluster("test"))
                .addBootstrapExtensions(TypedExtensionConfig.newBuilder()
                        .setName("envoy.bootstrap.internal_listener")
                        .setTypedConfig(Any.pack(InternalListener.getDefaultInstance())))
                .setStaticResources(StaticResources.newBuilder()
                        .addAllListeners(listeners)
                        .addAllClusters(clusters)
                        .addAllSecrets(secrets))
                .build();
    }

    static Address address(String address, int port) {
        return Address.newBuilder()
                .setSocketAddress(SocketAddress.newBuilder().setAddress(address).setPortValue(port))
                .build();
    }
}
