// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/// The body of an answer: of a known length, in chunks, or up to the end of the connection. For one thread.
final class HttpBody extends InputStream {
    /// How the end of the body is told.
    enum Framing {
        LENGTH,
        CHUNKS,
        CONNECTION
    }

    private static final int CHUNK_END = 2;

    private final HeadReader source;
    private final Framing framing;
    private final Runnable atEnd;
    private long left;
    private boolean begun;
    private boolean ended;

    /// A body of `length` bytes, which only [Framing#LENGTH] looks at.
    HttpBody(HeadReader source, Framing framing, long length, Runnable atEnd) {
        this.source = source;
        this.framing = framing;
        this.atEnd = atEnd;
        this.left = framing == Framing.CONNECTION ? Long.MAX_VALUE : framing == Framing.LENGTH ? length : 0;
        if (framing == Framing.LENGTH && length == 0) {
            end();
        }
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!ended && left == 0) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        var count = source.read(bytes, offset, (int) Math.min(length, left));
        if (count < 0) {
            if (framing != Framing.CONNECTION) {
                throw new EOFException("the connection ended in the middle of an answer");
            }
            end();
            return -1;
        }
        left -= framing == Framing.CONNECTION ? 0 : count;
        if (framing == Framing.LENGTH && left == 0) {
            end();
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        if (ended) {
            return 0;
        }
        // Between two chunks there is no telling how much comes, only that something does.
        return framing == Framing.CHUNKS && left == 0
                ? (source.available() > CHUNK_END ? 1 : 0)
                : (int) Math.min(left, source.available());
    }

    private void nextChunk() throws IOException {
        if (begun && !source.line().isEmpty()) {
            throw new IOException("a chunk is longer than it says");
        }
        begun = true;
        var size = source.line();
        var end = size.indexOf(';');
        left = number((end < 0 ? size : size.substring(0, end)).strip());
        if (left == 0) {
            while (!source.line().isEmpty()) {
                // trailers, which nobody needs
            }
            end();
        }
    }

    private static long number(String text) throws IOException {
        try {
            var size = Long.parseLong(text, 16);
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IOException("a chunk without a size");
    }

    private void end() {
        ended = true;
        atEnd.run();
    }
}
