// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.util.Map;

/// What happens on a connection, as far as calls are concerned.
sealed interface Incoming {
    /// Headers, or trailers when the stream ends with them.
    record Headers(int stream, Map<String, String> headers, Rest rest) implements Incoming {}

    @SuppressWarnings("ArrayRecordComponent") // handed on at once
    record Data(int stream, byte[] bytes, Rest rest) implements Incoming {}

    record Reset(int stream, int code) implements Incoming {}

    /// No new streams; those with larger numbers were not looked at.
    record GoAway(int lastStream, int code) implements Incoming {}

    /// Whether more comes on the stream.
    enum Rest {
        FOLLOWS,
        NOTHING
    }
}
