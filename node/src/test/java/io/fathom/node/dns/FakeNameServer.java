// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.IpPort;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.net.SocketAddresses;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// A name server that says what a test wants, and remembers what it was asked.
final class FakeNameServer implements AutoCloseable {
    final List<byte[]> asked = new CopyOnWriteArrayList<>();
    private final Channel datagrams;
    private final Channel streams;

    /// @param answers empty = silence
    FakeNameServer(EventLoop loop, Sockets sockets, IpPort at, Function<byte[], Optional<byte[]>> answers) {
        this.streams = new ServerBootstrap()
                .group(loop)
                .channelFactory(sockets::listener)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new LengthFieldBasedFrameDecoder(65537, 0, 2, 0, 2))
                                .addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                                    @Override
                                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                                        var bytes = ByteBufUtil.getBytes(message);
                                        asked.add(bytes);
                                        answers.apply(bytes).ifPresent(reply -> {
                                            var _ = ctx.writeAndFlush(Upstream.framed(reply, Transport.TCP));
                                        });
                                    }
                                });
                    }
                })
                .bind(SocketAddresses.of(at))
                .syncUninterruptibly()
                .channel();
        this.datagrams = new Bootstrap()
                .group(loop)
                .channelFactory(sockets::datagram)
                .handler(new SimpleChannelInboundHandler<DatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                        var bytes = ByteBufUtil.getBytes(packet.content());
                        asked.add(bytes);
                        answers.apply(bytes).ifPresent(reply -> {
                            var _ = ctx.writeAndFlush(
                                    new DatagramPacket(Unpooled.wrappedBuffer(reply), packet.sender()));
                        });
                    }
                })
                .bind(SocketAddresses.of(address()))
                .syncUninterruptibly()
                .channel();
    }

    IpPort address() {
        return SocketAddresses.of((InetSocketAddress) streams.localAddress());
    }

    @Override
    public void close() {
        datagrams.close().syncUninterruptibly();
        streams.close().syncUninterruptibly();
    }
}
