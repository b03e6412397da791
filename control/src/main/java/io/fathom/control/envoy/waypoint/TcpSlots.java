// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import java.util.List;
import java.util.stream.Stream;

/// What others put into a TCP chain.
///
/// @param filters before the last one
/// @param proxy where to: a cluster or several with weights
public record TcpSlots(List<Filter> filters, TcpProxy proxy, List<AccessLog> accessLogs) {
    public TcpSlots {
        filters = List.copyOf(filters);
        accessLogs = List.copyOf(accessLogs);
    }

    /// With more filters before the last one.
    public TcpSlots with(List<Filter> more) {
        return new TcpSlots(Stream.concat(filters.stream(), more.stream()).toList(), proxy, accessLogs);
    }

    /// To one cluster.
    public static TcpSlots of(String cluster) {
        return new TcpSlots(
                List.of(),
                TcpProxy.newBuilder().setStatPrefix(cluster).setCluster(cluster).build(),
                List.of());
    }
}
