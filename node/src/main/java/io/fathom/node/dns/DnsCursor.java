// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import org.jspecify.annotations.Nullable;

/// Reads through a message. Whatever lies beyond its end reads as zero, and [#failed()] tells afterwards: what
/// strangers send costs no exceptions.
final class DnsCursor {
    private static final int MOST_JUMPS = 64;
    private static final int LONGEST_NAME = 255;

    private final byte[] data;
    private int at;
    private boolean failed;

    DnsCursor(byte[] data, int at) {
        this.data = data;
        this.at = at;
    }

    boolean failed() {
        return failed;
    }

    int position() {
        return at;
    }

    int u8() {
        if (at >= data.length) {
            failed = true;
            return 0;
        }
        return data[at++] & 0xff;
    }

    int u16() {
        return u8() << 8 | u8();
    }

    long u32() {
        return (long) u16() << 16 | u16();
    }

    void skip(int bytes) {
        failed |= bytes > data.length - at;
        at = Math.min(data.length, at + bytes);
    }

    byte[] bytes(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length && !failed; i++) {
            bytes[i] = (byte) u8();
        }
        return bytes;
    }

    void skipName() {
        while (!failed) {
            var length = u8();
            if (length == 0) {
                return;
            }
            if (length >= 0xc0) {
                skip(1);
                return;
            }
            failed |= length > 63;
            skip(length);
        }
    }

    /// In lower case, without the last dot; null if it holds anything but the usual characters, since text could not
    /// tell a dot in a label from one between labels.
    @Nullable
    String name() {
        var name = new StringBuilder();
        var usual = true;
        var end = -1;
        for (int jumps = 0; jumps < MOST_JUMPS && name.length() <= LONGEST_NAME && !failed; ) {
            var length = u8();
            if (length == 0) {
                at = end < 0 ? at : end;
                return usual && !failed ? name.toString() : null;
            }
            if (length >= 0xc0) {
                var target = (length & 0x3f) << 8 | u8();
                end = end < 0 ? at : end;
                at = target;
                jumps++;
                continue;
            }
            failed |= length > 63;
            if (!name.isEmpty()) {
                name.append('.');
            }
            for (int i = 0; i < length && !failed; i++) {
                var c = u8();
                usual &= c > ' ' && c < 0x7f && c != '.' && c != '\\';
                name.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c));
            }
        }
        failed = true;
        return null;
    }
}
