// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.time.Duration;

/// How gently a cluster is written to.
///
/// @param writers at the same time
/// @param perSecond how many objects are looked at each second, once `burst` of them were
/// @param attempts for one object; then it waits for its next change
/// @param firstPause after a failure; each further one is twice as long
public record WriteSettings(int writers, int perSecond, int burst, int attempts, Duration firstPause) {
    public static final WriteSettings DEFAULT = new WriteSettings(4, 50, 200, 5, Duration.ofMillis(200));
}
