// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

/// Status codes of the answers that our own servers give.
public final class HttpStatus {
    private HttpStatus() {}

    /// The words that go with a status.
    public static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 413 -> "Content Too Large";
            case 431 -> "Request Header Fields Too Large";
            case 503 -> "Service Unavailable";
            default -> "Internal Server Error";
        };
    }
}
