// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.Cors;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Applications, and a stock Envoy in front of them that has the routes of a test, one listener for each set.
final class RouteLab implements AutoCloseable {
    private final Shop shop = new Shop();
    private final Map<String, Echo> backends = new LinkedHashMap<>();
    private final StaticResources.Builder resources = StaticResources.newBuilder();
    private final List<HttpFilter> before = new ArrayList<>();
    private @Nullable StockEnvoy envoy;
    private String caller = "";

    Shop shop() {
        return shop;
    }

    /// A service `shop/<name>` with so many members. The first is called by the name of the service.
    RouteLab service(String name, int members) throws IOException {
        shop.with("shop", name, 80);
        var ports = new ArrayList<Integer>();
        for (var i = 0; i < members; i++) {
            var member = members == 1 ? name : name + "-" + i;
            var echo = Echo.start(member);
            backends.put(member, echo);
            ports.add(echo.port());
        }
        for (var layer : ClusterLayer.values()) {
            cluster(shop.cluster(shop.get("shop", name), 80, layer, "").toString(), ports);
        }
        return this;
    }

    void cluster(String name, List<Integer> ports) {
        var members = LocalityLbEndpoints.newBuilder();
        ports.forEach(port -> members.addLbEndpoints(
                LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address(port)))));
        resources.addClusters(Cluster.newBuilder()
                .setName(name)
                .setConnectTimeout(Duration.newBuilder().setSeconds(5))
                .setType(Cluster.DiscoveryType.STATIC)
                .setLoadAssignment(
                        ClusterLoadAssignment.newBuilder().setClusterName(name).addEndpoints(members)));
    }

    Echo backend(String name) {
        var echo = backends.get(name);
        if (echo == null) {
            throw new IllegalArgumentException(name);
        }
        return echo;
    }

    /// A filter that all requests meet first.
    RouteLab first(String name, Message config) {
        before.add(filter(name, config));
        return this;
    }

    RouteLab listen(String listener, HostPlan plan) {
        return listen(listener, plan.hosts(), plan.filters());
    }

    RouteLab listen(String listener, RoutePlan plan) {
        var host = VirtualHost.newBuilder().setName("all").addDomains("*").addAllRoutes(plan.routes());
        return listen(listener, List.of(host.build()), plan.filters());
    }

    /// As at a waypoint, which knows who called.
    RouteLab listenAs(String listener, String principal, RoutePlan plan) {
        caller = principal;
        listen(listener, plan);
        caller = "";
        return this;
    }

    private static Filter knownCaller(String principal) {
        var value = FilterStateValue.newBuilder()
                .setObjectKey("io.istio.peer_principal")
                .setFactoryKey("envoy.hashable_string")
                .setFormatString(SubstitutionFormatString.newBuilder()
                        .setTextFormatSource(DataSource.newBuilder().setInlineString(principal)));
        return Filter.newBuilder()
                .setName("caller")
                .setTypedConfig(
                        Any.pack(Config.newBuilder().addOnNewConnection(value).build()))
                .build();
    }

    private RouteLab listen(String listener, List<VirtualHost> hosts, List<HttpFilter> needed) {
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix(listener)
                .setRouteConfig(RouteConfiguration.newBuilder()
                        .setName(listener)
                        .setIgnorePortInHostMatching(true)
                        .setValidateClusters(BoolValue.of(false))
                        .addAllVirtualHosts(hosts))
                .addAllHttpFilters(before)
                .addAllHttpFilters(needed)
                .addHttpFilters(filter("envoy.filters.http.fault", HTTPFault.getDefaultInstance()))
                .addHttpFilters(filter("envoy.filters.http.cors", Cors.getDefaultInstance()))
                .addHttpFilters(filter("envoy.filters.http.router", Router.getDefaultInstance()));
        return listen(listener, "envoy.filters.network.http_connection_manager", manager.build());
    }

    RouteLab listen(String listener, TcpTarget target) {
        var proxy = target.writeTo(TcpProxy.newBuilder().setStatPrefix(listener));
        return listen(listener, "envoy.filters.network.tcp_proxy", proxy.build());
    }

    private RouteLab listen(String listener, String filter, Message config) {
        var chain = FilterChain.newBuilder();
        if (!caller.isEmpty()) {
            chain.addFilters(knownCaller(caller));
        }
        resources.addListeners(Listener.newBuilder()
                .setName(listener)
                .setAddress(address(0))
                .addFilterChains(
                        chain.addFilters(Filter.newBuilder().setName(filter).setTypedConfig(Any.pack(config)))));
        return this;
    }

    RouteLab start(Path folder) throws IOException {
        envoy = StockEnvoy.start(
                folder, Bootstrap.newBuilder().setStaticResources(resources).build());
        return this;
    }

    int port(String listener) throws IOException {
        if (envoy == null) {
            throw new IllegalStateException("not started");
        }
        return envoy.port(listener);
    }

    private static Address address(int port) {
        return Address.newBuilder()
                .setSocketAddress(
                        SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port))
                .build();
    }

    private static HttpFilter filter(String name, Message config) {
        return HttpFilter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }

    @Override
    public void close() {
        if (envoy != null) {
            envoy.close();
        }
        backends.values().forEach(Echo::close);
    }
}
