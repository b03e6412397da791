package io.fathom.wire.hbone;

import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.function.Supplier;

/// Opens tunnels, sharing connections.
public final class HbonePool implements AutoCloseable {
    /// A pool that dials with sockets of one place.
    ///
    /// @param loops to spread connections over
    /// @param sockets makes unregistered ones, such as `Sockets::stream`; called on event loops
    public HbonePool(
            List<EventLoop> loops,
            Supplier<? extends Channel> sockets,
            CertificateSource certificates,
            MeshTls tls,
            HboneLimits limits) {}

    /// Opens a tunnel over a shared connection. Any thread; `opening` hears of the outcome, also of every failure.
    public void open(TunnelKey key, ConnectHeaders headers, TunnelOpening opening) {
        opening.failed(new HboneFailure.Closed());
    }

    /// Opens a tunnel inside a tunnel. Only the outer connection is shared.
    public void openInner(TunnelKey key, ConnectHeaders headers, InnerTunnel inner, TunnelOpening opening) {
        opening.failed(new HboneFailure.Closed());
    }

    /// Takes no more tunnels; connections end with their last tunnel.
    public void drain() {}

    /// Ends all connections at once.
    @Override
    public void close() {}
}
