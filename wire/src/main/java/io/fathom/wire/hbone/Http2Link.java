// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.INTERNAL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// One HTTP/2 connection at frame level, either role: frames in and out, streams, windows, and its end.
/// Everything happens on the event loop of the channel; nothing is locked.
///
/// Writes are put together: what all channels of the event loop have caused in one round leaves with one flush.
abstract class Http2Link extends ChannelInboundHandlerAdapter {
    private static final int FIRST_WINDOW = 65_535;

    final HboneLimits limits;
    private final int maxHeaderBytes;
    private final IntObjectHashMap<Stream> streams = new IntObjectHashMap<>(8);
    private final ArrayList<Stream> touched = new ArrayList<>();
    private final FloodGuard flood = new FloodGuard();

    private @Nullable ChannelHandlerContext context;
    private @Nullable FrameInput frameInput;
    private @Nullable FrameOutput frameOutput;
    private @Nullable SendQueue sendQueue;
    private @Nullable LinkTimer timer;

    private int peerFirstWindow = FIRST_WINDOW;
    private final DataDispatch data;

    private boolean reading;
    private boolean flushWanted;
    private boolean flushQueued;
    private boolean dead;
    private final Runnable flushTask = this::runFlush;
    private Runnable added = () -> {};

    Http2Link(HboneLimits limits, int maxHeaderBytes) {
        this.limits = limits;
        this.maxHeaderBytes = maxHeaderBytes;
        this.data = new DataDispatch(this, limits.windows().connection());
    }

    // ---- what the roles add

    /// Begins the connection with preface and SETTINGS.
    abstract void begin(FrameOutput output);

    abstract void headers(int id, Http2Headers headers, FrameInput.End end) throws Http2Exception;

    /// Whether the peer or we might have opened this stream before.
    abstract boolean wasOpened(int id);

    /// The stream was in use and is over now.
    abstract void streamOver(Stream stream);

    abstract void goAwayReceived(int lastStream, long code, String text);

    /// The peer took the stream back. May be counted as abuse.
    abstract void resetReceived(Stream stream, long code) throws Http2Exception;

    /// Our direction has ended, the peer's has not.
    abstract void finishedSending(Stream stream);

    abstract void settingsReceived(long maxConcurrentStreams);

    void pingAnswered(long payload) {}

    /// Called from time to time. Returns when it wants to be called again at the latest.
    abstract long tick(long now);

    /// There is no connection any more; the streams will hear of it next.
    abstract void linkOver(String reason);

    /// The peer has been quiet for too long.
    abstract void peerGone();

    // ---- for streams and roles

    ChannelHandlerContext context() {
        return present(context);
    }

    FrameOutput output() {
        return present(frameOutput);
    }

    SendQueue sending() {
        return present(sendQueue);
    }

