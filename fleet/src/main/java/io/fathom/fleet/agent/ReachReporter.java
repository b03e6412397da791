// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.fleet.agent.LocalControlPlane.LocalReach;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.FleetUp.ReachPart;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.PeerReach.ReachedAddress;
import io.fathom.model.peering.GatewayReach;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Tells the server what the control plane finds at the gateways of other clusters: what is different, and twice a
/// minute that nothing is. Other round trips are told when they differ by half. For one thread.
final class ReachReporter {
    private static final Duration CONFIRM = Duration.ofSeconds(30);
    private static final Duration NOISE = Duration.ofMillis(1);
    private static final int ROWS = 500;

    private final Map<ReachedAddress, PeerReach> told = new HashMap<>();
    private boolean began;
    private Instant said = Instant.EPOCH;

    /// A stream begins, to somebody who may know nothing.
    void connected() {
        told.clear();
        began = false;
    }

    /// What is to be said on it.
    List<FleetUp> due(LocalReach local, Collection<FleetPeer> peers, Instant now) {
        var rows = rows(local.rows(), peers);
        var changed = rows.values().stream()
                .filter(row -> isNews(Optional.ofNullable(told.get(row.at())), row))
                .toList();
        var gone = told.keySet().stream().filter(at -> !rows.containsKey(at)).toList();
        if (began && changed.isEmpty() && gone.isEmpty() && now.isBefore(said.plus(CONFIRM))) {
            return List.of();
        }
        said = now;
        changed.forEach(row -> told.put(row.at(), row));
        gone.forEach(told::remove);
        var messages = new ArrayList<FleetUp>();
        for (var from = 0; from == 0 || from < changed.size(); from += ROWS) {
            messages.add(new FleetUp.Reach(
                    changed.subList(from, Math.min(changed.size(), from + ROWS)),
                    from == 0 ? gone : List.of(),
                    began ? ReachPart.DELTA : ReachPart.FIRST,
                    local.age()));
            began = true;
        }
        return messages;
    }

    /// Several Gateways may lead to one address: what is worse counts.
    private static Map<ReachedAddress, PeerReach> rows(List<GatewayReach> local, Collection<FleetPeer> peers) {
        var handles = new HashMap<String, Integer>();
        peers.forEach(peer -> handles.put(peer.cluster(), peer.handle()));
        var rows = new TreeMap<ReachedAddress, PeerReach>();
        for (var reach : local) {
            var handle = handles.get(reach.cluster());
            if (handle != null) {
                var row = new PeerReach(
                        new ReachedAddress(handle, reach.address()),
                        reach.verdict(),
                        reach.since(),
                        reach.roundTrip(),
                        reach.seen(),
                        reach.code(),
                        reach.reason());
                rows.merge(row.at(), row, (one, other) -> worse(one, other));
            }
        }
        return rows;
    }

    private static PeerReach worse(PeerReach one, PeerReach other) {
        return Comparator.comparing(PeerReach::verdict).compare(one, other) >= 0 ? one : other;
    }

    private static boolean isNews(Optional<PeerReach> before, PeerReach now) {
        return before.filter(known -> known.verdict() == now.verdict()
                        && known.since().getEpochSecond() == now.since().getEpochSecond()
                        && known.seen().equals(now.seen())
                        && known.code().equals(now.code())
                        && known.reason().equals(now.reason())
                        && isAlike(known.roundTrip(), now.roundTrip()))
                .isEmpty();
    }

    private static boolean isAlike(Duration one, Duration other) {
        var difference = one.minus(other).abs();
        return difference.compareTo(NOISE) <= 0 || difference.multipliedBy(2).compareTo(one) <= 0;
    }
}
