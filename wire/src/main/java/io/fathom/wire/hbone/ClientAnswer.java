// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.CANCEL;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import io.fathom.model.mesh.IpPort;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Waits for the answer to one request, and for the text of a refusal. On the event loop of its connection.
final class ClientAnswer implements TunnelListener {
    private static final int MAX_TEXT = 1024;
    private static final int OK = 200;

    /// Hears once what the answer is, on the event loop of the connection.
    interface AnswerListener {
        void accepted(Tunnel tunnel, Optional<String> baggage);

        void failed(HboneFailure failure);

        /// The peer has not looked at the request: sending it again is safe.
        void unsent(HboneFailure failure);
    }

    private final Stream stream;
    private final IpPort hop;
    private final AnswerListener outcome;
    private int status;
    private boolean told;
    private final StringBuilder text = new StringBuilder();

    /// Why the stream ended without an answer.
    @Nullable
    HboneFailure failure;

    boolean untouched;

    ClientAnswer(Stream stream, IpPort hop, AnswerListener outcome) {
        this.stream = stream;
        this.hop = hop;
        this.outcome = outcome;
    }

    boolean hasStatus() {
        return status != 0;
    }

    boolean isKnown() {
        return told;
    }

    void headers(Http2Headers headers) throws Http2Exception {
        var answered = parse(headers.status());
        if (answered < 100) {
            throw Http2Exception.streamError(stream.id(), PROTOCOL_ERROR, "a response without a status");
        }
        if (answered < OK) {
            return; // only for information
        }
        status = answered;
        if (status == OK) {
            told = true;
            outcome.accepted(stream, HeaderNames.joined(headers, HeaderNames.BAGGAGE));
        } else {
            stream.listen(this);
        }
    }

    private static int parse(@Nullable CharSequence status) {
        if (status == null || status.length() != 3) {
            return 0;
        }
        var number = 0;
        for (int i = 0; i < 3; i++) {
            number = number * 10 + Character.digit(status.charAt(i), 10);
        }
        return number;
    }

    /// The stream has ended, for whatever reason.
    void streamOver(HboneFailure linkFailure) {
        if (told) {
            return;
        }
        told = true;
        if (status != 0) {
            outcome.failed(new HboneFailure.Refused(hop, status, text.toString()));
        } else if (untouched) {
            outcome.unsent(failure == null ? linkFailure : failure);
        } else {
            outcome.failed(failure == null ? linkFailure : failure);
        }
    }

    @Override
    public void received(ByteBuf data) {
        var bytes = data.readableBytes();
        if (text.length() < MAX_TEXT) {
            var some = Math.min(bytes, MAX_TEXT - text.length());
            text.append(data.toString(data.readerIndex(), some, StandardCharsets.UTF_8));
        }
        data.release();
        stream.consumed(bytes);
    }

    @Override
    public void readComplete() {
        if (text.length() >= MAX_TEXT) {
            stream.reset(CANCEL);
        }
    }

    @Override
    public void writable() {
        // nothing is sent
    }

    @Override
    public void finished() {
        stream.reset(CANCEL);
    }

    @Override
    public void reset(Tunnel.Reset reason) {
        // streamOver has told
    }
}
