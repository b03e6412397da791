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
final class HeadReader {
    private static final int MAX_HEAD = 64 * 1024;

    private final BufferedInputStream in;

    HeadReader(InputStream in) {
        this.in = new BufferedInputStream(in, 16 * 1024);
    }

    int read(byte[] bytes, int offset, int length) throws IOException {
        return in.read(bytes, offset, length);
    }

    int available() throws IOException {
        return in.available();
    }

    /// Without the end of the line.
    String line() throws IOException {
        var line = new byte[256];
        for (var length = 0; length < MAX_HEAD; length++) {
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
        throw new IOException("a line of more than " + MAX_HEAD + " bytes");
    }

    /// Up to the empty line; names in lower case, the first of several wins.
    Map<String, String> headers() throws IOException {
        var headers = new HashMap<String, String>();
        var size = 0;
        for (var line = line(); !line.isEmpty(); line = line()) {
            size += line.length();
            var colon = line.indexOf(':');
            if (colon < 1 || size > MAX_HEAD) {
                throw new IOException("an answer with a head that makes no sense");
            }
            headers.putIfAbsent(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }
}
