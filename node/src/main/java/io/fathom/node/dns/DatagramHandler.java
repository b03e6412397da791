// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;

/// Queries over UDP.
final class DatagramHandler extends SimpleChannelInboundHandler<DatagramPacket> {
    private final DnsService service;

    DatagramHandler(DnsService service) {
        this.service = service;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
        var sender = packet.sender();
        service.handle(ByteBufUtil.getBytes(packet.content()), Transport.UDP, reply -> {
            var _ = ctx.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(reply), sender));
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // a client that is gone already, told by ICMP: the others go on
    }
}
