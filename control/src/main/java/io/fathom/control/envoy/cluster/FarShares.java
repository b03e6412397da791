// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.peering.Reachability;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How much of the load each gateway of other networks gets: all gateways of a network share evenly what its members
/// would get. One that is suspect gets a tenth of its share, and one that is down nothing while there is another way.
/// So that no share is a fraction, all weights are multiplied by one number. Pure.
///
/// @param scale what the weights of near endpoints have to be multiplied by
/// @param weights of gateways, multiplied already
record FarShares(int scale, SortedMap<IpPort, Integer> weights) {
    /// With so many gateways rounding does no harm, and sums stay in bounds.
    private static final long MOST = 100_000;

    private static final int SUSPECT_SHARE = 10;

    /// Whether there are near endpoints.
    enum Near {
        SOME,
        NONE
    }

    /// What is on a network without a gateway is left out.
    ///
    /// @param capacities of networks, by their members
    static FarShares of(Map<String, Integer> capacities, Map<String, Map<IpPort, Reachability>> gateways, Near near) {
        var alive = new TreeMap<String, Map<IpPort, Reachability>>();
        capacities.keySet().forEach(network -> alive.put(network, alive(gateways.getOrDefault(network, Map.of()))));
        var isThereAny = near == Near.SOME || alive.values().stream().anyMatch(ways -> !ways.isEmpty());
        var used = new TreeMap<String, Map<IpPort, Reachability>>();
        capacities
                .keySet()
                .forEach(network ->
                        used.put(network, isThereAny ? alive.get(network) : gateways.getOrDefault(network, Map.of())));
        var scale = 1L;
        for (var ways : used.values()) {
            if (!ways.isEmpty()) {
                scale = Math.min(MOST, scale / gcd(scale, ways.size()) * ways.size());
            }
        }
        if (used.values().stream().anyMatch(ways -> ways.containsValue(Reachability.SUSPECT))) {
            scale = Math.min(MOST, scale * SUSPECT_SHARE);
        }
        var weights = new TreeMap<IpPort, Integer>(IpPort.ORDER);
        for (var network : capacities.entrySet()) {
            var ways = used.getOrDefault(network.getKey(), Map.of());
            for (var way : ways.entrySet()) {
                var whole = network.getValue() * scale / ways.size();
                var share = way.getValue() == Reachability.SUSPECT ? whole / SUSPECT_SHARE : whole;
                weights.merge(way.getKey(), Math.toIntExact(Math.max(1, share)), Integer::sum);
            }
        }
        return new FarShares(weights.isEmpty() ? 1 : Math.toIntExact(scale), weights);
    }

    private static Map<IpPort, Reachability> alive(Map<IpPort, Reachability> ways) {
        var alive = new TreeMap<IpPort, Reachability>(IpPort.ORDER);
        ways.forEach((way, verdict) -> {
            if (verdict != Reachability.DOWN) {
                alive.put(way, verdict);
            }
        });
        return alive;
    }

    private static long gcd(long one, long other) {
        return other == 0 ? one : gcd(other, one % other);
    }
}
