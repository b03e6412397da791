// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.XdsResponse;
import java.time.Duration;
import java.util.Optional;

/// When the steps of one push happened, as [System#nanoTime()].
///
/// @param connected when the stream began
/// @param started when the response was asked for
/// @param made when it was there
/// @param sent when the transport had taken it
record PushTimes(long connected, long started, long made, long sent) {
    XdsObserver.Push of(XdsResponse response) {
        return new XdsObserver.Push(
                response.type(),
                response.resources(),
                response.removed(),
                response.size(),
                Duration.ofNanos(made - started),
                Duration.ofNanos(sent - made),
                delay(response.cutNanos()));
    }

    /// None if the client came after the newest change.
    private Optional<XdsObserver.Delay> delay(long cut) {
        return cut - connected < 0
                ? Optional.empty()
                : Optional.of(new XdsObserver.Delay(Duration.ofNanos(started - cut), Duration.ofNanos(sent - cut)));
    }
}
