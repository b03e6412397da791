// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.time.Duration;
import java.time.Instant;

/// What a lock says.
///
/// @param holder empty when it was given up
/// @param key the revision of the holder; empty for locks of one revision
/// @param lasting how long the holder wants to be believed after its last sign of life
record LockRecord(String holder, String key, Duration lasting, Instant acquired, Instant renewed, int transitions) {
    /// Nobody holds it any more.
    LockRecord released(Instant now) {
        return new LockRecord("", "", Duration.ofSeconds(1), now, now, transitions);
    }
}
