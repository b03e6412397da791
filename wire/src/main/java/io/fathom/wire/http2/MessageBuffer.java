// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/// Puts gRPC messages together from the pieces that frames hold. For one thread.
final class MessageBuffer {
    static final int PREFIX = 5;
    private static final int MOST_BYTES = 4 << 20;

    private byte[] bytes = Frame.NOTHING;

    void add(byte[] piece) throws IOException {
        if (bytes.length + piece.length > MOST_BYTES + PREFIX) {
            throw new IOException("a message of more than " + MOST_BYTES + " bytes");
        }
        var start = bytes.length;
        bytes = Arrays.copyOf(bytes, start + piece.length);
        System.arraycopy(piece, 0, bytes, start, piece.length);
    }

    /// The next message that is complete.
    Optional<byte[]> take() throws IOException {
        if (bytes.length < PREFIX) {
            return Optional.empty();
        }
        if (bytes[0] != 0) {
            throw new IOException("a compressed message, which was not agreed");
        }
        var length = (bytes[1] & 0xff) << 24 | (bytes[2] & 0xff) << 16 | (bytes[3] & 0xff) << 8 | (bytes[4] & 0xff);
        if (length < 0 || length > MOST_BYTES) {
            throw new IOException("a message of more than " + MOST_BYTES + " bytes");
        }
        if (bytes.length - PREFIX < length) {
            return Optional.empty();
        }
        var message = Arrays.copyOfRange(bytes, PREFIX, PREFIX + length);
        bytes = Arrays.copyOfRange(bytes, PREFIX + length, bytes.length);
        return Optional.of(message);
    }

    /// A message with gRPC's prefix.
    static byte[] framed(byte[] message) {
        var framed = new byte[PREFIX + message.length];
        System.arraycopy(Frame.number(message.length), 0, framed, 1, Integer.BYTES);
        System.arraycopy(message, 0, framed, PREFIX, message.length);
        return framed;
    }
}
