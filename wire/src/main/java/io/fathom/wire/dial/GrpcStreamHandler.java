// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The frames of a call: headers, bytes, and the status at its end. On the connection's loop.
final class GrpcStreamHandler extends ChannelInboundHandlerAdapter {
    private final GrpcStream owner;
    private List<ByteBuf> pieces = new ArrayList<>();

    GrpcStreamHandler(GrpcStream owner) {
        this.owner = owner;
    }

    /// For streams that the server begins, which no gRPC server does.
    static ChannelHandler refusing() {
        return new Refusing();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (message) {
            case Http2DataFrame data -> {
                pieces.add(data.content());
                if (data.isEndStream()) {
                    end(Status.UNKNOWN.withDescription("the server gave no status"));
                }
            }
            case Http2HeadersFrame frame -> headers(frame.headers(), frame.isEndStream());
            default -> ReferenceCountUtil.release(message);
        }
    }

    private void headers(Http2Headers headers, boolean last) {
        var code = headers.get("grpc-status");
        if (code != null || last) {
            end(status(code, headers.get("grpc-message")));
        } else if (!"200".contentEquals(headers.status())) {
            end(Status.UNAVAILABLE.withDescription("the server answered " + headers.status()));
        } else {
            owner.answered();
        }
    }

    private static Status status(@Nullable CharSequence code, @Nullable CharSequence message) {
        if (code == null) {
            return Status.UNKNOWN.withDescription("the server gave no status");
        }
        try {
            var status = Status.fromCodeValue(Integer.parseInt(code.toString()));
            return message == null ? status : status.withDescription(decoded(message.toString()));
        } catch (NumberFormatException e) {
            return Status.UNKNOWN.withDescription("the server gave the status " + code);
        }
    }

    /// Percent-encoded, where a plus is a plus.
    private static String decoded(String message) {
        try {
            return URLDecoder.decode(message.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return message;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (pieces.isEmpty()) {
            ctx.read(); // only headers came
        } else {
            handOver();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame reset) {
            end(Status.UNAVAILABLE.withDescription("the server reset the stream with error " + reset.errorCode()));
        }
        ReferenceCountUtil.release(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(Status.UNAVAILABLE.withDescription("transport is closing"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(Status.UNAVAILABLE.withDescription("stream failed: " + cause));
    }

    private void end(Status status) {
        handOver();
        owner.end(status);
    }

    private void handOver() {
        if (!pieces.isEmpty()) {
            var taken = pieces;
            pieces = new ArrayList<>();
            owner.received(taken);
        }
    }

    @ChannelHandler.Sharable
    private static final class Refusing extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            var _ = ctx.close();
        }
    }
}
