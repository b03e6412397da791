// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One stream of a connection: what waits to be sent, what came before anybody listened, both windows, and how
/// far each direction has come. On the event loop of its connection.
final class Stream implements Tunnel {
    private final Http2Link link;
    private final int id;

    // sending
    private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>(4);
    private int pendingBytes;
    private int sendWindow;
    private boolean full;
    private boolean finishing;
    private boolean finished;
    boolean inSendQueue;

    @Nullable
    Stream nextToSend;

    // receiving
    private @Nullable TunnelListener listener;
    private @Nullable ArrayDeque<ByteBuf> early;
    private int receiveWindow;
    private int unconsumed;
    private int credit;
    private boolean peerFinished;
    private boolean peerFinishedTold;
    boolean touched;

    private boolean over;
    private @Nullable Reset resetReason;

    /// What the role keeps about the stream.
    @Nullable
    Object attachment;

    /// When an answer has to be there.
    long replyDue;

    Stream(Http2Link link, int id, int sendWindow, int receiveWindow) {
        this.link = link;
        this.id = id;
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
    }

    int id() {
        return id;
    }

    boolean isOver() {
        return over;
    }

    boolean peerHasFinished() {
        return peerFinished;
    }

    @Override
    public EventLoop loop() {
        return link.loop();
    }

    // ---- sending

    @Override
    public void write(ByteBuf data) {
        var bytes = data.readableBytes();
        if (over || finishing || bytes == 0) {
            data.release();
            return;
        }
        pending.add(data);
        pendingBytes += bytes;
        if (pendingBytes >= link.highWater()) {
            full = true;
        }
        if (sendWindow > 0) {
            link.sending().add(this);
        }
    }

    @Override
    public void flush() {
        link.flushSoon();
    }

    @Override
    public boolean isWritable() {
        return !full && !over && !finishing;
    }

    @Override
    public void finish() {
        if (over || finishing) {
            return;
        }
        finishing = true;
        if (pendingBytes == 0) {
            link.output().data(id, 0, FrameInput.End.OF_STREAM);
            sentAll();
        }
        link.flushSoon();
    }

    boolean canSend() {
        return pendingBytes > 0 && sendWindow > 0 && !over;
    }

    /// Sends one frame of at most `allowance` bytes. Returns its length.
    int send(int allowance) {
        if (!canSend()) {
            return 0;
        }
        var output = link.output();
        var length = Math.min(Math.min(pendingBytes, sendWindow), Math.min(allowance, output.peerMaxFrame()));
        var last = finishing && length == pendingBytes;
        output.data(id, length, last ? FrameInput.End.OF_STREAM : FrameInput.End.OF_FRAME);
        var left = length;
        while (left > 0) {
            var buffer = pending.element();
            var bytes = buffer.readableBytes();
            if (bytes <= left) {
                pending.remove();
                output.payload(buffer);
                left -= bytes;
            } else {
                output.payload(buffer.readRetainedSlice(left));
                left = 0;
            }
        }
        pendingBytes -= length;
        sendWindow -= length;
        if (last) {
            sentAll();
        } else if (full && pendingBytes <= link.highWater() / 2) {
            full = false;
            if (listener != null) {
                listener.writable();
            }
        }
        return length;
    }

    private void sentAll() {
        finished = true;
        if (peerFinished) {
            end();
        } else {
            link.finishedSending(this);
        }
    }

    void growWindow(int bytes) throws Http2Exception {
        if (bytes > 0 && sendWindow > Integer.MAX_VALUE - bytes) {
            throw Http2Exception.streamError(id, FLOW_CONTROL_ERROR, "the window of stream %d grows too large", id);
        }
        sendWindow += bytes;
        if (canSend()) {
            link.sending().add(this);
        }
    }

    // ---- receiving

    @Override
    public void listen(TunnelListener other) {
        listener = other;
        var waiting = early;
        if (waiting != null) {
            early = null;
            for (var data = waiting.poll(); data != null; data = waiting.poll()) {
                other.received(data);
            }
            other.readComplete();
        }
        tellEnd();
    }

    /// Counts a frame against the window.
    void frameBegins(int length) throws Http2Exception {
        if (length > receiveWindow) {
            throw Http2Exception.streamError(
                    id, FLOW_CONTROL_ERROR, "stream %d has no window for %d bytes", id, length);
        }
        receiveWindow -= length;
    }

    void received(ByteBuf data) {
        unconsumed += data.readableBytes();
        if (listener != null) {
            link.touched(this);
            listener.received(data);
            return;
        }
        if (early == null) {
            early = new ArrayDeque<>(4);
        }
        early.add(data);
    }

    void readComplete() {
        touched = false;
        if (listener != null && !over) {
            listener.readComplete();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (over) {
            return; // the connection had it all back when the stream ended
        }
        unconsumed -= bytes;
        link.consumed(bytes);
        giveBack(bytes);
    }

    /// Window that never carried data for anybody.
    void giveBack(int bytes) {
        credit += bytes;
        if (credit >= link.streamWindow() / 2 && !peerFinished) {
            receiveWindow += credit;
            link.output().windowUpdate(id, credit);
            credit = 0;
            link.flushSoon();
        }
    }

    void peerFinished() {
        peerFinished = true;
        if (listener != null && touched) {
            readComplete();
        }
        if (finished) {
            end();
        }
        tellEnd();
    }

    private void tellEnd() {
        if (listener == null) {
            return;
        }
        if (resetReason != null) {
            var reason = resetReason;
            var last = listener;
            listener = null;
            last.reset(reason);
        } else if (peerFinished && !peerFinishedTold) {
            peerFinishedTold = true;
            listener.finished();
        }
    }

    // ---- the end

    @Override
    public void reset(Reset reason) {
        reset(
                switch (reason) {
                    case CONNECTION_RESET -> Http2Error.CONNECT_ERROR;
                    case CANCELLED -> Http2Error.CANCEL;
                    case BROKEN -> Http2Error.INTERNAL_ERROR;
                });
    }

    /// Ours to reset: the listener does not hear of it.
    void reset(Http2Error code) {
        listener = null;
        if (!over) {
            link.resetByUs(id, code);
            end();
        }
        releaseEarly();
    }

    /// The peer, or a fault, has ended the stream: the listener hears of it, after what has been received.
    void broken(Reset reason) {
        if (over) {
            return;
        }
        if (listener != null && touched) {
            readComplete();
        }
        resetReason = reason;
        end();
        tellEnd();
    }

    private void end() {
        over = true;
        pendingBytes = 0;
        for (var buffer = pending.poll(); buffer != null; buffer = pending.poll()) {
            buffer.release();
        }
        link.consumed(unconsumed);
        unconsumed = 0;
        link.ended(this);
    }

    boolean hasEarlyData() {
        return early != null;
    }

    /// What came for nobody.
    void releaseEarly() {
        if (early != null) {
            for (var buffer = early.poll(); buffer != null; buffer = early.poll()) {
                buffer.release();
            }
            early = null;
        }
    }
}
