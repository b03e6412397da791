// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import java.nio.charset.StandardCharsets;

/// Brings the frames that Netty's reader has checked to the connection, all but DATA.
final class FrameDispatch extends Http2FrameAdapter {
    private static final int MAX_DEBUG_BYTES = 256;

    private final Http2Link link;

    FrameDispatch(Http2Link link) {
        this.link = link;
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int id, Http2Headers headers, int padding, boolean end)
            throws Http2Exception {
        link.headers(id, headers, end ? FrameInput.End.OF_STREAM : FrameInput.End.OF_FRAME);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int id,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean end)
            throws Http2Exception {
        if (dependency == id) {
            throw Http2Exception.streamError(id, PROTOCOL_ERROR, "stream %d depends on itself", id);
        }
        onHeadersRead(ctx, id, headers, padding, end);
    }

    @Override
    public void onPriorityRead(ChannelHandlerContext ctx, int id, int dependency, short weight, boolean exclusive)
            throws Http2Exception {
        link.flood().count("PRIORITY");
        if (dependency == id) {
            throw Http2Exception.streamError(id, PROTOCOL_ERROR, "stream %d depends on itself", id);
        }
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int id, long code) throws Http2Exception {
        var stream = link.stream(id);
        if (stream == null) {
            if (!link.wasOpened(id)) {
                throw connectionError(PROTOCOL_ERROR, "RST_STREAM for stream %d, which is idle", id);
            }
            return;
        }
        link.resetReceived(stream, code);
        stream.broken(reason(code));
    }

    private static Tunnel.Reset reason(long code) {
        if (code == Http2Error.NO_ERROR.code() || code == Http2Error.CANCEL.code()) {
            return Tunnel.Reset.CANCELLED;
        }
        return code == Http2Error.CONNECT_ERROR.code() ? Tunnel.Reset.CONNECTION_RESET : Tunnel.Reset.BROKEN;
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) throws Http2Exception {
        link.flood().count("SETTINGS");
        var table = settings.headerTableSize();
        if (table != null) {
            link.output().peerHeaderTable(table);
        }
        var frame = settings.maxFrameSize();
        if (frame != null) {
            link.output().peerMaxFrame(frame);
        }
        var window = settings.initialWindowSize();
        if (window != null) {
            link.peerFirstWindow(window);
        }
        var streams = settings.maxConcurrentStreams();
        link.output().settingsAck();
        link.flushSoon();
        link.settingsReceived(streams == null ? Long.MAX_VALUE : streams);
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long payload) throws Http2Exception {
        link.flood().count("PING");
        link.output().pingAck(payload);
        link.flushSoon();
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long payload) {
        link.pingAnswered(payload);
    }

    @Override
    public void onPushPromiseRead(ChannelHandlerContext ctx, int id, int promised, Http2Headers headers, int padding)
            throws Http2Exception {
        throw connectionError(PROTOCOL_ERROR, "PUSH_PROMISE is not allowed");
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext ctx, int lastStream, long code, ByteBuf debug) {
        var text = debug.toString(
                debug.readerIndex(), Math.min(debug.readableBytes(), MAX_DEBUG_BYTES), StandardCharsets.UTF_8);
        link.goAwayReceived(lastStream, code, text);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int id, int bytes) throws Http2Exception {
        link.windowUpdate(id, bytes);
    }
}
