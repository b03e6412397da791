// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRejected;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.util.List;

/// Holds the place of HTTP/2 until TLS is there, and tells how the handshake went, once. On the event loop of its
/// channel.
final class HandshakeWait extends ChannelInboundHandlerAdapter {
    /// Hears of one of both.
    interface HandshakeListener {
        /// The wait has to be replaced now.
        void secured(HandshakeWait wait, TlsPeer peer);

        void failed(HboneFailure failure);
    }

    private final SslHandler tls;
    private final IpPort peer;
    private final HboneLimits limits;
    private final HandshakeListener outcome;
    private boolean told;

    HandshakeWait(SslHandler tls, IpPort peer, HboneLimits limits, HandshakeListener outcome) {
        this.tls = tls;
        this.peer = peer;
        this.limits = limits;
        this.outcome = outcome;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent completion && !told) {
            completed(completion);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void completed(SslHandshakeCompletionEvent completion) {
        if (!completion.isSuccess()) {
            fail(failure(completion.cause()));
            return;
        }
        var objection = MeshTls.objection(tls);
        if (objection.isPresent()) {
            fail(
                    objection.get().reason() == PeerRejected.Reason.REVOKED
                            ? new HboneFailure.Revoked(peer, List.of())
                            : new HboneFailure.TlsFailed(peer, objection.get().text()));
        } else {
            told = true;
            outcome.secured(this, MeshTls.peer(tls));
        }
    }

    private HboneFailure failure(Throwable cause) {
        if (cause instanceof SslHandshakeTimeoutException) {
            return new HboneFailure.HandshakeTimeout(peer, limits.times().handshake());
        }
        for (var inner = cause; inner != null; inner = inner.getCause()) {
            if (inner instanceof PeerRejected rejected && rejected.reason() == PeerRejected.Reason.REVOKED) {
                return new HboneFailure.Revoked(peer, List.of());
            }
        }
        return new HboneFailure.TlsFailed(peer, Failures.text(cause));
    }

    private void fail(HboneFailure failure) {
        if (!told) {
            told = true;
            outcome.failed(failure);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(new HboneFailure.TlsFailed(peer, "the peer closed the connection"));
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(failure(Failures.unwrapped(cause)));
        var _ = ctx.close();
    }
}
