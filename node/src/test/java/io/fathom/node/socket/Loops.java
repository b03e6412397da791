// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Event loops for tests, and channels on them.
public final class Loops implements AutoCloseable {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    public EventLoop loop() {
        return group.next();
    }

    /// Binds and collects what is accepted, unregistered.
    public BlockingQueue<EpollSocketChannel> accept(EpollServerSocketChannel channel, String address, int port) {
        var accepted = new LinkedBlockingQueue<EpollSocketChannel>();
        register(channel, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                accepted.add((EpollSocketChannel) message);
            }
        });
        channel.bind(at(address, port)).syncUninterruptibly();
        return accepted;
    }

    public <C extends Channel> C register(C channel, ChannelHandler handler) {
        channel.pipeline().addLast(handler);
        group.register(channel).syncUninterruptibly();
        return channel;
    }

    public EpollSocketChannel connect(EpollSocketChannel channel, String address, int port) {
        register(channel, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel ch) {}
        });
        channel.connect(at(address, port)).syncUninterruptibly();
        return channel;
    }

    public static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
