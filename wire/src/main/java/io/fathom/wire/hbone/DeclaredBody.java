// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;

/// Reads away the body of a request that is no CONNECT, and sees whether it is as long as was declared: only then
/// is the request well-formed. On the event loop of its connection.
final class DeclaredBody implements TunnelListener {
    private final Stream stream;
    private final Runnable wellFormed;
    private long left;

    DeclaredBody(Stream stream, long length, Runnable wellFormed) {
        this.stream = stream;
        this.left = length;
        this.wellFormed = wellFormed;
    }

    @Override
    public void received(ByteBuf data) {
        var bytes = data.readableBytes();
        left -= bytes;
        data.release();
        stream.consumed(bytes);
        if (left < 0) {
            stream.reset(Http2Error.PROTOCOL_ERROR);
        }
    }

    @Override
    public void readComplete() {
        // nothing waits for it
    }

    @Override
    public void writable() {
        // nothing is written
    }

    @Override
    public void finished() {
        if (left == 0) {
            wellFormed.run();
        } else {
            stream.reset(Http2Error.PROTOCOL_ERROR);
        }
    }

    @Override
    public void reset(Tunnel.Reset reason) {
        // the request was never made
    }
}
