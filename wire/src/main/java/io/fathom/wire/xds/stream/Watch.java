// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import java.util.List;

/// One type on one delta stream: what the client subscribes to. Used by one thread at a time.
sealed interface Watch permits DeltaWatch, UnservedWatch {
    boolean isWildcard();

    /// How many names are subscribed to one by one.
    int names();

    /// A later request of the client.
    ///
    /// @throws StreamRejection when these are too many names
    void change(List<String> subscribe, List<String> unsubscribe);
}
