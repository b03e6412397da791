// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;

/// Puts the messages of a gRPC stream together from the pieces that come. For streams whose messages are small enough
/// to be held; for one thread.
public final class MessagePieces {
    private static final int PREFIX = 5;

    private final ByteBuf bytes = Unpooled.buffer();
    private final int largest;

    /// @param largest the most bytes that a message may have
    public MessagePieces(int largest) {
        this.largest = largest;
    }

    /// Takes what a listener was given; it belongs to us.
    public void add(List<ByteBuf> pieces) {
        bytes.discardSomeReadBytes();
        for (var piece : pieces) {
            bytes.writeBytes(piece);
            piece.release();
        }
    }

    /// The next message, if all of it is there.
    ///
    /// @throws InvalidProtocolBufferException when it is compressed, which was not agreed, or too large
    public Optional<byte[]> next() throws InvalidProtocolBufferException {
        if (bytes.readableBytes() < PREFIX) {
            return Optional.empty();
        }
        var length = bytes.getInt(bytes.readerIndex() + 1);
        if (bytes.getByte(bytes.readerIndex()) != 0 || length < 0 || length > largest) {
            throw new InvalidProtocolBufferException("a message is compressed or too large");
        }
        if (bytes.readableBytes() < PREFIX + length) {
            return Optional.empty();
        }
        bytes.skipBytes(PREFIX);
        var message = new byte[length];
        bytes.readBytes(message);
        return Optional.of(message);
    }
}
