// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.PeerReach;
import io.fathom.model.peering.Reachability;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// How many gateways of others one cluster reaches, in short: cheap to ask for in a large fleet.
///
/// @param asOf as in [FleetReach]
/// @param clusters how many others are reached how, each by the best of its addresses
public record ReachCounts(String cluster, Optional<Instant> asOf, Map<Reachability, Integer> clusters) {
    public ReachCounts {
        clusters = Map.copyOf(clusters);
    }

    static Map<Reachability, Integer> of(Collection<PeerReach> rows) {
        var best = new HashMap<Integer, Reachability>();
        rows.forEach(row ->
                best.merge(row.at().target(), row.verdict(), (one, other) -> one.compareTo(other) <= 0 ? one : other));
        var counts = new EnumMap<Reachability, Integer>(Reachability.class);
        best.values().forEach(verdict -> counts.merge(verdict, 1, Integer::sum));
        return counts;
    }
}
