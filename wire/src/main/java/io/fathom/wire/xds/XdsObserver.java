// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import java.time.Duration;
import java.util.Optional;

/// Hears what the server does, for metrics. Called from many threads; must not block.
public interface XdsObserver {
    /// Listens to nothing.
    XdsObserver NONE = new XdsObserver() {};

    /// A client has introduced itself.
    default void connected(ClientNode client) {}

    /// A client that had introduced itself is gone.
    default void disconnected(ClientNode client) {}

    /// A response was made and handed to the transport.
    default void pushed(Push push) {}

    /// A round of pushes began, after changes had waited so long for others.
    default void merged(Duration waited) {}

    /// A client refused a response.
    default void refused(ClientNode client, XdsType type, String error) {}

    /// A client answered a response that was no longer the latest.
    default void expiredNonce(XdsType type) {}

    /// A request of that many bytes came in.
    default void received(int bytes) {}

    /// A client has taken nothing for longer than the write timeout.
    default void writeTimedOut(ClientNode client) {}

    /// A stream failed by a mistake of ours.
    default void failed(Throwable cause) {}

    /// One response on one stream.
    ///
    /// @param made time to compute and encode it; near zero when it was shared
    /// @param sent time to hand it to the transport
    /// @param delay unless the client came after the newest change in it, as with first answers
    record Push(
            XdsType type, int resources, int removed, int bytes, Duration made, Duration sent, Optional<Delay> delay) {}

    /// How long the newest change in a response took since it was published.
    ///
    /// @param queued until the response was begun
    /// @param convergence until the transport had it
    record Delay(Duration queued, Duration convergence) {}
}
