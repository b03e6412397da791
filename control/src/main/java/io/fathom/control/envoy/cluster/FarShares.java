// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.model.mesh.IpPort;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How much of the load each gateway of other networks gets: all gateways of a network share evenly what its members
/// would get. So that no share is a fraction, all weights are multiplied by one number. Pure.
///
/// @param scale what the weights of near endpoints have to be multiplied by
/// @param weights of gateways, multiplied already
record FarShares(int scale, SortedMap<IpPort, Integer> weights) {
    private static final Comparator<IpPort> ORDER =
            Comparator.comparing(IpPort::ip).thenComparingInt(IpPort::port);
    /// With so many gateways rounding does no harm, and sums stay in bounds.
    private static final long MOST = 100_000;

    /// What is on a network without a gateway is left out.
    ///
    /// @param capacities of networks, by their members
    static FarShares of(Map<String, Integer> capacities, Map<String, List<IpPort>> gateways) {
        var scale = 1L;
        for (var network : capacities.keySet()) {
            var ways = gateways.getOrDefault(network, List.of()).size();
            if (ways > 0) {
                scale = Math.min(MOST, scale / gcd(scale, ways) * ways);
            }
        }
        var weights = new TreeMap<IpPort, Integer>(ORDER);
        for (var network : capacities.entrySet()) {
            var ways = gateways.getOrDefault(network.getKey(), List.of());
            for (var way : ways) {
                var share = Math.max(1, network.getValue() * scale / ways.size());
                weights.merge(way, Math.toIntExact(share), Integer::sum);
            }
        }
        return new FarShares(weights.isEmpty() ? 1 : Math.toIntExact(scale), weights);
    }

    private static long gcd(long one, long other) {
        return other == 0 ? one : gcd(other, one % other);
    }
}
