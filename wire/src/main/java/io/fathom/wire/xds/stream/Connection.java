// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// One client that is connected now.
///
/// @param id unique in this process: the proxy's name and a number
/// @param peer address and port it comes from
/// @param watches what it subscribes to, by type URL
/// @param feed what it is configured from, if it is an Envoy
public record Connection(
        String id,
        ClientNode client,
        Protocol protocol,
        String peer,
        Instant connectedAt,
        List<WatchStatus> watches,
        Optional<ResourceStore> feed) {
    /// How it is told of changes.
    public enum Protocol {
        DELTA,
        STATE_OF_THE_WORLD
    }

    public Connection {
        watches = List.copyOf(watches);
    }
}
