// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import java.util.List;

/// Plain pieces of configuration around what a test is about.
public final class Plain {
    public static final String MANAGER = "envoy.filters.network.http_connection_manager";

    private Plain() {}

    /// On any port of loopback.
    public static Listener listener(String name, Filter filter) {
        return Listener.newBuilder()
                .setName(name)
                .setAddress(address(0))
                .addFilterChains(FilterChain.newBuilder().setName(name).addFilters(filter))
                .build();
    }

    public static Filter manager(HttpConnectionManager manager) {
        return Filter.newBuilder()
                .setName(MANAGER)
                .setTypedConfig(Any.pack(manager))
                .build();
    }

    public static HttpFilter filter(String name, Message config) {
        return HttpFilter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }

    public static HttpFilter router() {
        return filter("envoy.filters.http.router", Router.getDefaultInstance());
    }

    /// One virtual host for every name, with a route to a cluster for each prefix.
    public static RouteConfiguration routes(String name, Route... routes) {
        var host = VirtualHost.newBuilder().setName("all").addDomains("*");
        for (var route : routes) {
            host.addRoutes(route);
        }
        return RouteConfiguration.newBuilder()
                .setName(name)
                .addVirtualHosts(host)
                .build();
    }

    public static Route route(String prefix, String cluster) {
        return Route.newBuilder()
                .setName(cluster)
                .setMatch(RouteMatch.newBuilder().setPrefix(prefix))
                .setRoute(RouteAction.newBuilder().setCluster(cluster))
                .build();
    }

    /// A port of loopback, with what endpoints tell about their workload.
    ///
    /// @param workload `name;namespace;canonical;revision;cluster`, or empty
    public static Cluster cluster(String name, int port, String workload) {
        var endpoint = LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address(port)));
        if (!workload.isEmpty()) {
            var labels = Struct.newBuilder();
            var values = workload.split(";", -1);
            var keys = List.of("name", "namespace", "canonical", "revision", "cluster");
            for (var i = 0; i < keys.size(); i++) {
                labels.putFields(
                        keys.get(i),
                        Value.newBuilder().setStringValue(values[i]).build());
            }
            endpoint.setMetadata(Metadata.newBuilder().putFilterMetadata("istio", labels.build()));
        }
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.STATIC)
                .setConnectTimeout(Durations.fromSeconds(5))
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .build();
    }

    public static Address address(int port) {
        return Address.newBuilder()
                .setSocketAddress(
                        SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port))
                .build();
    }
}
