// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// Reads lines and heads of bounded size from a connection, and whatever follows them. For one thread.
public final class HeadReader {
    private static final int MAX_HEAD = 64 * 1024;

    private final BufferedInputStream in;
    private final int limit;

    HeadReader(InputStream in) {
        this(in, MAX_HEAD);
    }

    /// @param limit of a head, in bytes
    public HeadReader(InputStream in, int limit) {
        this.in = new BufferedInputStream(in, 16 * 1024);
        this.limit = limit;
    }

    /// A head that cannot be read as one.
    public static final class BadHeadException extends IOException {
        private final Fault fault;

        BadHeadException(Fault fault, String message) {
            super(message);
            this.fault = fault;
        }

        public Fault fault() {
            return fault;
        }
    }

    /// What is wrong with a head.
    public enum Fault {
        TOO_LONG,
        MALFORMED
    }

    /// Blocks until something comes; false at the end of the connection.
    public boolean awaitMore() throws IOException {
        in.mark(1);
        var more = in.read() >= 0;
        in.reset();
        return more;
    }

    int read(byte[] bytes, int offset, int length) throws IOException {
        return in.read(bytes, offset, length);
    }

    int available() throws IOException {
        return in.available();
    }

    /// Without the end of the line.
    public String line() throws IOException {
        var line = new byte[256];
        for (var length = 0; length < limit; length++) {
            var next = in.read();
            if (next < 0) {
                throw new EOFException("the connection ended where an answer was due");
            }
            if (next == '\n') {
                var end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
                return new String(line, 0, end, StandardCharsets.ISO_8859_1);
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length] = (byte) next;
        }
        throw new BadHeadException(Fault.TOO_LONG, "a line of more than " + limit + " bytes");
    }

    /// Up to the empty line; names in lower case, the first of several wins.
    public Map<String, String> headers() throws IOException {
        var headers = new HashMap<String, String>();
        var size = 0;
        for (var line = line(); !line.isEmpty(); line = line()) {
            size += line.length();
            var colon = line.indexOf(':');
            if (size > limit) {
                throw new BadHeadException(Fault.TOO_LONG, "a head of more than " + limit + " bytes");
            }
            if (colon < 1) {
                throw new BadHeadException(Fault.MALFORMED, "a header without a name");
            }
            headers.putIfAbsent(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    /// What follows the head of a request: by its length, in chunks, or nothing.
    public InputStream body(Map<String, String> headers) throws IOException {
        if (headers.getOrDefault("transfer-encoding", "")
                .toLowerCase(Locale.ROOT)
                .endsWith("chunked")) {
            return new HttpBody(this, HttpBody.Framing.CHUNKS, 0, () -> {});
        }
        return new HttpBody(
                this, HttpBody.Framing.LENGTH, number(headers.getOrDefault("content-length", "0")), () -> {});
    }

    static long number(String length) throws IOException {
        try {
            var number = Long.parseLong(length);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new BadHeadException(Fault.MALFORMED, "a length that is no number");
    }
}
