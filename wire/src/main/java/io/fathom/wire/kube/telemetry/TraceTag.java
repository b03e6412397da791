// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.telemetry;

/// Where the value of a tag of a span comes from.
public sealed interface TraceTag {
    record Literal(String value) implements TraceTag {}

    /// A variable of the proxy.
    ///
    /// @param fallback may be empty
    record Environment(String name, String fallback) implements TraceTag {}

    /// A header of the request.
    ///
    /// @param fallback may be empty
    record RequestHeader(String name, String fallback) implements TraceTag {}

    /// Made from a format string.
    ///
    /// @param format with the command operators of access logs
    record Formatted(String format) implements TraceTag {}
}
