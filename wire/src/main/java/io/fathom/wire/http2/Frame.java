// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/// One frame.
///
/// @param payload belongs to the frame; not to be changed
@SuppressWarnings("ArrayRecordComponent") // read once and thrown away
record Frame(int type, int flags, int stream, byte[] payload) {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RESET = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 0x1;
    static final int ACK = 0x1;
    static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;
    private static final int PRIORITY_BYTES = 5;

    /// Larger ones must not be sent to us, as we never allow it.
    static final int MOST_BYTES = 16_384;

    static final byte[] NOTHING = {};

    /// Waits for the next one.
    static Frame read(DataInputStream in) throws IOException {
        var length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        var type = in.readUnsignedByte();
        var flags = in.readUnsignedByte();
        var stream = in.readInt() & 0x7fff_ffff;
        if (length > MOST_BYTES) {
            throw new IOException("a frame of " + length + " bytes");
        }
        var payload = new byte[length];
        in.readFully(payload);
        return new Frame(type, flags, stream, payload);
    }

    void write(OutputStream out) throws IOException {
        var head = new byte[] {
            (byte) (payload.length >>> 16),
            (byte) (payload.length >>> 8),
            (byte) payload.length,
            (byte) type,
            (byte) flags,
            (byte) (stream >>> 24),
            (byte) (stream >>> 16),
            (byte) (stream >>> 8),
            (byte) stream
        };
        out.write(head);
        out.write(payload);
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /// The payload of a DATA or HEADERS frame without padding and priority.
    byte[] content() throws IOException {
        var start = 0;
        var end = payload.length;
        if (has(PADDED)) {
            start = 1;
            end -= payload.length > 0 ? payload[0] & 0xff : 1;
        }
        if (type == HEADERS && has(PRIORITY)) {
            start += PRIORITY_BYTES;
        }
        if (start > end) {
            throw new IOException("a frame with more padding than content");
        }
        return start == 0 && end == payload.length ? payload : Arrays.copyOfRange(payload, start, end);
    }

    /// The number in a WINDOW_UPDATE frame.
    int increment() throws IOException {
        if (payload.length != Integer.BYTES) {
            throw new IOException("a window update without a number");
        }
        return ((payload[0] & 0x7f) << 24)
                | ((payload[1] & 0xff) << 16)
                | ((payload[2] & 0xff) << 8)
                | (payload[3] & 0xff);
    }

    static Frame windowUpdate(int stream, int bytes) {
        return new Frame(WINDOW_UPDATE, 0, stream, number(bytes));
    }

    static byte[] number(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }
}
