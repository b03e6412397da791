// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Folding;
import io.fathom.base.flow.PersistentMap;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The waypoints that services and workloads went through until node proxies have been told otherwise: a waypoint
/// serves what is taken from it until somebody says that nobody sends it there any more.
public final class FormerWaypoints {
    /// Whether waypoints keep what is taken from them.
    public enum Keeping {
        /// Somebody calls [#forget] for each.
        UNTIL_FORGOTTEN,
        NOT_AT_ALL
    }

    /// @param forgotten up to which turn former waypoints do not matter any more
    private record Bound(Set<GatewayAddress> waypoints, long forgotten) {}

    /// @param former with the turn in which each was left
    private record History(Set<GatewayAddress> waypoints, Map<GatewayAddress, Long> former) {}

    private final Flow flow;
    /// By resource name, only until the flow has seen it.
    private final Source<String, Long> forgotten;

    private final Table<String, Map<GatewayAddress, Long>> table;

    FormerWaypoints(MeshFlow mesh, Keeping keeping) {
        flow = mesh.flow();
        forgotten = flow.source("envoy/forgotten-waypoints");
        Table<String, Bound> bound = flow.derive("envoy/bound-addresses", mesh.addresses(), (fetch, address) -> {
            var waypoints = keeping == Keeping.NOT_AT_ALL ? Set.<GatewayAddress>of() : address.waypoints();
            var turn = fetch.own(forgotten);
            return waypoints.isEmpty() && turn.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Bound(waypoints, turn.orElse(0L)));
        });
        Table<String, History> histories = flow.fold("envoy/waypoint-histories", bound, 0L, FormerWaypoints::fold);
        table = flow.derive(
                "envoy/former-waypoints",
                histories,
                (_, row) -> row.former().isEmpty() ? Optional.empty() : Optional.of(row.former()));
    }

    private static Folding.Result<String, Long, History> fold(
            Long turn, Set<String> changed, PersistentMap<String, Bound> inputs, PersistentMap<String, History> rows) {
        var next = turn + 1;
        var result = new HashMap<String, Optional<History>>();
        for (var key : changed) {
            var history = next(
                    next,
                    rows.find(key).orElse(new History(Set.of(), Map.of())),
                    inputs.find(key).orElse(new Bound(Set.of(), 0)));
            result.put(
                    key,
                    history.waypoints().isEmpty() && history.former().isEmpty()
                            ? Optional.empty()
                            : Optional.of(history));
        }
        return new Folding.Result<>(next, result);
    }

    private static History next(long turn, History before, Bound now) {
        var former = new LinkedHashMap<>(before.former());
        before.waypoints().forEach(waypoint -> former.put(waypoint, turn));
        former.keySet().removeAll(now.waypoints());
        former.values().removeIf(left -> left <= now.forgotten());
        return new History(now.waypoints(), former);
    }

    /// By resource name, with the turn in which each was left; no row for nearly all.
    public Table<String, Map<GatewayAddress, Long>> table() {
        return table;
    }

    /// Nobody sends them through those waypoints any more that they left up to that turn. Not from within a commit.
    public void forget(Map<String, Long> turns) {
        flow.update(update -> {
            var seen = new HashSet<String>();
            flow.cut().of(forgotten).forEach((key, _) -> seen.add(key));
            seen.stream().filter(key -> !turns.containsKey(key)).forEach(key -> update.remove(forgotten, key));
            turns.forEach((key, turn) -> update.put(forgotten, key, turn));
        });
    }

    /// The waypoints that serve an address, which the row is derived from: its own, then former ones.
    Set<GatewayAddress> serving(Fetch<String> fetch, Address address) {
        var former = of(fetch);
        if (former.isEmpty()) {
            return address.waypoints();
        }
        var result = new LinkedHashSet<>(address.waypoints());
        result.addAll(former);
        return result;
    }

    /// The former ones of the address that the row is derived from.
    Set<GatewayAddress> of(Fetch<String> fetch) {
        return fetch.own(table).map(Map::keySet).orElse(Set.of());
    }
}
