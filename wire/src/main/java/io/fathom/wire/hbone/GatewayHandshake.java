// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.TlsPeer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Shakes hands with a gateway as somebody who wants a tunnel, and asks for none. It counts when the gateway has taken
/// our certificate and speaks HTTP/2, since with TLS 1.3 a handshake ends before the other side has looked at us. On an
/// event loop.
public final class GatewayHandshake {
    private static final ByteBuf GREETING = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}));

    private final MeshTls tls;
    private final EventLoop loop;

    /// What came of it.
    public sealed interface HandshakeResult {
        /// Somebody did.
        ///
        /// @param peer whose chain leads to our roots; whether it is the right one is for the caller to judge
        record Answered(TlsPeer peer, Duration took) implements HandshakeResult {}

        /// Nobody did, or it does not want us.
        ///
        /// @param code stable, for programs
        record Failed(String code, String reason) implements HandshakeResult {}
    }

    public GatewayHandshake(MeshTls tls, EventLoop loop) {
        this.tls = tls;
        this.loop = loop;
    }

    /// Always completes normally, within the patience.
    public CompletableFuture<HandshakeResult> shake(IpPort gateway, TlsIdentity own, Duration patience) {
        var attempt = new Attempt(gateway, own);
        var _ = loop.schedule(
                () -> attempt.fail("gateway-silent", "no answer within " + patience.toMillis() + " ms"),
                patience.toMillis(),
                TimeUnit.MILLISECONDS);
        var connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(patience.toMillis()))
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(attempt)
                .connect(SocketAddresses.of(gateway));
        var _ = attempt.result.whenComplete((_, _) -> {
            var _ = connecting.channel().close();
        });
        var _ = connecting.addListener(done -> {
            if (!done.isSuccess()) {
                attempt.fail("gateway-unreachable", Failures.text(done.cause()));
            }
        });
        return attempt.result;
    }

    private final class Attempt extends ChannelInitializer<Channel> implements HandshakeWait.HandshakeListener {
        private final IpPort gateway;
        private final TlsIdentity own;
        private final CompletableFuture<HandshakeResult> result = new CompletableFuture<>();
        private final long begun = System.nanoTime();
        private @Nullable Channel dialled;

        Attempt(IpPort gateway, TlsIdentity own) {
            this.gateway = gateway;
            this.own = own;
        }

        void fail(String code, String reason) {
            result.complete(new HandshakeResult.Failed(code, reason));
        }

        @Override
        protected void initChannel(Channel channel) {
            dialled = channel;
            var ssl = tls.client(
                    own, gateway, channel.alloc(), HboneLimits.DEFAULT.times().handshake());
            channel.pipeline().addLast(ssl, new HandshakeWait(ssl, gateway, HboneLimits.DEFAULT, this));
        }

        @Override
        public void secured(HandshakeWait wait, TlsPeer peer) {
            var channel = Objects.requireNonNull(dialled);
            channel.pipeline().replace(wait, null, new FirstAnswer(peer, this));
            var _ = channel.writeAndFlush(GREETING.duplicate());
        }

        @Override
        public void failed(HboneFailure failure) {
            fail("gateway-handshake-failed", failure.problem().message());
        }
    }

    /// Waits for the first bytes of HTTP/2.
    private static final class FirstAnswer extends ChannelInboundHandlerAdapter {
        private final TlsPeer peer;
        private final Attempt attempt;

        FirstAnswer(TlsPeer peer, Attempt attempt) {
            this.peer = peer;
            this.attempt = attempt;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            attempt.result.complete(
                    new HandshakeResult.Answered(peer, Duration.ofNanos(System.nanoTime() - attempt.begun)));
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            attempt.fail("gateway-refuses-us", "it closes the connection once it has seen our certificate");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            attempt.fail("gateway-refuses-us", Failures.text(Failures.unwrapped(cause)));
        }
    }
}
