// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Error.FRAME_SIZE_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2FrameTypes;
import org.jspecify.annotations.Nullable;

/// Cuts what arrives into frames. DATA is handed on as it comes, without waiting for the end of its frame and
/// without a copy; every other frame goes to Netty's reader in one piece. On the event loop of its connection.
final class FrameInput {
    private static final int HEADER = Http2CodecUtil.FRAME_HEADER_LENGTH;
    private static final int END_STREAM = 0x1;
    private static final int ACK = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    /// Beyond a header block: padding and priority.
    private static final int CONTROL_SLACK = 512;

    /// Takes DATA frames apart.
    interface DataSink {
        /// A frame begins that counts as `length` bytes of the windows.
        void dataBegins(int stream, int length) throws Http2Exception;

        /// Some of its bytes. Takes the buffer over.
        void data(ByteBuf part);

        /// So many bytes of the frame are no data.
        void padding(int bytes);

        void dataEnds(End end) throws Http2Exception;
    }

    /// Whether the peer writes on.
    enum End {
        OF_FRAME,
        OF_STREAM
    }

    private final Http2FrameReader reader;
    private final Http2FrameListener frames;
    private final DataSink sink;
    private final int maxFrame;
    private final int maxControl;

    private @Nullable ByteBuf partial;
    private int partialTotal;
    private boolean settingsSeen;
    private boolean inHeaderBlock;

    private boolean inData;
    private boolean padLengthDue;
    private int dataLeft;
    private int paddingLeft;
    private End dataEnd = End.OF_FRAME;
    private int skipLeft;

    FrameInput(Http2FrameReader reader, Http2FrameListener frames, DataSink sink, int maxFrame, int maxHeaderBytes) {
        this.reader = reader;
        this.frames = frames;
        this.sink = sink;
        this.maxFrame = maxFrame;
        this.maxControl = Math.min(maxFrame, Math.max(maxHeaderBytes, 16 * 1024) + CONTROL_SLACK);
    }

    /// Reads all there is; the buffer stays the caller's.
    ///
    /// @throws Http2Exception of a stream or of the connection; after that of a stream, reading may go on
    void read(ChannelHandlerContext ctx, ByteBuf in) throws Http2Exception {
        while (in.isReadable()) {
            if (inData) {
                readData(in);
            } else if (skipLeft > 0) {
                var skipped = Math.min(skipLeft, in.readableBytes());
                in.skipBytes(skipped);
                skipLeft -= skipped;
            } else if (partial != null) {
                readPartial(ctx, in, partial);
            } else if (in.readableBytes() < HEADER) {
                partial = ctx.alloc().buffer(HEADER + 64);
                partialTotal = HEADER;
            } else if (isSpecial(in)) {
                beginSpecial(in);
            } else {
                var total = HEADER + in.getUnsignedMedium(in.readerIndex());
                if (in.readableBytes() >= total) {
                    feed(ctx, in, total);
                } else {
                    partial = ctx.alloc().buffer(total);
                    partialTotal = total;
                }
            }
        }
    }

    private void readPartial(ChannelHandlerContext ctx, ByteBuf in, ByteBuf part) throws Http2Exception {
        part.writeBytes(in, Math.min(partialTotal - part.readableBytes(), in.readableBytes()));
        if (part.readableBytes() < partialTotal) {
            return;
        }
        if (partialTotal == HEADER) {
            if (isSpecial(part)) {
                partial = null;
                try {
                    beginSpecial(part);
                } finally {
                    part.release();
                }
                return;
            }
            partialTotal = HEADER + part.getUnsignedMedium(part.readerIndex());
            if (partialTotal > HEADER) {
                return;
            }
        }
        partial = null;
        try {
            feed(ctx, part, partialTotal);
        } finally {
            part.release();
        }
    }

    /// Whether the frame at the reader index is not for Netty's reader. Checks what holds for all frames.
    private boolean isSpecial(ByteBuf in) throws Http2Exception {
        var at = in.readerIndex();
        var length = in.getUnsignedMedium(at);
        var type = in.getByte(at + 3);
        if (!settingsSeen) {
            if (type != Http2FrameTypes.SETTINGS || (in.getByte(at + 4) & ACK) != 0) {
                throw connectionError(PROTOCOL_ERROR, "the first frame is not SETTINGS");
            }
            settingsSeen = true;
        }
        if (length > maxFrame) {
            throw connectionError(FRAME_SIZE_ERROR, "a frame of %d bytes, allowed are %d", length, maxFrame);
        }
        if (type == Http2FrameTypes.DATA) {
            return true;
        }
        if (type < 0 || type > Http2FrameTypes.CONTINUATION) {
            return true;
        }
        if (length > maxControl) {
            throw connectionError(ENHANCE_YOUR_CALM, "a frame of type %d with %d bytes", (int) type, length);
        }
        return false;
    }

    private void beginSpecial(ByteBuf in) throws Http2Exception {
        var length = in.readUnsignedMedium();
        var type = in.readByte();
        var flags = in.readUnsignedByte();
        var stream = in.readInt() & Integer.MAX_VALUE;
        if (inHeaderBlock) {
            throw connectionError(PROTOCOL_ERROR, "a header block is interrupted");
        }
        if (type != Http2FrameTypes.DATA) {
            skipLeft = length; // extensions nobody has agreed on are to be ignored
            return;
        }
        padLengthDue = (flags & PADDED) != 0;
        if (stream == 0 || (padLengthDue && length == 0)) {
            throw connectionError(PROTOCOL_ERROR, "malformed DATA");
        }
        dataLeft = length;
        paddingLeft = 0;
        dataEnd = (flags & END_STREAM) != 0 ? End.OF_STREAM : End.OF_FRAME;
        inData = true;
        sink.dataBegins(stream, length);
        endDataIfDone();
    }

    private void readData(ByteBuf in) throws Http2Exception {
        if (padLengthDue) {
            var padding = in.readUnsignedByte();
            dataLeft--;
            padLengthDue = false;
            if (padding > dataLeft) {
                throw connectionError(PROTOCOL_ERROR, "more padding than DATA");
            }
            paddingLeft = padding;
            dataLeft -= padding;
            sink.padding(1 + padding);
        }
        var bytes = Math.min(dataLeft, in.readableBytes());
        if (bytes > 0) {
            dataLeft -= bytes;
            sink.data(in.readRetainedSlice(bytes));
        }
        if (dataLeft == 0 && paddingLeft > 0) {
            var skipped = Math.min(paddingLeft, in.readableBytes());
            in.skipBytes(skipped);
            paddingLeft -= skipped;
        }
        endDataIfDone();
    }

    private void endDataIfDone() throws Http2Exception {
        if (dataLeft == 0 && paddingLeft == 0 && !padLengthDue) {
            inData = false;
            sink.dataEnds(dataEnd);
        }
    }

    private void feed(ChannelHandlerContext ctx, ByteBuf in, int total) throws Http2Exception {
        var type = in.getByte(in.readerIndex() + 3);
        if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
            inHeaderBlock = (in.getByte(in.readerIndex() + 4) & END_HEADERS) == 0;
        }
        var end = in.readerIndex() + total;
        var limit = in.writerIndex();
        in.writerIndex(end); // the reader would go on with the next frame
        try {
            reader.readFrame(ctx, in, frames);
        } finally {
            in.setIndex(end, limit);
        }
    }

    void close() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
        reader.close();
    }
}
