// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A channel whose bytes go through a tunnel, so that a connection can live inside another one. Its own HTTP/2
/// windows bound what it holds, so what arrives is passed on at once. On the event loop of the tunnel.
final class TunnelChannel extends AbstractChannel implements TunnelListener {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    private static final long LAST_WORDS_SECONDS = 5;

    private final Tunnel tunnel;
    private final ChannelConfig config = new DefaultChannelConfig(this);
    private boolean open = true;
    private boolean peerFinished;
    private boolean lost;

    TunnelChannel(Tunnel tunnel) {
        super(null);
        this.tunnel = tunnel;
    }

    /// Starts to read. The handlers have to be there.
    void begin() {
        tunnel.listen(this);
    }

    // ---- what comes through the tunnel

    @Override
    public void received(ByteBuf data) {
        var bytes = data.readableBytes();
        if (open) {
            pipeline().fireChannelRead(data);
        } else {
            data.release();
        }
        tunnel.consumed(bytes);
    }

    @Override
    public void readComplete() {
        if (open) {
            pipeline().fireChannelReadComplete();
        }
    }

    @Override
    public void writable() {
        if (open) {
            ((TunnelUnsafe) unsafe()).resume();
        }
    }

    @Override
    public void finished() {
        peerFinished = true;
        var _ = close();
    }

    @Override
    public void reset(Tunnel.Reset reason) {
        peerFinished = true;
        lost = true;
        var _ = close();
    }

    // ---- what goes into it

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        if (lost) { // last words would wait for a tunnel that is no more
            while (out.current() != null) {
                out.remove(new ClosedChannelException());
            }
            return;
        }
        while (tunnel.isWritable()) {
            if (!(out.current() instanceof ByteBuf data)) {
                break;
            }
            tunnel.write(data.retain());
            out.remove();
        }
        tunnel.flush();
    }

    @Override
    protected void doClose() {
        if (!open) {
            return;
        }
        open = false;
        tunnel.finish();
        if (!peerFinished) {
            // the other side has this long to end its direction, too
            var _ = tunnel.loop()
                    .schedule(() -> tunnel.reset(Tunnel.Reset.CANCELLED), LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        }
    }

    private final class TunnelUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new ClosedChannelException());
        }

        void resume() {
            flush0();
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new TunnelUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        promise.setSuccess();
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBeginRead() {
        // whatever comes is taken
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }
}
