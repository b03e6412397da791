package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig;

/// Opens a tunnel to the address that each of its connections is meant for.
public final class ConnectOriginate {
    static final String NAME = "connect_originate";

    private ConnectOriginate() {}

    public static Listener listener() {
        return Hop.toOriginal(
                NAME,
                Hop.proxy(NAME, "tunnel not opened: dst=%DOWNSTREAM_LOCAL_ADDRESS% host=%UPSTREAM_HOST%")
                        .setTunnelingConfig(TunnelingConfig.newBuilder().setHostname("%DOWNSTREAM_LOCAL_ADDRESS%")));
    }
}
