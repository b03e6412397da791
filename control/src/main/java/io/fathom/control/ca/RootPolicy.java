// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.KeyAlgorithm;
import java.time.Duration;

/// How a self-signed root lives.
///
/// @param algorithm of new keys
/// @param lifetime of a root
/// @param renewal what happens in the last fifth of it
/// @param announcement how long a new root is known to clients before it signs anything. Clients learn of it when they
///     renew: after the longest certificate lifetime all of them have, after half of it all that renew in time
/// @param retirement how long an old root stays trusted after it stopped signing: the longest certificate lifetime
/// @param checks how often the store is looked at for changes of others
public record RootPolicy(
        KeyAlgorithm algorithm,
        Duration lifetime,
        Renewal renewal,
        Duration announcement,
        Duration retirement,
        Duration checks) {
    /// How a root that ends soon is followed by another.
    public enum Renewal {
        /// A root with a key of its own, trusted side by side with the old one for a while.
        NEW_KEY,
        /// The same root with a later end, as Istio does it: nothing to announce, but the key lives on.
        SAME_KEY
    }

    public static final RootPolicy DEFAULT = new RootPolicy(
            KeyAlgorithm.P256,
            Duration.ofDays(3650),
            Renewal.NEW_KEY,
            Duration.ofDays(90),
            Duration.ofDays(90),
            Duration.ofHours(1));
}
