// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.core.v3.HeaderValueOption.HeaderAppendAction;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig;

/// Opens a tunnel to the address that each of its connections is meant for.
public final class ConnectOriginate {
    static final String NAME = "connect_originate";

    private ConnectOriginate() {}

    public static Listener listener() {
        return listener(TunnelingConfig.newBuilder());
    }

    /// The same for a proxy that tells who it is.
    public static Listener listener(String baggage) {
        var tunnel = TunnelingConfig.newBuilder();
        tunnel.addHeadersToAddBuilder()
                .setAppendAction(HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD)
                .getHeaderBuilder()
                .setKey("baggage")
                .setValue(baggage);
        return listener(tunnel);
    }

    private static Listener listener(TunnelingConfig.Builder tunnel) {
        return Hop.toOriginal(
                NAME,
                Hop.proxy(NAME, "tunnel not opened: dst=%DOWNSTREAM_LOCAL_ADDRESS% host=%UPSTREAM_HOST%")
                        .setTunnelingConfig(tunnel.setHostname("%DOWNSTREAM_LOCAL_ADDRESS%")));
    }
}
