// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/// The answer to a call: its head, and its body as it comes. For one thread.
public final class HttpAnswer {
    private final int status;
    private final Map<String, String> headers;
    private final InputStream body;

    HttpAnswer(int status, Map<String, String> headers, InputStream body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    public int status() {
        return status;
    }

    /// The first header of that name, in lower case.
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /// Ends where the body ends. One that is cut off is an [IOException].
    public InputStream body() {
        return body;
    }

    /// The whole body.
    public String text(int limit) throws IOException {
        var bytes = body.readNBytes(limit);
        if (bytes.length == limit && body.read() >= 0) {
            throw new IOException("an answer of more than " + limit + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
