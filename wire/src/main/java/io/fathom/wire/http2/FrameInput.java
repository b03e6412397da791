// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/// What the other side of a connection sends. Deals itself with all that is not about calls: settings, pings, windows.
/// For one thread.
final class FrameInput {
    private static final int MOST_HEADER_BYTES = 64 * 1024;

    private final DataInputStream in;
    private final SendWindow out;
    private final HeaderDecoder decoder = new HeaderDecoder();

    FrameInput(InputStream in, SendWindow out) {
        this.in = new DataInputStream(new BufferedInputStream(in, 8192));
        this.out = out;
    }

    byte[] bytes(int count) throws IOException {
        var bytes = new byte[count];
        in.readFully(bytes);
        return bytes;
    }

    /// Waits for the next thing that somebody has to know.
    ///
    /// @throws IOException at the end of the connection, and when it cannot be used any more
    Incoming next() throws IOException {
        for (; ; ) {
            var frame = Frame.read(in);
            switch (frame.type()) {
                case Frame.HEADERS -> {
                    return new Incoming.Headers(frame.stream(), headers(frame), rest(frame));
                }
                case Frame.DATA -> {
                    return data(frame);
                }
                case Frame.RESET -> {
                    return new Incoming.Reset(frame.stream(), number(frame, 0));
                }
                case Frame.GOAWAY -> {
                    return new Incoming.GoAway(number(frame, 0), number(frame, Integer.BYTES));
                }
                case Frame.SETTINGS -> {
                    if (!frame.has(Frame.ACK)) {
                        out.settings(frame);
                    }
                }
                case Frame.PING -> {
                    if (!frame.has(Frame.ACK)) {
                        out.write(new Frame(Frame.PING, Frame.ACK, 0, frame.payload()));
                    }
                }
                case Frame.WINDOW_UPDATE -> out.widen(frame);
                case Frame.CONTINUATION -> throw new IOException("a continuation of nothing");
                default -> {} // of an extension that we do not know
            }
        }
    }

    private Incoming data(Frame frame) throws IOException {
        var length = frame.payload().length;
        if (length > 0) { // all of it is dealt with at once: the other side may go on
            out.write(Frame.windowUpdate(0, length));
            if (!frame.has(Frame.END_STREAM)) {
                out.write(Frame.windowUpdate(frame.stream(), length));
            }
        }
        return new Incoming.Data(frame.stream(), frame.content(), rest(frame));
    }

    private Map<String, String> headers(Frame first) throws IOException {
        var block = new ByteArrayOutputStream();
        block.writeBytes(first.content());
        for (var frame = first; !frame.has(Frame.END_HEADERS); ) {
            frame = Frame.read(in);
            if (frame.type() != Frame.CONTINUATION || frame.stream() != first.stream()) {
                throw new IOException("headers that do not go on");
            }
            block.writeBytes(frame.payload());
            if (block.size() > MOST_HEADER_BYTES) {
                throw new IOException("headers of more than " + MOST_HEADER_BYTES + " bytes");
            }
        }
        return decoder.decode(block.toByteArray());
    }

    private static Incoming.Rest rest(Frame frame) {
        return frame.has(Frame.END_STREAM) ? Incoming.Rest.NOTHING : Incoming.Rest.FOLLOWS;
    }

    private static int number(Frame frame, int at) throws IOException {
        var bytes = frame.payload();
        if (bytes.length < at + Integer.BYTES) {
            throw new IOException("a frame that is cut off");
        }
        return (bytes[at] & 0x7f) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }
}
