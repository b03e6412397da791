// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/// How a body is packed for the client.
enum Coding {
    PLAIN,
    GZIP,
    DEFLATE;

    private static final int WORTH_IT = 1024;

    /// The best that we can do of what a header `Accept-Encoding` asks for. What is given the weight 0 is not wanted.
    static Coding of(String accepted) {
        var best = PLAIN;
        for (var item : accepted.toLowerCase(Locale.ROOT).split(",", -1)) {
            var parts = item.split(";", -1);
            var wanted = parts.length < 2 || !parts[1].strip().matches("q=0(\\.0*)?");
            var coding = switch (parts[0].strip()) {
                case "gzip", "x-gzip", "*" -> GZIP;
                case "deflate" -> DEFLATE;
                default -> PLAIN;
            };
            if (wanted && coding != PLAIN && best != GZIP) {
                best = coding;
            }
        }
        return best;
    }

    /// What becomes of a body: small ones are not worth it.
    Coding forSize(int bytes) {
        return bytes < WORTH_IT ? PLAIN : this;
    }

    /// The header that says so.
    String header() {
        return switch (this) {
            case PLAIN -> "";
            case GZIP -> "Content-Encoding: gzip\r\n";
            case DEFLATE -> "Content-Encoding: deflate\r\n";
        };
    }

    byte[] pack(byte[] body) {
        if (this == PLAIN) {
            return body;
        }
        var packed = new ByteArrayOutputStream(body.length / 4);
        try (OutputStream out = this == GZIP ? new GZIPOutputStream(packed) : new DeflaterOutputStream(packed)) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }
}
