// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/// A connection whose next request has not come as a whole yet, and what has come of it. Used by the thread that
/// accepts, until the connection is handed over to a thread of its own.
final class HttpArrival {
    private static final byte[] NOTHING = {};
    private static final int RECORD_HEAD = 5;
    private static final int HANDSHAKE = 22;

    /// How the end of what has to come first is told.
    enum Opening {
        /// An empty line.
        HEAD,
        /// The length of the first record of a TLS handshake.
        TLS_RECORD
    }

    /// What is there now.
    enum State {
        PARTIAL,
        /// As far as it matters: something malformed or too long is told to the client by whoever reads it.
        WHOLE,
        GONE
    }

    private final SocketChannel channel;
    private final HttpVisit visit;
    private byte[] bytes = NOTHING;
    private int length;
    private int headEnd;

    HttpArrival(SocketChannel channel, HttpVisit visit) {
        this.channel = channel;
        this.visit = visit;
    }

    SocketChannel channel() {
        return channel;
    }

    HttpVisit visit() {
        return visit;
    }

    /// Takes what has come, without waiting for more.
    ///
    /// @param scratch as large as a head may be
    State read(ByteBuffer scratch, Opening opening) throws IOException {
        if (channel.read(scratch.clear()) < 0) {
            return State.GONE;
        }
        var before = length;
        append(scratch.flip());
        if (before == 0 && length > 0) {
            visit.enter(HttpVisit.VisitPhase.READING, System.nanoTime());
        }
        var isWhole = switch (opening) {
            case HEAD -> hasHead(before);
            case TLS_RECORD -> hasRecord();
        };
        return isWhole || length >= HttpRequest.MOST_HEAD ? State.WHOLE : State.PARTIAL;
    }

    private void append(ByteBuffer more) {
        var needed = length + more.remaining();
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * length)); // doubled: who sends single bytes costs no more
        }
        more.get(bytes, length, more.remaining());
        length = needed;
    }

    private boolean hasHead(int before) {
        for (var i = Math.max(1, before); i < length; i++) {
            var isEmptyLine = bytes[i] == '\n'
                    && (bytes[i - 1] == '\n' || (i > 1 && bytes[i - 1] == '\r' && bytes[i - 2] == '\n'));
            if (isEmptyLine) {
                headEnd = i + 1;
                return true;
            }
        }
        return false;
    }

    private boolean hasRecord() {
        if (length > 0 && bytes[0] != HANDSHAKE) {
            return true;
        }
        return length >= RECORD_HEAD
                && length >= RECORD_HEAD + ByteBuffer.wrap(bytes).getChar(3);
    }

    /// Whether nothing follows the head, neither a body nor another request.
    boolean isHeadAlone() {
        return headEnd == length;
    }

    /// What has come, which is then forgotten.
    byte[] take() {
        var taken = Arrays.copyOf(bytes, length);
        bytes = NOTHING;
        length = 0;
        headEnd = 0;
        return taken;
    }
}
