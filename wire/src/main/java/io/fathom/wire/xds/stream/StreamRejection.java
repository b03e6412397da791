// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

/// Why a stream is closed, in words for the client's log. No bug of ours, so it carries no stack trace.
public final class StreamRejection extends RuntimeException {
    /// The gRPC status the client gets.
    public enum Code {
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

    public static StreamRejection invalid(String message) {
        return new StreamRejection(Code.INVALID_ARGUMENT, message);
    }

    public static StreamRejection denied(String message) {
        return new StreamRejection(Code.PERMISSION_DENIED, message);
    }

    public static StreamRejection unauthenticated(String message) {
        return new StreamRejection(Code.UNAUTHENTICATED, message);
    }

    public static StreamRejection exhausted(String message) {
        return new StreamRejection(Code.RESOURCE_EXHAUSTED, message);
    }

    public static StreamRejection unavailable(String message) {
        return new StreamRejection(Code.UNAVAILABLE, message);
    }

    public Code code() {
        return code;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
