// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/// Cuts the bytes of a gRPC stream into messages, without keeping any. For one thread.
final class GrpcMessages {
    private static final int LARGEST = 200 * 1024 * 1024;
    private static final int PREFIX = 5;

    /// Takes the parts of one message after the other.
    interface Sink {
        void part(ByteBuf bytes) throws IOException;

        /// The message is complete.
        ///
        /// @param length in bytes
        void end(int length) throws IOException;
    }

    private final Sink sink;
    private long prefix;
    private int prefixRead;
    private int length;
    private int left;

    GrpcMessages(Sink sink) {
        this.sink = sink;
    }

    /// Takes all of it; the bytes stay the caller's.
    ///
    /// @throws IOException when a message is too large, compressed, or the sink does not understand it
    void feed(ByteBuf bytes) throws IOException {
        while (bytes.isReadable()) {
            if (prefixRead < PREFIX) {
                prefix = prefix << 8 | bytes.readUnsignedByte();
                prefixRead++;
                if (prefixRead == PREFIX) {
                    begin();
                }
            } else {
                var size = Math.min(left, bytes.readableBytes());
                sink.part(bytes.readSlice(size));
                left -= size;
                endIfComplete();
            }
        }
    }

    private void begin() throws IOException {
        if (prefix >>> 32 != 0) {
            throw new IOException("a compressed message, which was not asked for");
        }
        if (prefix > LARGEST) {
            throw new IOException("a message of " + prefix + " bytes, at most " + LARGEST + " are taken");
        }
        length = (int) prefix;
        left = length;
        endIfComplete();
    }

    private void endIfComplete() throws IOException {
        if (left == 0) {
            prefixRead = 0;
            prefix = 0;
            sink.end(length);
        }
    }
}
