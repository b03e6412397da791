// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Brings the DATA of a connection to its streams, and keeps the window that the peer has on all of them together.
/// Confined to the event loop of the connection.
final class DataDispatch implements FrameInput.DataSink {
    private static final int REMEMBERED_RESETS = 64;

    private final Http2Link link;
    private final int fullWindow;
    private int window;
    /// Consumed, and not yet given back to the peer.
    private int credit;

    private @Nullable Stream receiving;
    private boolean receivesNothing;

    private final int[] resetByUs = new int[REMEMBERED_RESETS];
    private int resets;

    DataDispatch(Http2Link link, int fullWindow) {
        this.link = link;
        this.fullWindow = fullWindow;
        this.window = fullWindow;
    }

    /// So many bytes of the connection's window are free again.
    void consumed(int bytes) {
        credit += bytes;
        if (credit >= fullWindow / 2 && !link.isDead()) {
            window += credit;
            link.output().windowUpdate(0, credit);
            credit = 0;
            link.flushSoon();
        }
    }

    /// What is on its way on that stream is no fault of the peer.
    void resetByUs(int stream) {
        resetByUs[resets++ % REMEMBERED_RESETS] = stream;
    }

    @Override
    public void dataBegins(int id, int length) throws Http2Exception {
        if (length > window) {
            throw connectionError(FLOW_CONTROL_ERROR, "the connection has no window for %d bytes", length);
        }
        window -= length;
        var stream = link.stream(id);
        receiving = null;
        if (stream == null) {
            if (!link.wasOpened(id)) {
                throw connectionError(PROTOCOL_ERROR, "DATA for stream %d, which is idle", id);
            }
            consumed(length);
            if (Arrays.stream(resetByUs).noneMatch(reset -> reset == id)) {
                throw Http2Exception.streamError(id, STREAM_CLOSED, "DATA after the end of stream %d", id);
            }
            return;
        }
        if (stream.peerHasFinished()) {
            consumed(length);
            throw Http2Exception.streamError(id, STREAM_CLOSED, "DATA after the end of stream %d", id);
        }
        receivesNothing = length == 0;
        try {
            stream.frameBegins(length);
        } catch (Http2Exception e) {
            consumed(length);
            throw e;
        }
        receiving = stream;
    }

    @Override
    public void data(ByteBuf part) {
        var stream = receiving;
        if (stream == null) {
            part.release();
            return;
        }
        if (stream.isOver()) {
            consumed(part.readableBytes());
            part.release();
        } else {
            stream.received(part);
        }
    }

    @Override
    public void padding(int bytes) {
        if (receiving != null) {
            consumed(bytes);
            receiving.giveBack(bytes);
        }
    }

    @Override
    public void dataEnds(FrameInput.End end) throws Http2Exception {
        var stream = receiving;
        receiving = null;
        if (stream != null && receivesNothing && end != FrameInput.End.OF_STREAM) {
            link.flood().count("empty DATA"); // an empty frame that ends its stream is how streams end
        }
        if (stream != null && end == FrameInput.End.OF_STREAM && !stream.isOver()) {
            stream.peerFinished();
        }
    }
}
