// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.google.protobuf.BoolValue;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.common.mutation_rules.v3.HeaderMutation;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption.HeaderAppendAction;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.Cors;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.grpc_stats.v3.FilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.header_mutation.v3.Mutations;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.ForwardClientCertDetails;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.view.Ads;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.Paths;
import io.fathom.control.envoy.waypoint.WaypointSettings.ClientIdentity;
import io.fathom.model.mesh.AppProtocol;
import java.util.ArrayList;
import java.util.List;

/// Makes the chains of services: what happens to a request or a connection, in that order.
public final class ServiceChains {
    private static final String ENCAP = "encap";

    private final WaypointSettings settings;

    public ServiceChains(WaypointSettings settings) {
        this.settings = settings;
    }

    /// For requests.
    ///
    /// @param name of the cluster behind; the chain and its route table have it, too
    public FilterChain http(ClusterName name, ServicePort port, HttpSlots slots) {
        return http(name, port, HostPort.KEPT, slots);
    }

    /// What happens to the port in the host of a request.
    public enum HostPort {
        KEPT,
        /// Removed where it is the one that the client dialled.
        REMOVED
    }

    public FilterChain http(ClusterName name, ServicePort port, HostPort hostPort, HttpSlots slots) {
        var manager = manager("inbound_0.0.0.0_" + port.number() + ";", slots).setRds(Ads.routes(name.toString()));
        if (port.protocol() == AppProtocol.HTTP2 || port.protocol() == AppProtocol.GRPC) {
            manager.setHttp2ProtocolOptions(Http2ProtocolOptions.getDefaultInstance());
        }
        if (hostPort == HostPort.REMOVED) {
            manager.setStripMatchingHostPort(true);
        }
        return FilterChain.newBuilder()
                .setName(name.toString())
                .addFilters(Typed.network("envoy.filters.network.http_connection_manager", manager.build()))
                .build();
    }

    public FilterChain tcp(ClusterName name, TcpSlots slots) {
        return FilterChain.newBuilder()
                .setName(name.toString())
                .addAllFilters(tcpFilters(slots))
                .build();
    }

    /// The chains for workloads themselves: to the very address that the client asked for.
    public DirectChains direct(HttpSlots http, TcpSlots tcp) {
        var route = Route.newBuilder().setName("default");
        route.getMatchBuilder().setPrefix("/");
        route.getRouteBuilder().setCluster(ENCAP).setTimeout(Typed.seconds(0));
        var manager = manager(MainInternal.DIRECT_HTTP, http)
                .setRouteConfig(routes(ENCAP, 0, List.of("*"), List.of(route.build())))
                .build();
        return new DirectChains(
                List.of(Typed.network("envoy.filters.network.http_connection_manager", manager)), tcpFilters(tcp));
    }

    /// Straight to the workload.
    public static TcpSlots directTcp() {
        return TcpSlots.of(ENCAP);
    }

    private static List<Filter> tcpFilters(TcpSlots slots) {
        var filters = new ArrayList<>(slots.filters());
        var proxy =
                slots.proxy().toBuilder().addAllAccessLog(slots.accessLogs()).build();
        filters.add(Typed.network("envoy.filters.network.tcp_proxy", proxy));
        return filters;
    }

    private HttpConnectionManager.Builder manager(String statPrefix, HttpSlots slots) {
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix(statPrefix)
                .setCodecType(HttpConnectionManager.CodecType.AUTO)
                .setServerName("istio-envoy")
                .setUseRemoteAddress(BoolValue.of(false))
                .setStreamIdleTimeout(Typed.seconds(0))
                .addUpgradeConfigs(
                        HttpConnectionManager.UpgradeConfig.newBuilder().setUpgradeType("websocket"))
                .addAllAccessLog(slots.accessLogs())
                .addAllHttpFilters(filters(slots));
        Paths.write(settings.traffic().paths(), manager);
        slots.tracing().addTo(manager);
        if (settings.clientIdentity() == ClientIdentity.TOLD) {
            manager.setForwardClientCertDetails(ForwardClientCertDetails.ALWAYS_FORWARD_ONLY);
        }
        return manager;
    }

    private List<HttpFilter> filters(HttpSlots slots) {
        var filters = new ArrayList<HttpFilter>();
        if (settings.clientIdentity() == ClientIdentity.TOLD) {
            filters.add(clientIdentity());
        }
        filters.addAll(slots.custom());
        filters.addAll(slots.authentication());
        filters.addAll(slots.authorization());
        filters.add(Typed.http(
                "envoy.filters.http.grpc_stats",
                FilterConfig.newBuilder()
                        .setEmitFilterState(true)
                        .setStatsForAllMethods(BoolValue.of(false))
                        .build()));
        filters.add(Typed.http("envoy.filters.http.fault", HTTPFault.getDefaultInstance()));
        filters.add(Typed.http("envoy.filters.http.cors", Cors.getDefaultInstance()));
        filters.addAll(slots.last());
        filters.add(Typed.http("envoy.filters.http.router", Router.getDefaultInstance()));
        return filters;
    }

    /// Replaces whatever the client wrote.
    private static HttpFilter clientIdentity() {
        var mutation = HeaderMutation.newBuilder();
        mutation.getAppendBuilder()
                .setAppendAction(HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD)
                .getHeaderBuilder()
                .setKey("x-forwarded-client-cert")
                .setValue("By=%FILTER_STATE(" + FilterStates.LOCAL_PRINCIPAL + ":PLAIN)%;URI=%FILTER_STATE("
                        + FilterStates.PEER_PRINCIPAL + ":PLAIN)%");
        var config = io.envoyproxy.envoy.extensions.filters.http.header_mutation.v3.HeaderMutation.newBuilder()
                .setMutations(Mutations.newBuilder().addRequestMutations(mutation))
                .build();
        return Typed.http("istio.waypoint.xfcc_client_identity", config);
    }

    /// The table of a chain.
    ///
    /// @param domains of requests that it is for
    public static RouteConfiguration routes(String name, int port, List<String> domains, List<Route> routes) {
        return RouteConfiguration.newBuilder()
                .setName(name)
                .setValidateClusters(BoolValue.of(false))
                .setMaxDirectResponseBodySizeBytes(UInt32Value.of(1_048_576))
                .addVirtualHosts(VirtualHost.newBuilder()
                        .setName("inbound|http|" + port)
                        .addAllDomains(domains)
                        .addAllRoutes(routes))
                .build();
    }
}
