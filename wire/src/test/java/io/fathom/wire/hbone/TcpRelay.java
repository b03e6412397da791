// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.util.Optional;

/// Relays every tunnel to one address, by plain TCP.
final class TcpRelay implements TunnelAcceptor {
    private final IpPort target;

    TcpRelay(IpPort target) {
        this.target = target;
    }

    @Override
    public void requested(TunnelRequest request, Reply reply) {
        var _ = new Bootstrap()
                .group(request.loop())
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(target.ip().toString(), target.port())
                .addListener(connected -> {
                    var channel = ((io.netty.channel.ChannelFuture) connected).channel();
                    if (!connected.isSuccess()) {
                        reply.refuse(503, "cannot connect");
                        return;
                    }
                    var tunnel = reply.accept(Optional.empty());
                    channel.pipeline().addLast(new ToTunnel(tunnel));
                    tunnel.listen(new ToChannel(tunnel, channel));
                    channel.config().setAutoRead(true);
                });
    }

    private static final class ToTunnel extends ChannelInboundHandlerAdapter {
        private final Tunnel tunnel;

        ToTunnel(Tunnel tunnel) {
            this.tunnel = tunnel;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            tunnel.write((ByteBuf) message);
            if (!tunnel.isWritable()) {
                ctx.channel().config().setAutoRead(false);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            tunnel.flush();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof io.netty.channel.socket.ChannelInputShutdownEvent) {
                tunnel.finish();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            tunnel.finish();
        }
    }

    private record ToChannel(Tunnel tunnel, Channel channel) implements TunnelListener {
        @Override
        public void received(ByteBuf data) {
            var bytes = data.readableBytes();
            channel.write(data).addListener(done -> tunnel.consumed(bytes));
        }

        @Override
        public void readComplete() {
            channel.flush();
        }

        @Override
        public void writable() {
            channel.config().setAutoRead(true);
        }

        @Override
        public void finished() {
            channel.flush();
            var _ = ((SocketChannel) channel).shutdownOutput();
        }

        @Override
        public void reset(Tunnel.Reset reason) {
            var _ = channel.close();
        }
    }
}
