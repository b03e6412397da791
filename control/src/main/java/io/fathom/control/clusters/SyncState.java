// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import java.util.Locale;

/// How far the first reading of a cluster is, in upstream's words.
public enum SyncState {
    SYNCING,
    SYNCED,
    /// Not read within the time that a start waits for it. It joins when it is.
    TIMEOUT,
    CLOSED;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
