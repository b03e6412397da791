// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What is known of other clusters. A cluster that nothing is said of stays as it is. For one thread.
final class PeerBook {
    private final TreeMap<String, FleetPeer> peers = new TreeMap<>();
    private final TreeSet<String> withdrawn = new TreeSet<>();

    /// Whether anything is different now.
    boolean take(FleetDown.Peers said) {
        var before = List.of(peers.clone(), withdrawn.clone());
        said.removed().forEach(this::withdraw);
        said.changed().forEach(this::put);
        return !before.equals(List.of(peers, withdrawn));
    }

    void put(FleetPeer peer) {
        peers.put(peer.uid(), peer);
        withdrawn.remove(peer.uid());
    }

    void withdraw(String uid) {
        peers.remove(uid);
        withdrawn.add(uid);
    }

    Collection<FleetPeer> peers() {
        return List.copyOf(peers.values());
    }

    Set<String> withdrawn() {
        return Set.copyOf(withdrawn);
    }
}
