// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;

/// Decides on each request of a server's peers. Called on the event loop of the connection, where [Reply] may be
/// used at once or later.
public interface TunnelAcceptor {
    /// A well-formed request, of any method: whatever is not `CONNECT` is for the acceptor to refuse.
    void requested(TunnelRequest request, Reply reply);

    /// A connection that came to no request: TLS failed, the peer is not one of us, or it was too slow.
    default void rejected(IpPort peer, IpPort local, HboneFailure failure) {}
}
