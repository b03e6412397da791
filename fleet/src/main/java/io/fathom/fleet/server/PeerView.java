// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FleetPeer;
import java.util.Optional;

/// What one cluster gets to know of another. Pure.
sealed interface PeerView {
    /// There is a gateway for it.
    record Shown(FleetPeer peer) implements PeerView {}

    /// Whatever it had of that cluster goes.
    record Withdrawn(String uid) implements PeerView {}

    /// Nothing is said, so whatever it has stays.
    record Unchanged() implements PeerView {}

    static PeerView of(Optional<Registration> origin, Registration viewer) {
        if (origin.isEmpty() || origin.get().uid().equals(viewer.uid())) {
            return new Unchanged();
        }
        var cluster = origin.get();
        if (!cluster.isMember()) {
            return new Withdrawn(cluster.uid());
        }
        return cluster.gateway()
                .<PeerView>map(fact ->
                        fact.audience().includes(viewer.name(), viewer.bounds().labels())
                                ? new Shown(new FleetPeer(cluster.handle(), cluster.name(), cluster.uid(), fact))
                                : new Withdrawn(cluster.uid()))
                .orElseGet(Unchanged::new);
    }
}