    LinkTimer timer() {
        return present(timer);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("not added to a pipeline yet");
        }
        return value;
    }

    EventLoop loop() {
        return context().channel().eventLoop();
    }

    int highWater() {
        return limits.windows().pending();
    }

    int streamWindow() {
        return limits.windows().stream();
    }

    int openStreams() {
        return streams.size();
    }

    boolean isDead() {
        return dead;
    }

    FloodGuard flood() {
        return flood;
    }

    Stream add(int id) {
        var stream = new Stream(this, id, peerFirstWindow, limits.windows().stream());
        var _ = streams.put(id, stream);
        return stream;
    }

    @Nullable
    Stream stream(int id) {
        return streams.get(id);
    }

    Iterable<Stream> streams() {
        return new ArrayList<>(streams.values());
    }

    void touched(Stream stream) {
        if (!stream.touched) {
            stream.touched = true;
            touched.add(stream);
        }
    }

    void ended(Stream stream) {
        var _ = streams.remove(stream.id());
        streamOver(stream);
    }

    void resetByUs(int id, Http2Error code) {
        if (!dead) {
            data.resetByUs(id);
            output().reset(id, code.code());
            flushSoon();
        }
    }

    /// So many bytes of the connection's window are free again.
    void consumed(int bytes) {
        data.consumed(bytes);
    }

    /// Flushes at the end of this round of the event loop.
    void flushSoon() {
        flushWanted = true;
        if (!reading && !flushQueued && !dead) {
            flushQueued = true;
            loop().execute(flushTask);
        }
    }

    private void runFlush() {
        flushQueued = false;
        if (dead) {
            return;
        }
        flushWanted = false;
        if (!sending().run()) {
            flushSoon();
        }
    }

    // ---- the channel

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        var output = new FrameOutput(ctx);
        frameOutput = output;
        sendQueue = new SendQueue(output, ctx.channel());
        var reader = new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(true, maxHeaderBytes));
        try {
            reader.maxFrameSize(limits.windows().frame());
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("no frame size: " + limits.windows(), e);
        }
        frameInput = new FrameInput(
                reader, new FrameDispatch(this), data, limits.windows().frame(), maxHeaderBytes);
        timer = new LinkTimer(this, limits.times());
        if (ctx.channel().isActive()) {
            channelReady();
        }
        added.run();
    }

    /// What to do as soon as the handler is in its pipeline.
    void whenAdded(Runnable action) {
        added = action;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channelReady();
        ctx.fireChannelActive();
    }

    private void channelReady() {
        begin(output());
        if (limits.windows().connection() > FIRST_WINDOW) {
            output().windowUpdate(0, limits.windows().connection() - FIRST_WINDOW);
        }
        output().flush();
        timer().start();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        reading = true;
        var in = (ByteBuf) message;
        try {
            while (!dead && in.isReadable()) {
                read(ctx, in);
            }
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in) {
        try {
            present(frameInput).read(ctx, in);
        } catch (Http2Exception.CompositeStreamException e) {
            e.forEach(this::streamError);
        } catch (Http2Exception.StreamException e) {
            streamError(e);
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            fail(INTERNAL_ERROR, "internal error");
            ctx.fireExceptionCaught(e);
        }
    }

    private void streamError(Http2Exception.StreamException e) {
        try {
            flood.count("errors of streams");
            streamFailed(e);
        } catch (Http2Exception flooded) {
            fail(flooded.error(), String.valueOf(flooded.getMessage()));
        }
    }

    /// A fault of one stream: it is reset, the connection goes on.
    void streamFailed(Http2Exception.StreamException e) throws Http2Exception {
        if (dead) {
            return;
        }
        resetByUs(e.streamId(), e.error());
        var stream = streams.get(e.streamId());
        if (stream != null) {
            stream.broken(Tunnel.Reset.BROKEN);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        timer().heard();
        for (int i = 0; i < touched.size(); i++) {
            touched.get(i).readComplete();
        }
        touched.clear();
        if (flushWanted && !flushQueued && !dead) {
            runFlush();
        }
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable() && !dead && !sending().run()) {
            flushSoon();
        }
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        over("the connection was closed");
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        over("the connection was given up");
        present(frameInput).close();
        output().close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        over(Failures.text(cause));
        var _ = ctx.close();
    }

    /// Ends the connection for a fault of the peer, or of ours.
    void fail(Http2Error code, String text) {
        if (dead) {
            return;
        }
        output().goAway(lastPeerStream(), code.code(), text);
        output().flush();
        over(text);
        var _ = context().close();
    }

    abstract int lastPeerStream();

    /// Ends the connection in order.
    void close() {
        fail(NO_ERROR, "");
    }

    private void over(String reason) {
        if (dead) {
            return;
        }
        dead = true;
        timer().stop();
        sending().clear();
        linkOver(reason);
        for (var stream : streams()) {
            stream.broken(Tunnel.Reset.BROKEN);
        }
        touched.clear();
    }

    // ---- SETTINGS and windows

    void peerFirstWindow(int bytes) throws Http2Exception {
        var change = bytes - peerFirstWindow;
        peerFirstWindow = bytes;
        for (var stream : streams.values()) {
            try {
                stream.growWindow(change);
            } catch (Http2Exception e) {
                throw connectionError(FLOW_CONTROL_ERROR, "a window grows too large by SETTINGS");
            }
        }
        flushSoon();
    }

    void windowUpdate(int id, int bytes) throws Http2Exception {
        if (id == 0) {
            if (!sending().grow(bytes)) {
                throw connectionError(FLOW_CONTROL_ERROR, "the window of the connection grows too large");
            }
        } else {
            var stream = streams.get(id);
            if (stream != null) {
                stream.growWindow(bytes);
            } else if (!wasOpened(id)) {
                throw connectionError(PROTOCOL_ERROR, "WINDOW_UPDATE for stream %d, which is idle", id);
            }
        }
        flushSoon();
    }
}
