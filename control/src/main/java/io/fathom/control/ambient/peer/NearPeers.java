// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.PeerGateways;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.Set;

/// The clusters on our own network that tell us what they have: their endpoints are called directly, and ours are told
/// to them.
public final class NearPeers {
    private static final String ALL = "";

    private final Table<String, String> clusters;
    private final Index<String, String, String> all;

    public NearPeers(
            Flow flow,
            PeerGateways gateways,
            NetworkGateways networkGateways,
            Networks networks,
            AmbientConfig config) {
        var home = new ObjectKey(config.clusterId(), "", "");
        clusters = flow.reduce("peers/near", gateways.byCluster(), (fetch, cluster, leading) -> {
            var ours = networks.of(fetch, home);
            return leading.stream().anyMatch(gateway -> isOn(fetch, networkGateways, gateway.key(), ours))
                    ? Optional.of(cluster)
                    : Optional.<String>empty();
        });
        all = flow.index("peers/near-all", clusters, _ -> Set.of(ALL));
    }

    private static boolean isOn(Fetch<?> fetch, NetworkGateways gateways, ObjectKey gateway, String network) {
        return !network.isEmpty()
                && fetch.one(gateways.declared(), gateway)
                        .filter(ways -> ways.getFirst().network().equals(network))
                        .isPresent();
    }

    boolean has(Fetch<?> fetch, String cluster) {
        return fetch.one(clusters, cluster).isPresent();
    }

    /// Whether there is any.
    boolean exist(Fetch<?> fetch) {
        return !fetch.all(all, ALL).isEmpty();
    }
}
