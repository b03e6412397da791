// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.XdsResponse;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/// The protocol state of one stream, without I/O: requests go in, responses come out as the client can take them.
/// Between two responses it keeps only where the client is. Used by one thread at a time, except [#statuses()].
public sealed interface XdsStream permits DeltaStream, EnvoyStream, SotwStream {
    /// Takes the client's next request.
    ///
    /// @throws StreamRejection when the stream has to be closed
    Receipt receive(XdsRequest request);

    /// The response to send now, if there is anything to say; it counts as sent.
    ///
    /// @throws StreamRejection when the stream has to be closed
    Optional<XdsResponse> next();

    /// When to call [#next()] again even if nothing happens.
    Optional<Instant> wakeAt();

    /// Whether the client has what it needs of that milestone.
    Standing standing(Milestone milestone);

    /// From any thread.
    Collection<WatchStatus> statuses();
}
