// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.IOException;
import java.util.List;

/// The server answered a call, but not with what was asked for.
public final class GrpcRefusal extends IOException {
    /// The names of all codes, in the order of their numbers.
    public static final List<String> NAMES = List.of(
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");

    private final String code;

    GrpcRefusal(String status, String message) {
        super(message);
        this.code = name(status);
    }

    /// The name of the gRPC status, such as `UNAUTHENTICATED`.
    public String code() {
        return code;
    }

    private static String name(String status) {
        try {
            var number = Integer.parseInt(status);
            return number >= 0 && number < NAMES.size() ? NAMES.get(number) : "UNKNOWN";
        } catch (NumberFormatException _) {
            return "UNKNOWN";
        }
    }
}
