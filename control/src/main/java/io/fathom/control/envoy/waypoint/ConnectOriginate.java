package io.fathom.control.envoy.waypoint;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.Listener.InternalListenerConfig;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig;

/// Opens a tunnel to the address that each of its connections is meant for.
public final class ConnectOriginate {
    static final String NAME = "connect_originate";

    private ConnectOriginate() {}

    public static Listener listener() {
        var failed = AccessLogFilter.newBuilder();
        failed.getResponseFlagFilterBuilder().addFlags("UF");
        var proxy = TcpProxy.newBuilder()
                .setStatPrefix(NAME)
                .setCluster(NAME)
                .setTunnelingConfig(TunnelingConfig.newBuilder().setHostname("%DOWNSTREAM_LOCAL_ADDRESS%"))
                .addAccessLog(Typed.line(
                        failed.build(),
                        "[%START_TIME%] tunnel not opened: dst=%DOWNSTREAM_LOCAL_ADDRESS% host=%UPSTREAM_HOST% "
                                + "failure=%UPSTREAM_TRANSPORT_FAILURE_REASON%"));
        return Listener.newBuilder()
                .setName(NAME)
                .setInternalListener(InternalListenerConfig.getDefaultInstance())
                .setUseOriginalDst(BoolValue.of(false))
                .addListenerFilters(Typed.originalDestination())
                .addFilterChains(FilterChain.newBuilder()
                        .addFilters(Typed.network("envoy.filters.network.tcp_proxy", proxy.build())))
                .build();
    }
}
