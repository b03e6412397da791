// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What is different of how gateways are reached.
///
/// @param gone rows that nobody looks at any more
/// @param extent what it is different from
public record ReachChange(List<GatewayReach> changed, Set<ReachRow> gone, ReachExtent extent) {
    private static final int ROWS = 500;

    /// Names one row.
    ///
    /// @param gateway `namespace/name` of the Gateway
    /// @param address with the port
    public record ReachRow(String gateway, String address) implements Comparable<ReachRow> {
        public static ReachRow of(GatewayReach reach) {
            return new ReachRow(reach.gateway(), reach.address());
        }

        @Override
        public int compareTo(ReachRow other) {
            var byGateway = gateway.compareTo(other.gateway);
            return byGateway != 0 ? byGateway : address.compareTo(other.address);
        }
    }

    /// What a change is different from.
    public enum ReachExtent {
        /// From what was said before.
        DELTA,
        /// From nothing: there is nothing else.
        ALL
    }

    public ReachChange {
        changed = List.copyOf(changed);
        gone = Set.copyOf(gone);
    }

    /// What somebody has to be told who knows those; brings them up to date.
    ///
    /// @param known nothing for somebody who was told nothing yet
    /// @return nothing if nothing is different
    public static Optional<ReachChange> between(
            Map<ReachRow, GatewayReach> known, List<GatewayReach> now, ReachExtent extent) {
        var changed = new ArrayList<GatewayReach>();
        var gone = new TreeSet<>(known.keySet());
        now.forEach(row -> {
            var key = ReachRow.of(row);
            gone.remove(key);
            if (!row.equals(known.put(key, row))) {
                changed.add(row);
            }
        });
        known.keySet().removeAll(gone);
        return changed.isEmpty() && gone.isEmpty() && extent == ReachExtent.DELTA
                ? Optional.empty()
                : Optional.of(new ReachChange(changed, gone, extent));
    }

    /// The same in pieces that fit into messages.
    public List<ReachChange> parts() {
        if (changed.size() <= ROWS) {
            return List.of(this);
        }
        var parts = new ArrayList<ReachChange>();
        for (var from = 0; from < changed.size(); from += ROWS) {
            parts.add(new ReachChange(
                    changed.subList(from, Math.min(changed.size(), from + ROWS)),
                    from == 0 ? gone : Set.of(),
                    from == 0 ? extent : ReachExtent.DELTA));
        }
        return parts;
    }

    /// What is known after it.
    public Map<ReachRow, GatewayReach> after(Map<ReachRow, GatewayReach> known) {
        var next = extent == ReachExtent.ALL ? new HashMap<ReachRow, GatewayReach>() : new HashMap<>(known);
        next.keySet().removeAll(gone);
        changed.forEach(row -> next.put(ReachRow.of(row), row));
        return Map.copyOf(next);
    }
}
