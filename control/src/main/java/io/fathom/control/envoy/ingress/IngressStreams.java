// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.TcpAccessLogOptions;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster;
import io.fathom.control.envoy.ingress.StreamRoute.Share;
import java.util.List;

/// How ingress proxies hand connections on. Pure.
final class IngressStreams {
    /// A cluster without members.
    private static final String NOWHERE = "BlackHoleCluster";

    private IngressStreams() {}

    static Filter proxy(StreamRoute route, ChainParts parts) {
        var proxy = TcpProxy.newBuilder().addAllAccessLog(parts.networkLogs());
        if (!parts.networkLogs().isEmpty()) { // metrics count on a line when a connection to the destination is there
            proxy.setAccessLogOptions(TcpAccessLogOptions.newBuilder().setFlushAccessLogOnConnected(true));
        }
        var shares = route.shares().stream().filter(share -> share.weight() > 0).toList();
        proxy.setStatPrefix(shares.size() == 1 ? shares.getFirst().cluster() : route.name());
        if (shares.size() > 1) {
            proxy.setWeightedClusters(weighted(shares));
        } else {
            proxy.setCluster(shares.isEmpty() ? NOWHERE : shares.getFirst().cluster());
        }
        return Filter.newBuilder()
                .setName("envoy.filters.network.tcp_proxy")
                .setTypedConfig(Any.pack(proxy.build()))
                .build();
    }

    private static WeightedCluster weighted(List<Share> shares) {
        var clusters = WeightedCluster.newBuilder();
        shares.forEach(share -> clusters.addClusters(WeightedCluster.ClusterWeight.newBuilder()
                .setName(share.cluster())
                .setWeight(share.weight())));
        return clusters.build();
    }
}
