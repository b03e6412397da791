// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.protobuf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Walks over the fields of one protobuf message, in the order they were written. Fields that nobody asks for are
/// passed over. Used by one thread.
public final class ProtoReader {
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED_32 = 5;
    private static final int MOST_VARINT_BITS = 70;

    private final byte[] message;
    private int at;
    private int field;
    private long number;
    private int valueStart;
    private int valueEnd;

    /// At its start.
    ///
    /// @param message is not changed
    public ProtoReader(byte[] message) {
        this.message = message;
    }

    /// Goes to the next field.
    ///
    /// @return false at the end
    /// @throws IOException when this is no protobuf message
    public boolean next() throws IOException {
        if (at == message.length) {
            return false;
        }
        var tag = varint();
        field = (int) (tag >>> 3);
        number = 0;
        switch ((int) (tag & 7)) {
            case VARINT -> {
                valueStart = at;
                number = varint();
                valueEnd = at;
            }
            case FIXED_64 -> take(Long.BYTES);
            case FIXED_32 -> take(Integer.BYTES);
            case LENGTH_DELIMITED -> take(varint());
            default -> throw broken();
        }
        return true;
    }

    /// The number of the field that [#next] has come to.
    public int field() {
        return field;
    }

    public String text() {
        return new String(message, valueStart, valueEnd - valueStart, StandardCharsets.UTF_8);
    }

    public byte[] bytes() {
        return Arrays.copyOfRange(message, valueStart, valueEnd);
    }

    public long number() {
        return number;
    }

    private void take(long length) throws IOException {
        if (length < 0 || length > message.length - at) {
            throw broken();
        }
        valueStart = at;
        at += (int) length;
        valueEnd = at;
    }

    private long varint() throws IOException {
        var value = 0L;
        for (int shift = 0; shift < MOST_VARINT_BITS; shift += 7) {
            if (at == message.length) {
                throw broken();
            }
            var next = message[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw broken();
    }

    private static IOException broken() {
        return new IOException("this is no protobuf message");
    }
}
