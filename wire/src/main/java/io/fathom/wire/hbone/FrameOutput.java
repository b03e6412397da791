// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Writes frames. Small ones are put together in one buffer; large payloads pass without a copy. Nothing leaves
/// before [#flush]. On the event loop of its connection.
final class FrameOutput {
    private static final int HEADER = Http2CodecUtil.FRAME_HEADER_LENGTH;
    /// What fits into one TLS record.
    private static final int CHUNK = 16 * 1024;
    /// Up to here copying is cheaper than another buffer with another TLS record.
    private static final int COPY_LIMIT = 4 * 1024;

    private static final int END_STREAM = 0x1;
    private static final int ACK = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int MAX_DEBUG_BYTES = 256;

    private final ChannelHandlerContext ctx;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private int peerMaxFrame = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;
    private @Nullable ByteBuf chunk;
    private boolean dirty;

    FrameOutput(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    int peerMaxFrame() {
        return peerMaxFrame;
    }

    void peerMaxFrame(int bytes) {
        peerMaxFrame = bytes;
    }

    void peerHeaderTable(long bytes) throws Http2Exception {
        encoder.maxHeaderTableSize(Math.min(bytes, Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE));
    }

    private ByteBuf room(int bytes) {
        dirty = true;
        var current = chunk;
        if (current != null && current.writableBytes() >= bytes) {
            return current;
        }
        push();
        var fresh = ctx.alloc().directBuffer(Math.max(CHUNK, bytes), Math.max(CHUNK, bytes));
        chunk = fresh;
        return fresh;
    }

    private void push() {
        var full = chunk;
        if (full != null) {
            chunk = null;
            var _ = ctx.write(full, ctx.voidPromise());
        }
    }

    /// Passes everything on to the network.
    void flush() {
        if (dirty) {
            dirty = false;
            push();
            ctx.flush();
        }
    }

    private ByteBuf frame(int length, int type, int flags, int stream) {
        var out = room(HEADER + Math.min(length, COPY_LIMIT));
        out.writeMedium(length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        return out;
    }

    void preface() {
        var preface = Http2CodecUtil.connectionPrefaceBuf();
        room(preface.readableBytes()).writeBytes(preface);
        preface.release();
    }

    /// Pairs of setting and value.
    void settings(int... pairs) {
        var out = frame(pairs.length * 3, Http2FrameTypes.SETTINGS, 0, 0);
        for (int i = 0; i < pairs.length; i += 2) {
            out.writeShort(pairs[i]);
            out.writeInt(pairs[i + 1]);
        }
    }

    void settingsAck() {
        var _ = frame(0, Http2FrameTypes.SETTINGS, ACK, 0);
    }

    void ping(long payload) {
        frame(8, Http2FrameTypes.PING, 0, 0).writeLong(payload);
    }

    void pingAck(long payload) {
        frame(8, Http2FrameTypes.PING, ACK, 0).writeLong(payload);
    }

    void windowUpdate(int stream, int bytes) {
        frame(4, Http2FrameTypes.WINDOW_UPDATE, 0, stream).writeInt(bytes);
    }

    void reset(int stream, long code) {
        frame(4, Http2FrameTypes.RST_STREAM, 0, stream).writeInt((int) code);
    }

    void goAway(int lastStream, long code, String text) {
        var debug = text.getBytes(StandardCharsets.UTF_8);
        var length = Math.min(debug.length, MAX_DEBUG_BYTES);
        var out = frame(8 + length, Http2FrameTypes.GO_AWAY, 0, 0);
        out.writeInt(lastStream);
        out.writeInt((int) code);
        out.writeBytes(debug, 0, length);
    }

    /// HEADERS, with CONTINUATION if they are long.
    void headers(int stream, Http2Headers headers) throws Http2Exception {
        var block = ctx.alloc().buffer(512);
        try {
            encoder.encodeHeaders(stream, headers, block);
            var type = Http2FrameTypes.HEADERS;
            do {
                var length = Math.min(block.readableBytes(), peerMaxFrame);
                var flags = length == block.readableBytes() ? END_HEADERS : 0;
                var _ = frame(length, type, flags, stream);
                room(length).writeBytes(block, length);
                type = Http2FrameTypes.CONTINUATION;
            } while (block.isReadable());
        } finally {
            block.release();
        }
    }

    /// The header of a DATA frame; so many bytes of [#payload] have to follow at once.
    void data(int stream, int length, FrameInput.End end) {
        var _ = frame(length, Http2FrameTypes.DATA, end == FrameInput.End.OF_STREAM ? END_STREAM : 0, stream);
    }

    /// Takes the buffer over.
    void payload(ByteBuf data) {
        var bytes = data.readableBytes();
        if (bytes <= COPY_LIMIT) {
            room(bytes).writeBytes(data);
            data.release();
        } else {
            dirty = true;
            push();
            var _ = ctx.write(data, ctx.voidPromise());
        }
    }

    void close() {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
        encoder.close();
    }
}
