// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.PeerReach;
import io.fathom.model.peering.Reachability;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What one cluster finds at the gateways of others.
///
/// @param asOf up to when it is known that it is so; nothing if the cluster never said anything of it
/// @param peers each address of the gateway of each other cluster, by the name of that
public record FleetReach(String cluster, Optional<Instant> asOf, SortedMap<String, List<PeerReach>> peers)
        implements Comparable<FleetReach> {
    public FleetReach {
        peers = Collections.unmodifiableSortedMap(new TreeMap<>(peers));
    }

    /// @param names of clusters by number; what is known of others is left out
    static FleetReach of(String cluster, Instant asOf, Iterable<PeerReach> rows, Map<Integer, String> names) {
        var peers = new TreeMap<String, List<PeerReach>>();
        for (var row : rows) {
            Optional.ofNullable(names.get(row.at().target()))
                    .ifPresent(to ->
                            peers.computeIfAbsent(to, _ -> new ArrayList<>()).add(row));
        }
        return new FleetReach(cluster, Optional.of(asOf), peers);
    }

    /// How a gateway is reached: by the best of its addresses.
    public static Reachability verdict(List<PeerReach> addresses) {
        return addresses.stream()
                .map(PeerReach::verdict)
                .min(Reachability::compareTo)
                .orElse(Reachability.UNKNOWN);
    }

    @Override
    public int compareTo(FleetReach other) {
        return cluster.compareTo(other.cluster);
    }
}
