// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Accepts connections and tells a [ConnectionTable] of each before a byte of it is read, which is before anything that
/// costs something. On its event loop.
final class GuardedServerChannel extends NioServerSocketChannel {
    private final ConnectionTable table;

    GuardedServerChannel(ConnectionTable table) {
        this.table = table;
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        super.doBind(address);
        var ticking = eventLoop().scheduleAtFixedRate(table::tick, 1, 1, TimeUnit.SECONDS);
        closeFuture().addListener(_ -> ticking.cancel(false));
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        var before = accepted.size();
        var count = super.doReadMessages(accepted);
        for (var one : accepted.subList(before, accepted.size())) {
            if (one instanceof Channel channel && channel.remoteAddress() instanceof InetSocketAddress peer) {
                channel.pipeline().addFirst(new Watch(table, channel, peer));
            }
        }
        return count;
    }

    /// Counts what comes, before it is decrypted.
    private static final class Watch extends ChannelInboundHandlerAdapter {
        private final ConnectionTable table;
        private final ConnectionTable.Connection connection;
        private long bytes;

        Watch(ConnectionTable table, Channel channel, InetSocketAddress peer) {
            this.table = table;
            this.connection = new ConnectionTable.Connection(peer) {
                @Override
                void close() { // past the handlers: with these it could take as long as the other end likes
                    channel.eventLoop()
                            .execute(() ->
                                    channel.unsafe().close(channel.unsafe().voidPromise()));
                }
            };
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.channel().closeFuture().addListener(_ -> table.closed(connection));
            table.accepted(connection);
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf buffer) {
                bytes += buffer.readableBytes();
                table.received(connection, bytes);
            }
            ctx.fireChannelRead(message);
        }
    }
}
