// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

/// Why a stream is closed, in words for the client's log. No bug of ours, so it carries no stack trace.
final class StreamRejection extends RuntimeException {
    /// The gRPC status the client gets.
    enum Code {
        INVALID_ARGUMENT,
        PERMISSION_DENIED,
        UNAUTHENTICATED,
        RESOURCE_EXHAUSTED,
        UNAVAILABLE
    }

    private final Code code;

    private StreamRejection(Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    static StreamRejection invalid(String message) {
        return new StreamRejection(Code.INVALID_ARGUMENT, message);
    }

    static StreamRejection denied(String message) {
        return new StreamRejection(Code.PERMISSION_DENIED, message);
    }

    static StreamRejection unauthenticated(String message) {
        return new StreamRejection(Code.UNAUTHENTICATED, message);
    }

    static StreamRejection exhausted(String message) {
        return new StreamRejection(Code.RESOURCE_EXHAUSTED, message);
    }

    static StreamRejection unavailable(String message) {
        return new StreamRejection(Code.UNAVAILABLE, message);
    }

    Code code() {
        return code;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
