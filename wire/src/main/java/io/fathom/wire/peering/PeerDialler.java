// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;

/// How a control plane is reached, and what is shown there.
@FunctionalInterface
public interface PeerDialler {
    /// Begins to connect.
    ///
    /// @param host one of the target's
    /// @param method `package.Service/Method`
    /// @throws ProblemException when what has to be shown cannot be read
    GrpcStream open(
            String host, PeerTarget target, String method, GrpcStream.GrpcStreamListener listener, EventLoop loop);

    /// To control planes of other clusters, with certificates of the mesh on both sides.
    ///
    /// @param identity what we show and trust now
    static PeerDialler ofMesh(Supplier<TlsIdentity> identity, MeshTls tls, PeerTunnels tunnels) {
        return (host, target, method, listener, loop) -> GrpcStream.open(
                new PeerTransport(host, target, tunnels, identity.get(), tls),
                PeerClient.place(host, target.port()),
                method,
                listener,
                loop);
    }
}
