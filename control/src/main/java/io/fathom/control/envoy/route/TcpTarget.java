// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import java.util.List;
import java.util.Optional;

/// Where connections go.
///
/// @param shares never empty; one that leads nowhere has a cluster that does not exist, so that connections are closed
public record TcpTarget(List<Share> shares) {
    /// A destination and its part of the connections.
    ///
    /// @param service empty when there is no such destination
    /// @param weight at least 1
    public record Share(String cluster, int weight, Optional<MeshService> service, int port, String subset) {}

    public TcpTarget {
        shares = List.copyOf(shares);
    }

    static TcpTarget nowhere() {
        return new TcpTarget(List.of(new Share(Destinations.UNKNOWN_SERVICE, 1, Optional.empty(), 0, "")));
    }

    /// Whose settings count for connections: a filter cannot have those of several destinations.
    public Share first() {
        return shares.getFirst();
    }

    /// Says so in a filter.
    public TcpProxy.Builder writeTo(TcpProxy.Builder proxy) {
        if (shares.size() == 1) {
            return proxy.setCluster(first().cluster());
        }
        var clusters = WeightedCluster.newBuilder();
        shares.forEach(share -> clusters.addClusters(WeightedCluster.ClusterWeight.newBuilder()
                .setName(share.cluster())
                .setWeight(share.weight())));
        return proxy.setWeightedClusters(clusters);
    }
}
