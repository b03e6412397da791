// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.time.Duration;
import java.time.Instant;

/// A token and how long Vault lets it live. Immutable.
///
/// @param granted the longest time it was ever given
/// @param left the time it was given last
/// @param renewAt when to look after it; `Instant.MAX` if it never ends
record Lease(Secret token, Duration granted, Duration left, Instant renewAt, Instant expiresAt, LeaseEnd end) {
    enum LeaseEnd {
        /// May be renewed, as far as is known.
        OPEN,
        /// Cannot be renewed any further.
        FINAL,
        /// Cannot be renewed any further, and most of its time is over.
        NEAR
    }

    static Lease endless(Secret token) {
        return new Lease(token, Duration.ZERO, Duration.ZERO, Instant.MAX, Instant.MAX, LeaseEnd.OPEN);
    }

    /// After a renewal. Near the maximum lifetime of a token Vault grants less and less; then it was the last one.
    Lease prolonged(Duration next, Instant nextRenewal, Instant nextEnd) {
        var most = next.compareTo(granted) > 0 ? next : granted;
        var gained = next.compareTo(most.dividedBy(2)) >= 0;
        return new Lease(token, most, next, nextRenewal, nextEnd, gained ? LeaseEnd.OPEN : LeaseEnd.FINAL);
    }

    /// It is time to renew, but that is not possible: look again later.
    Lease ending(Instant again) {
        return new Lease(token, granted, left, again, expiresAt, LeaseEnd.NEAR);
    }
}
