// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// HTTP's chunked transfer coding. Only [#finish()] ends the body: after a failure the client must not take the part
/// for the whole.
final class ChunkedStream extends OutputStream {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final OutputStream out;
    private final byte[] chunk = new byte[16 * 1024];
    private int filled;

    ChunkedStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        if (filled == chunk.length) {
            send();
        }
        chunk[filled++] = (byte) value;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        var done = 0;
        while (done < length) {
            if (filled == chunk.length) {
                send();
            }
            var part = Math.min(length - done, chunk.length - filled);
            System.arraycopy(bytes, offset + done, chunk, filled, part);
            filled += part;
            done += part;
        }
    }

    /// Ends the body.
    void finish() throws IOException {
        send();
        out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }

    private void send() throws IOException {
        if (filled > 0) {
            out.write(Integer.toHexString(filled).getBytes(StandardCharsets.ISO_8859_1));
            out.write(LINE_END);
            out.write(chunk, 0, filled);
            out.write(LINE_END);
            filled = 0;
        }
    }
}
