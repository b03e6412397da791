// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.time.Duration;

/// What a management server puts up with before it closes connections. Whoever has not shown a certificate of the fleet
/// is a stranger: such a connection is there to join, and is short.
///
/// @param strangers connections of theirs at once
/// @param strangersPerAddress of these, from one address
/// @param strangerLife how long one may last
/// @param strangerBytes how much may come on one
/// @param perMember connections at once with the certificate of one cluster
public record FleetLimits(
        int strangers, int strangersPerAddress, Duration strangerLife, int strangerBytes, int perMember) {
    public static final FleetLimits DEFAULT = new FleetLimits(1024, 256, Duration.ofSeconds(20), 128 * 1024, 8);

    public FleetLimits {
        if (strangers < 1 || strangersPerAddress < 1 || strangerLife.isNegative() || perMember < 1) {
            throw new IllegalArgumentException("limits of connections must be positive");
        }
    }

    /// Others for strangers.
    public FleetLimits withStrangers(int most, int mostPerAddress) {
        return new FleetLimits(most, mostPerAddress, strangerLife, strangerBytes, perMember);
    }
}
