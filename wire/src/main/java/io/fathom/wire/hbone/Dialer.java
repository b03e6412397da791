// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;

/// Makes connections: TCP, TLS, the right peer, HTTP/2, each with its time limit. Any thread.
final class Dialer {
    /// Above it, streams wait in their own queues, where they take turns.
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

    /// Hears once how a dial went, on some event loop.
    interface LinkListener {
        /// Everything is there but HTTP/2. Returns what speaks it. On the event loop of the connection.
        Http2Link secured(TlsPeer peer);

        void failed(HboneFailure failure);
    }

    private final Supplier<? extends Channel> sockets;
    private final MeshTls tls;
    private final HboneLimits limits;

    Dialer(Supplier<? extends Channel> sockets, MeshTls tls, HboneLimits limits) {
        this.sockets = sockets;
        this.tls = tls;
        this.limits = limits;
    }

    void dial(IpPort hop, Set<Identity> accepted, TlsIdentity identity, EventLoop loop, LinkListener outcome) {
        Channel channel;
        try {
            channel = sockets.get();
        } catch (RuntimeException e) { // no descriptor left, or the namespace has gone
            outcome.failed(new HboneFailure.DialFailed(hop, Failures.text(e)));
            return;
        }
        var config = channel.config();
        config.setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                Math.max(1, limits.times().dial().toMillis()));
        config.setOption(ChannelOption.TCP_NODELAY, true);
        config.setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
        loop.register(channel).addListener(registered -> {
            if (!registered.isSuccess()) {
                outcome.failed(new HboneFailure.DialFailed(hop, Failures.text(registered.cause())));
                return;
            }
            channel.connect(SocketAddresses.of(hop)).addListener(connected -> {
                if (connected.isSuccess()) {
                    secure(channel, hop, accepted, identity, outcome);
                } else {
                    var _ = channel.close();
                    outcome.failed(failure(hop, connected.cause()));
                }
            });
        });
    }

    private HboneFailure failure(IpPort hop, Throwable cause) {
        return cause instanceof ConnectTimeoutException
                ? new HboneFailure.DialTimeout(hop, limits.times().dial())
                : new HboneFailure.DialFailed(hop, Failures.text(cause));
    }

    private void secure(
            Channel channel, IpPort hop, Set<Identity> accepted, TlsIdentity identity, LinkListener outcome) {
        secure(channel, hop, accepted, identity, tls, limits, outcome);
    }

    /// Goes on from an open channel, on its event loop.
    static void secure(
            Channel channel,
            IpPort hop,
            Set<Identity> accepted,
            TlsIdentity identity,
            MeshTls tls,
            HboneLimits limits,
            LinkListener outcome) {
        var ssl = tls.client(identity, hop, channel.alloc(), limits.times().handshake());
        channel.pipeline().addLast(ssl);
        channel.pipeline().addLast(new HandshakeWait(ssl, hop, limits, new HandshakeWait.HandshakeListener() {
            @Override
            public void secured(HandshakeWait wait, TlsPeer peer) {
                if (Collections.disjoint(peer.identities(), accepted)) {
                    outcome.failed(new HboneFailure.WrongPeer(hop, accepted, peer.identities()));
                    var _ = channel.close();
                } else {
                    channel.pipeline().replace(wait, null, outcome.secured(peer));
                }
            }

            @Override
            public void failed(HboneFailure failure) {
                outcome.failed(failure);
                var _ = channel.close();
            }
        }));
    }
}
