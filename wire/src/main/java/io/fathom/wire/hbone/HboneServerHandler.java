// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_MAX_CONCURRENT_STREAMS;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_MAX_FRAME_SIZE;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE;
import static io.netty.handler.codec.http2.Http2Error.INTERNAL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.REFUSED_STREAM;
import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.tls.TlsPeer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/// The server's side of an HBONE connection, behind TLS or, in tests, bare. Hands each well-formed request to the
/// acceptor; what is not well-formed never gets there. On the event loop of its channel.
public final class HboneServerHandler extends Http2Link {
    private static final long DRAIN = 0x6472_6169_6eL;
    private static final int PREFACE_BYTES = 24;

    private final TunnelAcceptor acceptor;
    private final TlsPeer tls;
    private final ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    private int prefaceRead;
    private int lastStream;
    private Ending ending = Ending.NOT_YET;
    private long drainDue;
    private IpPort peer = Addresses.NONE;

    private IpPort local = Addresses.NONE;

    private enum Ending {
        NOT_YET,
        /// The peer has been told, and may not know it yet.
        ANNOUNCED,
        /// No new streams; over with the last one.
        FINAL
    }

    public HboneServerHandler(TunnelAcceptor acceptor, TlsPeer tls, HboneLimits limits) {
        super(limits, limits.serverHeaderBytes());
        this.acceptor = acceptor;
        this.tls = tls;
    }

    @Override
    void begin(FrameOutput output) {
        peer = Addresses.of(context().channel().remoteAddress());
        local = Addresses.of(context().channel().localAddress());
        output.settings(
                SETTINGS_MAX_CONCURRENT_STREAMS,
                limits.acceptedStreams(),
                SETTINGS_INITIAL_WINDOW_SIZE,
                limits.windows().stream(),
                SETTINGS_MAX_FRAME_SIZE,
                limits.windows().frame(),
                SETTINGS_MAX_HEADER_LIST_SIZE,
                limits.serverHeaderBytes());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (prefaceRead < PREFACE_BYTES && !isPreface((ByteBuf) message)) {
            ((ByteBuf) message).release();
            fail(PROTOCOL_ERROR, "this is not HTTP/2");
            return;
        }
        super.channelRead(ctx, message);
    }

    private boolean isPreface(ByteBuf in) {
        while (prefaceRead < PREFACE_BYTES && in.isReadable()) {
            if (in.readByte() != preface.getByte(prefaceRead++)) {
                return false;
            }
        }
        return true;
    }

    @Override
    void headers(int id, Http2Headers headers, FrameInput.End end) throws Http2Exception {
        var known = stream(id);
        if (known != null) {
            trailers(known, headers, end);
            return;
        }
        if ((id & 1) == 0) {
            throw connectionError(PROTOCOL_ERROR, "a client's streams have odd numbers, not %d", id);
        }
        if (id <= lastStream) {
            throw connectionError(STREAM_CLOSED, "HEADERS for stream %d, which is over", id);
        }
        if (ending == Ending.FINAL) {
            throw streamError(id, REFUSED_STREAM, "no streams after GOAWAY");
        }
        lastStream = id;
        if (openStreams() >= limits.acceptedStreams()) {
            throw streamError(id, REFUSED_STREAM, "more than %d streams", limits.acceptedStreams());
        }
        var method = headers.method();
        if (method == null || !isComplete(headers)) {
            throw streamError(id, PROTOCOL_ERROR, "malformed request");
        }
        var length = declaredLength(id, headers, end);
        var stream = add(id);
        var reply = new ServerReply(this, stream);
        stream.attachment = reply;
        if (end == FrameInput.End.OF_STREAM) {
            stream.peerFinished();
        }
        var request = new TunnelRequest(method.toString(), HeaderNames.read(headers), tls, peer, local, loop());
        if (length > 0) {
            stream.listen(new DeclaredBody(stream, length, () -> ask(request, reply, stream)));
        } else {
            ask(request, reply, stream);
        }
    }

    private void ask(TunnelRequest request, Reply reply, Stream stream) {
        try {
            acceptor.requested(request, reply);
        } catch (RuntimeException e) { // a bug, which costs this stream and not the others
            stream.reset(INTERNAL_ERROR);
            context().fireExceptionCaught(e);
        }
    }

