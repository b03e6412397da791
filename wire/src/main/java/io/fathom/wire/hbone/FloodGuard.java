// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;

import io.netty.handler.codec.http2.Http2Exception;

/// Bounds what a peer can make us do for nothing: answer PING and SETTINGS, decide on requests that it takes back
/// at once, look at empty frames. Some hundred such frames a second are fine, for ever; thousands are an attack.
/// On the event loop of its connection.
final class FloodGuard {
    private static final int BURST = 2_000;
    private static final long NANOS_PER_TOKEN = 2_000_000; // 500 a second

    private int tokens = BURST;
    private long refilled = System.nanoTime();

    /// Counts a frame that is of little use.
    ///
    /// @throws Http2Exception for the connection, when there were too many
    void count(String what) throws Http2Exception {
        if (--tokens >= 0) {
            return;
        }
        var now = System.nanoTime();
        var earned = (now - refilled) / NANOS_PER_TOKEN;
        refilled = now;
        tokens = (int) Math.min(BURST, earned);
        if (--tokens < 0) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many frames: %s", what);
        }
    }
}
