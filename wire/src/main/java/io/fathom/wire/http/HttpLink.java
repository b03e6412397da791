// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;

/// A connection to an HTTP/1.1 server: one call at a time, on one thread. [#close()] may come from any thread and ends
/// a call that waits.
public final class HttpLink implements AutoCloseable {
    private final HeadReader in;
    private final OutputStream out;
    private final Closeable socket;
    private volatile boolean idle = true;
    private boolean last;

    /// Over streams that belong to `socket`.
    public HttpLink(InputStream in, OutputStream out, Closeable socket) {
        this.in = new HeadReader(in);
        this.out = out;
        this.socket = socket;
    }

    /// Sends a call and reads the head of its answer.
    public HttpAnswer call(HttpCall call) throws IOException {
        if (!idle) {
            throw new IllegalStateException("the last answer has not been read to its end");
        }
        idle = false;
        out.write(call.bytes());
        out.flush();
        for (; ; ) {
            var status = status(in.line());
            var headers = in.headers();
            if (status >= 200) {
                last = headers.getOrDefault("connection", "")
                        .toLowerCase(Locale.ROOT)
                        .contains("close");
                var chunked = headers.getOrDefault("transfer-encoding", "").toLowerCase(Locale.ROOT);
                var length = headers.get("content-length");
                if (call.method().equals("HEAD") || status == 204 || status == 304) {
                    return new HttpAnswer(status, headers, new HttpBody(in, HttpBody.Framing.LENGTH, 0, this::ended));
                }
                if (chunked.endsWith("chunked")) {
                    return new HttpAnswer(status, headers, new HttpBody(in, HttpBody.Framing.CHUNKS, 0, this::ended));
                }
                if (length != null) {
                    var body = new HttpBody(in, HttpBody.Framing.LENGTH, HeadReader.number(length), this::ended);
                    return new HttpAnswer(status, headers, body);
                }
                last = true;
                return new HttpAnswer(status, headers, new HttpBody(in, HttpBody.Framing.CONNECTION, 0, this::ended));
            }
        }
    }

    private void ended() {
        idle = true;
    }

    /// Whether another call may follow: the last answer was read to its end and did not announce the end.
    public boolean isReusable() {
        return idle && !last;
    }

    private static int status(String line) throws IOException {
        if (line.startsWith("HTTP/1.") && line.length() >= 12) {
            try {
                var status = Integer.parseInt(line.substring(9, 12));
                if (status >= 100) {
                    return status;
                }
            } catch (NumberFormatException e) {
                // told below
            }
        }
        throw new IOException("what answers does not speak HTTP/1.1");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is lost
        }
    }
}
