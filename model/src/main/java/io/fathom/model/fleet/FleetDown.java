// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.List;

/// What the server says on the stream of an agent.
public sealed interface FleetDown {
    /// The answer to a hello.
    ///
    /// @param last what the server has of this cluster
    record Welcome(String server, FactVersion last) implements FleetDown {}

    /// Gateways of other clusters. Whatever is not named stays as it is.
    ///
    /// @param removed uids of clusters that left, or share no longer with this one
    record Peers(List<FleetPeer> changed, List<String> removed) implements FleetDown {
        public Peers {
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
        }
    }

    /// Everything there is has been told.
    record Complete() implements FleetDown {}

    /// What became of the facts with that version.
    record Receipt(FactVersion version, List<Rejection> rejected) implements FleetDown {
        public Receipt {
            rejected = List.copyOf(rejected);
        }
    }

    /// This cluster has left the fleet; nothing comes after it.
    record Revoked(String reason) implements FleetDown {}

    /// A fact that does not count.
    ///
    /// @param id of the fact
    record Rejection(String id, String code, String reason) {}
}
