// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Connections from 127.0.0.66 that nobody has asked for. One in five shakes hands and shows no certificate, the others
/// say nothing or something that is no TLS. None is closed from this side before the end.
final class ConnectionFlood implements AutoCloseable {
    private static final int AT_ONCE = 200;
    private static final int HANDSHAKE_EVERY = 5;

    private final int port;
    private final int attempts;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SslContext tls = RawAgent.tls(Optional.empty());
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Queue<Channel> open = new ConcurrentLinkedQueue<>();

    ConnectionFlood(int port, int attempts) {
        this.port = port;
        this.attempts = attempts;
    }

    /// Begins; gives the time that all attempts took.
    CompletableFuture<Duration> start(Runnable atEnd) {
        var result = new CompletableFuture<Duration>();
        Thread.ofVirtual().start(() -> {
            var begun = System.nanoTime();
            for (var number = 0; number < attempts; number++) {
                places.acquireUninterruptibly();
                attempt(number);
            }
            places.acquireUninterruptibly(AT_ONCE);
            result.complete(Duration.ofNanos(System.nanoTime() - begun));
            atEnd.run();
        });
        return result;
    }

    private void attempt(int number) {
        var shakesHands = number % HANDSHAKE_EVERY == 0;
        var connecting = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        open.add(channel);
                        if (shakesHands) {
                            var handler = tls.newHandler(channel.alloc());
                            channel.pipeline().addLast(handler);
                            handler.handshakeFuture().addListener(_ -> places.release());
                        }
                    }
                })
                .localAddress("127.0.0.66", 0)
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        connecting.addListener(connected -> {
            if (shakesHands) {
                return; // its handler knows when it is over
            }
            if (connected.isSuccess() && number % 2 == 0) {
                var _ = connecting.channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[1024]));
            }
            places.release();
        });
    }

    @Override
    public void close() {
        for (var channel : open) {
            var _ = channel.close();
        }
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
