// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.proxy.AcceptHandler;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.net.SocketAddresses;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/// The listening sockets of one pod: all of them, or none. For one thread, not an event loop.
final class Listeners {
    /// Also what waits while one proxy is gone and the next is not there yet.
    private static final int BACKLOG = 1024;

    private static final long PATIENCE_SECONDS = 10;

    private final Sockets sockets;
    private final EventLoopGroup loops;
    private final List<EpollServerSocketChannel> open = new ArrayList<>();

    Listeners(Sockets sockets, EventLoopGroup loops) {
        this.sockets = sockets;
        this.loops = loops;
    }

    /// Binds one, or goes on with that of the proxy before; nothing is accepted before [#accept].
    PodListener bind(Ip address, int port) {
        var at = new IpPort(address, port);
        var before = sockets.boundListener(at);
        var channel = before.orElseGet(() -> listener(port));
        open.add(channel);
        var config = channel.config();
        config.setAutoRead(false);
        config.setBacklog(BACKLOG);
        await(loops.register(channel), port);
        if (before.isEmpty()) {
            await(channel.bind(SocketAddresses.of(at)), port);
        }
        sockets.bound(at, channel);
        return new PodListener(channel);
    }

    private EpollServerSocketChannel listener(int port) {
        try {
            return sockets.listener();
        } catch (ChannelException e) {
            throw failed(port, e);
        }
    }

    private static void await(ChannelFuture step, int port) {
        if (!step.awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw failed(port, new ChannelException("no answer from the event loop"));
        }
        if (!step.isSuccess()) {
            throw failed(port, step.cause());
        }
    }

    private static ProblemException failed(int port, Throwable cause) {
        return new ProblemException(new Problem(
                "pod-listener-failed",
                "cannot listen on port " + port + ": " + cause.getMessage(),
                "see what else listens on this port in the pod, and that the proxy may use NET_ADMIN",
                Origin.SERVER,
                Retry.SENSIBLE));
    }

    /// One bound socket.
    record PodListener(EpollServerSocketChannel channel) {
        int port() {
            return channel.localAddress().getPort();
        }

        /// Whatever is accepted goes to the taker, with the loop that accepted it.
        void accept(BiConsumer<EpollSocketChannel, EventLoop> taker) {
            channel.pipeline().addLast(new AcceptHandler(child -> taker.accept(child, channel.eventLoop())));
            channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
        }
    }

    /// Accepts nothing more. Returns when the sockets are closed, so that a client is refused from then on.
    void close() {
        open.stream()
                .map(EpollServerSocketChannel::close)
                .toList()
                .forEach(closing -> closing.awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}
