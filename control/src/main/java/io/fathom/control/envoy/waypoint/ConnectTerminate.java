// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.accesslog.v3.ComparisonFilter;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.KeepaliveSettings;
import io.envoyproxy.envoy.config.core.v3.RuntimeUInt32;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.config.listener.v3.AdditionalAddress;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.Listener.ConnectionBalanceConfig;
import io.envoyproxy.envoy.config.listener.v3.Listener.ConnectionBalanceConfig.ExactBalance;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction.UpgradeConfig;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.http.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.ForwardClientCertDetails;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.SetCurrentClientCertDetails;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.fathom.control.ambient.trust.TrustTables.BundleTrust;
import io.fathom.model.mesh.Ip;
import java.util.List;

/// Takes tunnels on the HBONE port and hands what is in them on, with what is known of the peer.
final class ConnectTerminate {
    static final String NAME = "connect_terminate";
    private static final int PORT = 15008;
    private static final int STREAMS = 100;

    private ConnectTerminate() {}

    static Listener listener(WaypointSettings settings) {
        return listener(settings, List.of(), List.of());
    }

    /// @param more filters that look at each tunnel
    /// @param ways that some tunnels take
    static Listener listener(WaypointSettings settings, List<HttpFilter> more, List<Route> ways) {
        var listener = Listener.newBuilder()
                .setName(NAME)
                .setConnectionBalanceConfig(
                        ConnectionBalanceConfig.newBuilder().setExactBalance(ExactBalance.getDefaultInstance()))
                .addFilterChains(FilterChain.newBuilder()
                        .setName("default" + revocation(settings))
                        .setTransportSocket(tls(settings))
                        .addFilters(
                                Typed.network("envoy.filters.network.http_connection_manager", manager(more, ways))));
        var families = settings.families();
        if (families.contains(Ip.Family.V4) || families.isEmpty()) {
            listener.setAddress(any("0.0.0.0"));
            if (families.contains(Ip.Family.V6)) {
                listener.addAdditionalAddresses(AdditionalAddress.newBuilder().setAddress(any("::")));
            }
        } else {
            listener.setAddress(any("::"));
        }
        return listener.build();
    }

    /// Connections were let in by a chain of filters of that name, and end with it: an Envoy does not verify twice.
    private static String revocation(WaypointSettings settings) {
        return settings.bundles()
                .map(BundleTrust::revocation)
                .filter(mark -> !mark.isEmpty())
                .map(mark -> "-" + mark)
                .orElse("");
    }

    private static TransportSocket tls(WaypointSettings settings) {
        var context = DownstreamTlsContext.newBuilder()
                .setRequireClientCertificate(BoolValue.of(true))
                .setCommonTlsContext(settings.meshTls().context());
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.tls")
                .setTypedConfig(Any.pack(context.build()))
                .build();
    }

    private static Address any(String ip) {
        var address = Address.newBuilder();
        address.getSocketAddressBuilder().setAddress(ip).setPortValue(PORT);
        return address.build();
    }

    private static HttpConnectionManager manager(List<HttpFilter> more, List<Route> ways) {
        return HttpConnectionManager.newBuilder()
                .setStatPrefix(NAME)
                .setServerName("istio-envoy")
                .setUseRemoteAddress(BoolValue.of(false))
                .setStreamIdleTimeout(Typed.seconds(0))
                .setForwardClientCertDetails(ForwardClientCertDetails.APPEND_FORWARD)
                .setSetCurrentClientCertDetails(SetCurrentClientCertDetails.newBuilder()
                        .setSubject(BoolValue.of(true))
                        .setDns(true)
                        .setUri(true))
                .addUpgradeConfigs(
                        HttpConnectionManager.UpgradeConfig.newBuilder().setUpgradeType("CONNECT"))
                .setHttp2ProtocolOptions(Http2ProtocolOptions.newBuilder()
                        .setAllowConnect(true)
                        .setMaxConcurrentStreams(Typed.number(STREAMS))
                        .setConnectionKeepalive(KeepaliveSettings.newBuilder()
                                .setInterval(Typed.seconds(10))
                                .setTimeout(Typed.seconds(20))))
                .addHttpFilters(Typed.http(
                        "connect_authority",
                        Config.newBuilder()
                                .addAllOnRequestHeaders(FilterStates.ofTunnel())
                                .build()))
                .addHttpFilters(PlainClients.guard())
                .addAllHttpFilters(more)
                .addHttpFilters(Typed.http("envoy.filters.http.router", Router.getDefaultInstance()))
                .setRouteConfig(RouteConfiguration.newBuilder()
                        .setName("default")
                        .addVirtualHosts(VirtualHost.newBuilder()
                                .setName("default")
                                .addDomains("*")
                                .addAllRoutes(ways)
                                .addRoutes(route(MainInternal.NAME))))
                .addAccessLog(Typed.line(
                        failures(),
                        "[%START_TIME%] tunnel refused: authority=%REQ(:AUTHORITY)% peer=%DOWNSTREAM_PEER_URI_SAN% "
                                + "src=%DOWNSTREAM_REMOTE_ADDRESS% code=%RESPONSE_CODE% flags=%RESPONSE_FLAGS% "
                                + "details=%RESPONSE_CODE_DETAILS%"))
                .build();
    }

    static Route route(String cluster) {
        var route = Route.newBuilder();
        route.getMatchBuilder().getConnectMatcherBuilder();
        route.getRouteBuilder()
                .setCluster(cluster)
                .addUpgradeConfigs(UpgradeConfig.newBuilder()
                        .setUpgradeType("CONNECT")
                        .setConnectConfig(UpgradeConfig.ConnectConfig.getDefaultInstance()));
        return route.build();
    }

    private static AccessLogFilter failures() {
        var filter = AccessLogFilter.newBuilder();
        filter.getStatusCodeFilterBuilder()
                .setComparison(ComparisonFilter.newBuilder()
                        .setOp(ComparisonFilter.Op.GE)
                        .setValue(RuntimeUInt32.newBuilder()
                                .setDefaultValue(400)
                                .setRuntimeKey("access_log.tunnel_failures")));
        return filter.build();
    }
}
