// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_ENABLE_PUSH;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_MAX_FRAME_SIZE;
import static io.netty.handler.codec.http2.Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE;
import static io.netty.handler.codec.http2.Http2Error.CANCEL;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.REFUSED_STREAM;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.fathom.model.mesh.IpPort;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import javax.net.ssl.SSLException;

/// The client's side of an HBONE connection: opens streams, waits for their answers, and tells its owner what
/// becomes of it. On the event loop of its channel.
final class HboneClientHandler extends Http2Link {
    private static final int LAST_ID = Integer.MAX_VALUE - 2;

    /// Hears of the connection, on its event loop.
    interface ConnectionOwner {
        /// A stream that [#open] was called for is over, or never came to be.
        void streamOver();

        /// No more streams can be opened; those that are open may go on.
        void unusable(HboneFailure why);

        /// The peer takes so many streams at a time.
        void peerLimit(long streams);
    }

    private final ConnectionOwner owner;
    private final IpPort hop;
    private final ArrayDeque<Stream> unanswered = new ArrayDeque<>();
    private int nextId = 1;
    private boolean closing;
    private boolean settingsSeen;
    private HboneFailure linkFailure;

    HboneClientHandler(HboneLimits limits, IpPort hop, ConnectionOwner owner) {
        super(limits, limits.clientHeaderBytes());
        this.owner = owner;
        this.hop = hop;
        this.linkFailure = new HboneFailure.Http2Failed(hop, "the connection was closed");
    }

    @Override
    void begin(FrameOutput output) {
        output.preface();
        output.settings(
                SETTINGS_ENABLE_PUSH,
                0,
                SETTINGS_INITIAL_WINDOW_SIZE,
                limits.windows().stream(),
                SETTINGS_MAX_FRAME_SIZE,
                limits.windows().frame(),
                SETTINGS_MAX_HEADER_LIST_SIZE,
                limits.clientHeaderBytes());
    }

    /// Sends a request. The answer hears of the outcome, the owner of the end of the stream, whatever happens.
    void open(ConnectHeaders headers, ClientAnswer.AnswerListener outcome) {
        if (isDead() || closing) {
            owner.streamOver();
            outcome.unsent(linkFailure);
            return;
        }
        var stream = add(nextId);
        nextId += 2;
        var answer = new ClientAnswer(stream, hop, outcome);
        stream.attachment = answer;
        try {
            output().headers(stream.id(), HeaderNames.request(headers));
        } catch (Http2Exception e) {
            answer.failure = new HboneFailure.Http2Failed(hop, "the request has too large headers");
            stream.broken(Tunnel.Reset.BROKEN);
            return;
        }
        flushSoon();
        while (!unanswered.isEmpty() && !isWaiting(unanswered.element())) {
            var _ = unanswered.remove();
        }
        stream.replyDue = System.nanoTime() + limits.times().reply().toNanos();
        unanswered.add(stream);
        timer().atLatest(stream.replyDue);
        if (nextId >= LAST_ID) {
            retire();
        }
    }

    private static boolean isWaiting(Stream stream) {
        return stream.attachment instanceof ClientAnswer answer && !answer.isKnown();
    }

    /// Opens no more streams, and ends with the last one.
    void retire() {
        if (!closing) {
            closing = true;
            owner.unusable(linkFailure);
        }
        endIfDone();
    }

    private void endIfDone() {
        if (closing && openStreams() == 0 && !isDead()) {
            loop().execute(this::close); // what the last stream has written goes first
        }
    }

    @Override
    void headers(int id, Http2Headers headers, FrameInput.End end) throws Http2Exception {
        var stream = stream(id);
        if (stream == null) {
            if (!wasOpened(id)) {
                throw connectionError(PROTOCOL_ERROR, "HEADERS for stream %d, which is idle", id);
            }
            return; // reset by us, and the peer did not know yet
        }
        if (stream.attachment instanceof ClientAnswer answer && !answer.hasStatus()) {
            answer.headers(headers);
        } else if (end != FrameInput.End.OF_STREAM) {
            throw streamError(id, PROTOCOL_ERROR, "malformed trailers");
        }
        if (end == FrameInput.End.OF_STREAM && !stream.isOver()) {
            stream.peerFinished();
        }
    }

    @Override
    boolean wasOpened(int id) {
        return (id & 1) == 1 && id < nextId;
    }

    @Override
    int lastPeerStream() {
        return 0;
    }

    @Override
    void resetReceived(Stream stream, long code) {
        if (stream.attachment instanceof ClientAnswer answer && !answer.hasStatus()) {
            answer.failure = new HboneFailure.Http2Failed(hop, "the request was reset with code " + code);
            answer.untouched = code == REFUSED_STREAM.code();
        }
    }

    @Override
    void finishedSending(Stream stream) {
        // the peer's direction goes on
    }

    @Override
    void streamOver(Stream stream) {
        owner.streamOver();
        if (stream.attachment instanceof ClientAnswer answer) {
            answer.streamOver(linkFailure);
        }
        endIfDone();
    }

    @Override
    void goAwayReceived(int lastStream, long code, String text) {
        closing = true;
        linkFailure = new HboneFailure.Http2Failed(hop, "the peer goes away with code " + code + ": " + text);
        owner.unusable(linkFailure);
        for (var stream : streams()) {
            if (stream.id() > lastStream && stream.attachment instanceof ClientAnswer answer) {
                answer.untouched = true;
                stream.broken(Tunnel.Reset.BROKEN);
            }
        }
        endIfDone();
    }

    @Override
    void settingsReceived(long maxConcurrentStreams) {
        settingsSeen = true;
        owner.peerLimit(maxConcurrentStreams);
    }

    @Override
    long tick(long now) {
        while (!unanswered.isEmpty()) {
            var stream = unanswered.element();
            if (stream.attachment instanceof ClientAnswer answer && isWaiting(stream)) {
                if (stream.replyDue - now > 0) {
                    return stream.replyDue;
                }
                answer.failure =
                        new HboneFailure.ReplyTimeout(hop, limits.times().reply());
                stream.reset(CANCEL);
            }
            var _ = unanswered.remove();
        }
        return now + Long.MAX_VALUE / 2;
    }

    @Override
    void peerGone() {
        linkFailure = new HboneFailure.Http2Failed(hop, "no sign of life");
        fail(CANCEL, "no sign of life");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var reason = Failures.unwrapped(cause);
        // the server looks at our certificate after we have finished our part of the handshake
        linkFailure = reason instanceof SSLException && !settingsSeen
                ? new HboneFailure.TlsFailed(hop, Failures.text(cause))
                : new HboneFailure.Http2Failed(hop, Failures.text(cause));
        super.exceptionCaught(ctx, cause);
    }

    @Override
    void linkOver(String reason) {
        closing = true;
        owner.unusable(linkFailure);
    }
}
