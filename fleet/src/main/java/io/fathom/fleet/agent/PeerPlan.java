// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.fleet.agent.AgentConfig.ServiceSource;
import io.fathom.model.fleet.FleetPeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Which Gateways have to be there and which have to go. Pure. What nobody has said to be gone stays, however little is
/// known: a server that lost its memory takes nothing away.
///
/// @param puts that have to be there
/// @param removals of ours that have to go
/// @param withheld clusters that an operator has written a Gateway for
record PeerPlan(List<PeerManifest> puts, List<ExistingGateway> removals, Set<String> withheld) {
    PeerPlan {
        puts = List.copyOf(puts);
        removals = List.copyOf(removals);
        withheld = Set.copyOf(withheld);
    }

    /// What the agent knows.
    ///
    /// @param own the self-description; nothing while there is no gateway
    /// @param ownUid of the agent's cluster
    /// @param withdrawn UIDs of clusters that left, or do not share with this one
    /// @param services who tells what the others have
    record Knowledge(
            Optional<FleetPeer> own,
            String ownUid,
            Collection<FleetPeer> peers,
            Set<String> withdrawn,
            ServiceSource services) {
        Knowledge {
            peers = List.copyOf(peers);
            withdrawn = Set.copyOf(withdrawn);
        }
    }

    /// @param namespace that is written to
    static PeerPlan of(String namespace, Knowledge known, Collection<ExistingGateway> existing) {
        var manual = existing.stream()
                .filter(gateway -> !gateway.isOurs() && !gateway.cluster().isEmpty())
                .map(ExistingGateway::cluster)
                .collect(Collectors.toSet());
        var puts = new ArrayList<PeerManifest>();
        var withheld = new HashSet<String>();
        var all = new ArrayList<>(known.peers());
        known.own().ifPresent(all::add);
        for (var peer : all) {
            if (manual.contains(peer.cluster())) {
                withheld.add(peer.cluster());
            } else if (peer.fact().namespace().equals(namespace)
                    && !peer.fact().candidates().isEmpty()) {
                puts.add(PeerManifest.of(peer, known.services()));
            }
        }
        var names = puts.stream().map(PeerManifest::name).collect(Collectors.toSet());
        var replaced = all.stream()
                .filter(peer ->
                        withheld.contains(peer.cluster()) || names.contains(PeerManifest.PREFIX + peer.cluster()))
                .map(FleetPeer::uid)
                .collect(Collectors.toSet());
        var removals = existing.stream()
                .filter(ExistingGateway::isOurs)
                .filter(gateway -> gateway.namespace().equals(namespace) && !names.contains(gateway.name()))
                .filter(gateway -> {
                    var origin = gateway.origin().orElseThrow();
                    return known.withdrawn().contains(origin)
                            || replaced.contains(origin)
                            || origin.equals(known.ownUid());
                })
                .toList();
        return new PeerPlan(puts, removals, withheld);
    }

    /// For a cluster that has left: everything of ours goes.
    static PeerPlan farewell(Collection<ExistingGateway> existing) {
        return new PeerPlan(
                List.of(), existing.stream().filter(ExistingGateway::isOurs).toList(), Set.of());
    }
}
