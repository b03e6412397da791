// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.IpPort;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.dns.DnsCursor;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.net.SocketAddresses;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/// Asks one name server one thing, with a socket and an id nobody can guess. For its event loop only.
final class Upstream {
    static final int LONGEST_MESSAGE = 65_535;
    private static final int USUAL_DATAGRAM = 4096;

    private final EventLoop loop;
    private final Sockets sockets;
    private final RandomGenerator random;

    Upstream(EventLoop loop, Sockets sockets, RandomGenerator random) {
        this.loop = loop;
        this.sockets = sockets;
        this.random = random;
    }

    /// Why there is no answer. Without a stack trace, for there may be many.
    static final class NoAnswer extends IOException {
        NoAnswer(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    EventLoop loop() {
        return loop;
    }

    /// The answer has the id of the query again.
    Future<byte[]> ask(IpPort server, DnsQuery query, Transport transport, Duration patience) {
        Promise<byte[]> answer = loop.newPromise();
        var request = query.bytes().clone();
        var id = random.nextInt(0x10000);
        request[0] = (byte) (id >> 8);
        request[1] = (byte) id;
        var opened = open(server, transport, patience, new Answers(query, id, answer), query.udpLimit());
        var timer = loop.schedule(
                () -> answer.tryFailure(
                        new NoAnswer("no answer from " + server + " within " + patience.toMillis() + "ms")),
                patience.toNanos(),
                TimeUnit.NANOSECONDS);
        var _ = answer.addListener(_ -> {
            var _ = timer.cancel(false);
            var _ = opened.channel().close();
        });
        var _ = opened.addListener(_ -> send(opened, request, transport, answer));
        return answer;
    }

    private ChannelFuture open(IpPort server, Transport transport, Duration patience, Answers answers, int limit) {
        var bootstrap = new Bootstrap().group(loop);
        switch (transport) {
            case UDP ->
                bootstrap
                        .channelFactory(sockets::datagram)
                        .option(
                                ChannelOption.RECVBUF_ALLOCATOR,
                                new FixedRecvByteBufAllocator(Math.max(USUAL_DATAGRAM, limit)))
                        .handler(answers);
            case TCP ->
                bootstrap
                        .channelFactory(sockets::stream)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience.toMillis())
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline()
                                        .addLast(new LengthFieldBasedFrameDecoder(LONGEST_MESSAGE + 2, 0, 2, 0, 2))
                                        .addLast(answers);
                            }
                        });
        }
        return bootstrap.connect(SocketAddresses.of(server));
    }

    private static void send(ChannelFuture opened, byte[] request, Transport transport, Promise<byte[]> answer) {
        if (!opened.isSuccess()) {
            var _ = answer.tryFailure(new NoAnswer(String.valueOf(opened.cause())));
            return;
        }
        var _ = opened.channel().writeAndFlush(framed(request, transport)).addListener(written -> {
            if (!written.isSuccess()) {
                var _ = answer.tryFailure(new NoAnswer(String.valueOf(written.cause())));
            }
        });
    }

    static ByteBuf framed(byte[] message, Transport transport) {
        return switch (transport) {
            case UDP -> Unpooled.wrappedBuffer(message);
            case TCP ->
                Unpooled.wrappedBuffer(new byte[] {(byte) (message.length >> 8), (byte) message.length}, message);
        };
    }

    /// Waits for the one message that answers; others are strangers' attempts.
    private static final class Answers extends SimpleChannelInboundHandler<Object> {
        private final DnsQuery query;
        private final int id;
        private final Promise<byte[]> answer;

        Answers(DnsQuery query, int id, Promise<byte[]> answer) {
            this.query = query;
            this.id = id;
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Object message) {
            var content = message instanceof DatagramPacket packet ? packet.content() : (ByteBuf) message;
            var bytes = ByteBufUtil.getBytes(content);
            if (isAnswer(bytes)) {
                System.arraycopy(query.bytes(), 0, bytes, 0, 2);
                var _ = answer.trySuccess(bytes);
            }
        }

        private boolean isAnswer(byte[] bytes) {
            if (bytes.length < DnsQuery.HEADER || (bytes[2] & 0x80) == 0) {
                return false;
            }
            var cursor = new DnsCursor(bytes, 0);
            if (cursor.u16() != id) {
                return false;
            }
            cursor.skip(2);
            var hasQuestion = cursor.u16() > 0;
            if (!hasQuestion || query.question().isEmpty()) {
                return true; // some servers leave it out of errors
            }
            var name = new DnsCursor(bytes, DnsQuery.HEADER);
            return query.question().get().name().equals(name.name())
                    && query.question().get().type() == name.u16();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            var _ = answer.tryFailure(new NoAnswer("the name server closed the connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = answer.tryFailure(new NoAnswer(String.valueOf(cause)));
        }
    }
}