    /// Zero if none was declared: CONNECT has no body, whatever it says.
    private static long declaredLength(int id, Http2Headers headers, FrameInput.End end) throws Http2Exception {
        var declared = headers.get(HeaderNames.CONTENT_LENGTH);
        if (declared == null || HeaderNames.CONNECT.contentEquals(headers.method())) {
            return 0;
        }
        try {
            var length = Long.parseLong(declared, 0, declared.length(), 10);
            if (length < 0 || (length > 0 && end == FrameInput.End.OF_STREAM)) {
                throw streamError(id, PROTOCOL_ERROR, "the body is shorter than declared");
            }
            return length;
        } catch (NumberFormatException e) {
            throw streamError(id, PROTOCOL_ERROR, "the length of the body is no number");
        }
    }

    private static boolean isComplete(Http2Headers headers) {
        if (HeaderNames.CONNECT.contentEquals(headers.method())) {
            return headers.authority() != null && headers.scheme() == null && headers.path() == null;
        }
        var path = headers.path();
        return headers.scheme() != null && path != null && !path.isEmpty();
    }

    private static void trailers(Stream stream, Http2Headers headers, FrameInput.End end) throws Http2Exception {
        if (stream.peerHasFinished()) {
            throw streamError(stream.id(), STREAM_CLOSED, "HEADERS after the end of the stream");
        }
        if (end != FrameInput.End.OF_STREAM || hasPseudoHeader(headers)) {
            throw streamError(stream.id(), PROTOCOL_ERROR, "malformed trailers");
        }
        stream.peerFinished();
    }

    private static boolean hasPseudoHeader(Http2Headers headers) {
        for (var name : headers.names()) {
            if (name.length() > 0 && name.charAt(0) == ':') {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean wasOpened(int id) {
        return (id & 1) == 1 && id <= lastStream;
    }

    @Override
    int lastPeerStream() {
        return lastStream;
    }

    @Override
    void resetReceived(Stream stream, long code) throws Http2Exception {
        if (stream.attachment instanceof ServerReply reply && !reply.isGiven()) {
            flood().count("requests taken back");
        }
    }

    @Override
    void finishedSending(Stream stream) {
        if (stream.attachment instanceof ServerReply reply && reply.isRefusal()) {
            stream.reset(NO_ERROR); // all is said; the peer need not send the rest
        }
    }

    @Override
    void streamOver(Stream stream) {
        if (stream.attachment instanceof ServerReply reply && !reply.isGiven()) {
            stream.releaseEarly();
        }
        endIfDone();
    }

    private void endIfDone() {
        if (ending == Ending.FINAL && openStreams() == 0 && !isDead()) {
            loop().execute(this::close); // what the last stream has written goes first
        }
    }

    /// Who is there.
    TlsPeer peer() {
        return tls;
    }

    /// Tells the peer to open its next streams elsewhere. Those it has opened meanwhile are still served; the
    /// connection ends with the last of them.
    void drain() {
        if (isDead() || ending != Ending.NOT_YET) {
            return;
        }
        ending = Ending.ANNOUNCED;
        output().goAway(Integer.MAX_VALUE, NO_ERROR.code(), "draining");
        output().ping(DRAIN);
        flushSoon();
        drainDue = System.nanoTime() + limits.times().quiet().toNanos();
        timer().atLatest(drainDue);
    }

    @Override
    void pingAnswered(long payload) {
        if (payload == DRAIN && ending == Ending.ANNOUNCED) {
            finalGoAway();
        }
    }

    private void finalGoAway() {
        ending = Ending.FINAL;
        output().goAway(lastStream, NO_ERROR.code(), "draining");
        flushSoon();
        endIfDone();
    }

    @Override
    long tick(long now) {
        if (ending == Ending.ANNOUNCED) {
            if (now - drainDue >= 0) {
                finalGoAway();
            } else {
                return drainDue;
            }
        }
        return now + Long.MAX_VALUE / 2;
    }

    @Override
    void goAwayReceived(int last, long code, String text) {
        ending = Ending.FINAL;
        endIfDone();
    }

    @Override
    void settingsReceived(long maxConcurrentStreams) {
        // we open none
    }

    @Override
    void peerGone() {
        fail(NO_ERROR, "no sign of life");
    }

    @Override
    void linkOver(String reason) {
        // the streams tell their listeners
    }
}
