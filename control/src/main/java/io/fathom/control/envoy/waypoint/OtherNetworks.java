// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption.HeaderAppendAction;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig;
import java.util.List;

/// The way to endpoints on other networks: a tunnel for the host name of the service, which ends at the
/// endpoint, inside a tunnel to the gateway of that network, which is told what kind of proxy asks.
public final class OtherNetworks {
    static final String INNER = "inner_connect_originate";
    static final String OUTER = "outer_connect_originate";

    private OtherNetworks() {}

    /// Both listeners, in the order in which traffic passes them.
    ///
    /// @param network that the proxy is in; may be empty
    public static List<Listener> listeners(TunnelSource source, String network) {
        return List.of(inner(network), outer(source));
    }

    private static Listener inner(String network) {
        var handedOn = Config.newBuilder()
                .addAllOnNewConnection(FilterStates.toGateway())
                .build();
        var tunnel = tunnel();
        if (!network.isEmpty()) {
            tunnel.addHeadersToAdd(header("x-forwarded-network", network));
        }
        return Hop.internal(INNER)
                .addFilterChains(FilterChain.newBuilder()
                        .addFilters(Typed.network("set_dst_address", handedOn))
                        .addFilters(Hop.filter(proxy(INNER, tunnel))))
                .build();
    }

    private static Listener outer(TunnelSource source) {
        var tunnel = tunnel().addHeadersToAdd(header(FilterStates.SOURCE_HEADER, source.word()));
        return Hop.toOriginal(OUTER, proxy(OUTER, tunnel));
    }

    private static TunnelingConfig.Builder tunnel() {
        return TunnelingConfig.newBuilder().setHostname(FilterStates.plain(FilterStates.FAR_TARGET));
    }

    private static TcpProxy.Builder proxy(String name, TunnelingConfig.Builder tunnel) {
        return Hop.proxy(
                        name,
                        "tunnel to another network not opened: " + name + " target="
                                + FilterStates.plain(FilterStates.FAR_TARGET) + " gateway="
                                + FilterStates.plain(FilterStates.LOCAL_ADDRESS))
                .setTunnelingConfig(tunnel);
    }

    private static HeaderValueOption header(String name, String value) {
        var header = HeaderValueOption.newBuilder().setAppendAction(HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD);
        header.getHeaderBuilder().setKey(name).setValue(value);
        return header.build();
    }
}
