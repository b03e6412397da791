// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.DirectResponseAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.fathom.control.envoy.view.ClusterName;
import java.util.List;

/// Listeners with the filters of policies, for a stock Envoy. Whoever calls says in header `x-peer` who it is, as the
/// end of a tunnel would.
final class PolicyEnvoy {
    static final List<String> SHOWN = List.of("x-claim-sub", "x-payload", "authorization", "x-from-authz");

    private final Bootstrap.StaticResources.Builder resources = Bootstrap.StaticResources.newBuilder();

    /// Answers itself, and shows in headers `seen-*` what the application would see of some headers.
    void http(String name, HttpPolicy policy) {
        resources.addListeners(httpListener(name, policy));
    }

    static Listener httpListener(String name, HttpPolicy policy) {
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix(name)
                .setNormalizePath(BoolValue.of(true))
                .setRouteConfig(RouteConfiguration.newBuilder().setName(name).addVirtualHosts(host()))
                .addHttpFilters(peer());
        policy.filters().forEach(manager::addHttpFilters);
        manager.addHttpFilters(PolicyFilters.filter("envoy.filters.http.router", Router.getDefaultInstance()));
        return listener(
                name, PolicyFilters.networkFilter("envoy.filters.network.http_connection_manager", manager.build()));
    }

    /// Forwards bytes to a port on loopback.
    void tcp(String name, TcpPolicy policy, String peer, int port) {
        var state = io.envoyproxy.envoy.extensions.filters.network.set_filter_state.v3.Config.newBuilder()
                .addOnNewConnection(state(peer))
                .build();
        var chain = FilterChain.newBuilder()
                .addFilters(PolicyFilters.networkFilter("envoy.filters.network.set_filter_state", state))
                .addAllFilters(policy.filters())
                .addFilters(PolicyFilters.networkFilter(
                        "envoy.filters.network.tcp_proxy",
                        TcpProxy.newBuilder()
                                .setStatPrefix(name)
                                .setCluster(name)
                                .build()));
        resources.addListeners(
                Listener.newBuilder().setName(name).setAddress(address(0)).addFilterChains(chain));
        resources.addClusters(cluster(name, port));
    }

    void cluster(ClusterName name, int port) {
        resources.addClusters(cluster(name.toString(), port));
    }

    /// For gRPC.
    void http2Cluster(ClusterName name, int port) {
        var options = HttpProtocolOptions.newBuilder()
                .setExplicitHttpConfig(HttpProtocolOptions.ExplicitHttpConfig.newBuilder()
                        .setHttp2ProtocolOptions(Http2ProtocolOptions.getDefaultInstance()))
                .build();
        resources.addClusters(cluster(name.toString(), port).toBuilder()
                .putTypedExtensionProtocolOptions(
                        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions", Any.pack(options)));
    }

    Bootstrap.StaticResources resources() {
        return resources.build();
    }

    private static VirtualHost host() {
        var host = VirtualHost.newBuilder().setName("all").addDomains("*");
        SHOWN.forEach(name -> host.addResponseHeadersToAdd(HeaderValueOption.newBuilder()
                .setHeader(HeaderValue.newBuilder().setKey("seen-" + name).setValue("%REQ(" + name + ")%"))));
        return host.addRoutes(Route.newBuilder()
                        .setMatch(RouteMatch.newBuilder()
                                .setPrefix("/claim-route")
                                .addDynamicMetadata(Matching.claim(List.of("sub"), Matching.text("alice"))))
                        .setDirectResponse(answer("for alice")))
                .addRoutes(Route.newBuilder()
                        .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                        .setDirectResponse(answer("for anybody")))
                .build();
    }

    private static DirectResponseAction answer(String body) {
        return DirectResponseAction.newBuilder()
                .setStatus(200)
                .setBody(DataSource.newBuilder().setInlineString(body))
                .build();
    }

    private static HttpFilter peer() {
        Message config = io.envoyproxy.envoy.extensions.filters.http.set_filter_state.v3.Config.newBuilder()
                .addOnRequestHeaders(state("%REQ(x-peer)%"))
                .build();
        return PolicyFilters.filter("envoy.filters.http.set_filter_state", config);
    }

    private static FilterStateValue state(String format) {
        return FilterStateValue.newBuilder()
                .setObjectKey(Callers.PEER_PRINCIPAL)
                .setFactoryKey("envoy.hashable_string")
                .setFormatString(SubstitutionFormatString.newBuilder()
                        .setTextFormatSource(DataSource.newBuilder().setInlineString(format)))
                .build();
    }

    private static Listener listener(String name, Filter filter) {
        return Listener.newBuilder()
                .setName(name)
                .setAddress(address(0))
                .addFilterChains(FilterChain.newBuilder().addFilters(filter))
                .build();
    }

    private static Cluster cluster(String name, int port) {
        var endpoint = LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address(port)));
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.STATIC)
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .build();
    }

    private static Address address(int port) {
        return Address.newBuilder()
                .setSocketAddress(
                        SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port))
                .build();
    }
}
