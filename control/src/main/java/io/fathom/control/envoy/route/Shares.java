// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster.ClusterWeight;
import io.fathom.control.envoy.view.MeshService;
import java.util.List;
import java.util.stream.Stream;

/// The backends of a rule that get something.
record Shares(List<Share> shares) {
    /// @param edits what happens only to requests for this backend
    record Share(Backend backend, int weight, HeaderEdits edits) {}

    /// Leaves out what gets nothing.
    static Shares of(Stream<Share> all) {
        return new Shares(all.filter(share -> share.weight() > 0).toList());
    }

    boolean isEmpty() {
        return shares.isEmpty();
    }

    /// What happens to requests for the only backend; those of several are kept apart.
    HeaderEdits common() {
        return shares.size() == 1 ? shares.getFirst().edits() : HeaderEdits.NONE;
    }

    Stream<MeshService> services() {
        return shares.stream().flatMap(share -> share.backend().service().stream());
    }

    List<HashPolicy> hashes(Hashing policies) {
        return shares.stream()
                .map(Share::backend)
                .flatMap(backend -> backend
                        .service()
                        .map(service -> policies.of(service, backend.port(), backend.subset()))
                        .orElse(List.of())
                        .stream())
                .distinct()
                .toList();
    }

    /// @param authority that the route rewrites to; empty when it does not
    void writeTo(RouteAction.Builder action, String authority) {
        if (shares.size() == 1) {
            action.setCluster(shares.getFirst().backend().cluster());
            return;
        }
        var clusters = WeightedCluster.newBuilder();
        for (var share : shares) {
            var cluster = ClusterWeight.newBuilder()
                    .setName(share.backend().cluster())
                    .setWeight(UInt32Value.of(share.weight()));
            share.edits().writeTo(cluster, authority);
            clusters.addClusters(cluster);
        }
        action.setWeightedClusters(clusters);
    }
}
