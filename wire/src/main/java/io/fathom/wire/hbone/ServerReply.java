// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.Optional;

/// The answer to one request. On the event loop of its connection.
final class ServerReply implements Reply {
    private final Http2Link link;
    private final Stream stream;
    private State state = State.OPEN;

    private enum State {
        OPEN,
        ACCEPTED,
        REFUSED
    }

    ServerReply(Http2Link link, Stream stream) {
        this.link = link;
        this.stream = stream;
    }

    boolean isGiven() {
        return state != State.OPEN;
    }

    boolean isRefusal() {
        return state == State.REFUSED;
    }

    @Override
    public Tunnel accept(Optional<String> baggage) {
        give(State.ACCEPTED);
        if (isWanted()) {
            send(HeaderNames.OK, baggage);
        }
        return stream;
    }

    @Override
    public void refuse(int status, String text) {
        give(State.REFUSED);
        if (isWanted()) {
            send(String.valueOf(status), Optional.empty());
            stream.write(ByteBufUtil.writeUtf8(link.context().alloc(), text));
            stream.finish();
        }
    }

    private void give(State answer) {
        if (state != State.OPEN) {
            throw new IllegalStateException("answered already");
        }
        state = answer;
    }

    private void send(CharSequence status, Optional<String> baggage) {
        try {
            link.output().headers(stream.id(), HeaderNames.response(status, baggage));
            link.flushSoon();
        } catch (Http2Exception e) {
            stream.reset(Http2Error.INTERNAL_ERROR);
        }
    }

    @Override
    public boolean isWanted() {
        return !stream.isOver();
    }
}
