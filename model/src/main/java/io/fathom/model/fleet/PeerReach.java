// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.time.Instant;

/// What a cluster finds at one address of the gateway of another.
///
/// @param since when the verdict began
/// @param roundTrip of the last handshake; zero for none
/// @param seen the identity that answered last; empty for none
/// @param code of what was wrong with the last probe; empty for nothing
/// @param reason the same for people
public record PeerReach(
        ReachedAddress at,
        Reachability verdict,
        Instant since,
        Duration roundTrip,
        String seen,
        String code,
        String reason) {
    /// Whose gateway, and where.
    ///
    /// @param target number of the cluster in the fleet
    /// @param address with the port that is dialled
    public record ReachedAddress(int target, String address) implements Comparable<ReachedAddress> {
        @Override
        public int compareTo(ReachedAddress other) {
            var byTarget = Integer.compare(target, other.target);
            return byTarget != 0 ? byTarget : address.compareTo(other.address);
        }
    }
}
