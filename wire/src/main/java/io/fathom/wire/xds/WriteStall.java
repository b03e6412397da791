// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.time.Duration;

/// Notices that a client has taken nothing for long, once until it takes something again. For one thread.
final class WriteStall {
    private long since;
    private boolean told;

    /// @param now as [System#nanoTime()]
    boolean isNew(boolean stuck, long now, Duration longest) {
        if (!stuck) {
            since = 0;
            told = false;
            return false;
        }
        if (since == 0) {
            since = now;
            return false;
        }
        if (told || now - since <= longest.toNanos()) {
            return false;
        }
        told = true;
        return true;
    }
}
