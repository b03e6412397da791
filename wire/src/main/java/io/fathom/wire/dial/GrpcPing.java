// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks the server now and then whether it is there, and closes the connection when no answer comes. On its loop.
final class GrpcPing extends ChannelInboundHandlerAdapter {
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private @Nullable ScheduledFuture<?> next;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        later(ctx);
        ctx.fireChannelActive();
    }

    private void later(ChannelHandlerContext ctx) {
        next = ctx.executor().schedule(() -> ping(ctx), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void ping(ChannelHandlerContext ctx) {
        var _ = ctx.writeAndFlush(new DefaultHttp2PingFrame(1));
        next = ctx.executor()
                .schedule(
                        () -> {
                            var _ = ctx.close();
                        },
                        PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2PingFrame ping && ping.ack()) {
            cancel();
            later(ctx);
        }
        ReferenceCountUtil.release(message); // settings and the like
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        cancel();
        ctx.fireChannelInactive();
    }

    private void cancel() {
        if (next != null) {
            next.cancel(false);
        }
    }
}
