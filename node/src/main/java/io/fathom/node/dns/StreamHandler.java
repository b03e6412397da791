// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.wire.dns.DnsQuery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleStateEvent;

/// Queries over one TCP connection, several at a time and answered as they are ready. It ends when nothing happened
/// for a while.
final class StreamHandler extends SimpleChannelInboundHandler<ByteBuf> {
    private static final int MOST_WAITING = 32;

    private final DnsService service;
    private int waiting;

    StreamHandler(DnsService service) {
        this.service = service;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
        var bytes = ByteBufUtil.getBytes(message);
        if (DnsQuery.read(bytes).isEmpty()) {
            var _ = ctx.close();
            return;
        }
        waiting++;
        ctx.channel().config().setAutoRead(waiting < MOST_WAITING);
        service.handle(bytes, Transport.TCP, reply -> {
            waiting--;
            var _ = ctx.writeAndFlush(Upstream.framed(reply, Transport.TCP));
            ctx.channel().config().setAutoRead(waiting < MOST_WAITING);
        });
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof IdleStateEvent && waiting == 0) {
            var _ = ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }
}
