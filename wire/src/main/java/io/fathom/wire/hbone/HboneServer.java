package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;

/// The HBONE side of one listener: puts TLS and HTTP/2 on accepted connections.
public final class HboneServer implements AutoCloseable {
    /// A server that shows the certificate of `own`.
    public HboneServer(
            Identity own, CertificateSource certificates, MeshTls tls, HboneLimits limits, TunnelAcceptor acceptor) {}

    /// Serves a connection that is registered with its event loop and has read nothing yet. Call it on that loop, as
    /// from a ChannelInitializer. The connection belongs to the server from now on.
    public void serve(Channel accepted) {
        var _ = accepted.close();
    }

    /// Sends GOAWAY everywhere; tunnels go on to their end.
    public void drain() {}

    /// Ends all connections at once.
    @Override
    public void close() {}
}
