// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.Listener.InternalListenerConfig;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;

/// Internal listeners that hand connections on to the cluster of the same name, and say so when they cannot. Pure.
final class Hop {
    private Hop() {}

    /// @param failure what the log says of a connection that could not be handed on
    static TcpProxy.Builder proxy(String name, String failure) {
        var failed = AccessLogFilter.newBuilder();
        failed.getResponseFlagFilterBuilder().addFlags("UF");
        return TcpProxy.newBuilder()
                .setStatPrefix(name)
                .setCluster(name)
                .addAccessLog(Typed.line(
                        failed.build(), "[%START_TIME%] " + failure + " failure=%UPSTREAM_TRANSPORT_FAILURE_REASON%"));
    }

    static Listener.Builder internal(String name) {
        return Listener.newBuilder().setName(name).setInternalListener(InternalListenerConfig.getDefaultInstance());
    }

    /// To the address that each connection is meant for.
    static Listener toOriginal(String name, TcpProxy.Builder proxy) {
        return internal(name)
                .setUseOriginalDst(BoolValue.of(false))
                .addListenerFilters(Typed.originalDestination())
                .addFilterChains(FilterChain.newBuilder().addFilters(filter(proxy)))
                .build();
    }

    static Filter filter(TcpProxy.Builder proxy) {
        return Typed.network("envoy.filters.network.tcp_proxy", proxy.build());
    }
}
