// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.tls.TlsPeer;
import java.util.Optional;

/// Hears exactly once how opening a tunnel went.
public interface TunnelOpening {
    /// Called on the event loop of the tunnel. Whoever has lost interest resets it.
    void opened(Opened opened);

    /// The outer one of two tunnels is there, and the inner one is not yet. On the event loop of the tunnel.
    default void halfway() {}

    /// Called on some event loop.
    void failed(HboneFailure failure);

    /// An open tunnel.
    ///
    /// @param peer who answered
    /// @param baggage what the peer says about its workload
    record Opened(Tunnel tunnel, TlsPeer peer, Optional<String> baggage) {}
}
