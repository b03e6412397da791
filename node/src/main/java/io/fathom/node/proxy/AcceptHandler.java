// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Takes what a listener accepts, without registering it anywhere. When accepting fails, as without free file
/// descriptors, the listener rests a little instead of spinning.
public final class AcceptHandler extends ChannelInboundHandlerAdapter {
    private static final long REST_MILLIS = 200;

    private final Consumer<EpollSocketChannel> taker;

    /// The taker owns the channel, and is called on the listener's event loop.
    public AcceptHandler(Consumer<EpollSocketChannel> taker) {
        this.taker = taker;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var accepted = (EpollSocketChannel) message;
        try {
            taker.accept(accepted);
        } catch (RuntimeException e) {
            accepted.unsafe().closeForcibly();
            throw e;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var config = context.channel().config();
        if (config.isAutoRead()) {
            config.setAutoRead(false);
            var _ = context.executor().schedule(() -> config.setAutoRead(true), REST_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
