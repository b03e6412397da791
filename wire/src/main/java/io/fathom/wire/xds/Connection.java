package io.fathom.wire.xds;

import java.time.Instant;
import java.util.List;

/// One client that is connected now.
///
/// @param id unique in this process: the proxy's name and a number
/// @param peer address and port it comes from
/// @param watches what it subscribes to, by type URL
public record Connection(
        String id, ClientNode client, Protocol protocol, String peer, Instant connectedAt, List<WatchStatus> watches) {
    /// How it is told of changes.
    public enum Protocol {
        DELTA,
        STATE_OF_THE_WORLD
    }

    public Connection {
        watches = List.copyOf(watches);
    }
}
