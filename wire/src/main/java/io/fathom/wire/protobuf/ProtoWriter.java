// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.protobuf;

import io.fathom.model.mesh.Ip;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Writes a protobuf message from its end to its start, so that a nested message is complete, and its length known,
/// before its header is due: no size pass, no intermediate objects, one copy at the end.
///
/// The caller writes fields in descending order (and the elements of a list last to first); the result reads in
/// ascending order, as canonical encoders write it. Used by one thread.
public final class ProtoWriter {
    private static final int LENGTH_DELIMITED = 2;

    private byte[] buffer = new byte[512];
    private int start = buffer.length;

    /// How much is written so far; hand it to [#close] to wrap what comes after it.
    public int mark() {
        return buffer.length - start;
    }

    /// Makes everything written since `mark` a nested message.
    public void close(int field, int mark) {
        writeVarint(mark() - mark);
        writeVarint((long) field << 3 | LENGTH_DELIMITED);
    }

    /// Leaves out the empty text, which is the default.
    public void text(int field, String value) {
        if (!value.isEmpty()) {
            element(field, value);
        }
    }

    /// Writes also the empty text: for lists, map keys and alternatives.
    public void element(int field, String value) {
        var mark = mark();
        var length = value.length();
        reserve(length);
        for (int i = length - 1, at = start - 1; i >= 0; i--, at--) {
            var character = value.charAt(i);
            if (character >= 0x80) {
                var bytes = value.getBytes(StandardCharsets.UTF_8);
                reserve(bytes.length);
                start -= bytes.length;
                System.arraycopy(bytes, 0, buffer, start, bytes.length);
                close(field, mark);
                return;
            }
            buffer[at] = (byte) character;
        }
        start -= length;
        close(field, mark);
    }

    /// Leaves out nothing: for messages made elsewhere and for alternatives.
    public void bytes(int field, byte[] value) {
        var mark = mark();
        reserve(value.length);
        start -= value.length;
        System.arraycopy(value, 0, buffer, start, value.length);
        close(field, mark);
    }

    public void texts(int field, List<String> values) {
        for (int i = values.size() - 1; i >= 0; i--) {
            element(field, values.get(i));
        }
    }

    public void ip(int field, Ip ip) {
        var mark = mark();
        var octets = ip.family().bits() / 8;
        reserve(octets);
        for (int i = 0; i < octets; i++) {
            buffer[--start] = (byte) (i < 8 ? ip.low() >>> (8 * i) : ip.high() >>> (8 * (i - 8)));
        }
        close(field, mark);
    }

    /// Leaves out zero, which is the default.
    public void number(int field, int value) {
        if (value != 0) {
            present(field, value);
        }
    }

    /// Writes also zero.
    public void present(int field, int value) {
        writeVarint(Integer.toUnsignedLong(value));
        writeVarint((long) field << 3);
    }

    @SuppressWarnings("EnumOrdinal") // the model's enums stand in the order of the wire's numbers, and a test says so
    public void choice(int field, Enum<?> value) {
        number(field, value.ordinal());
    }

    /// A packed list.
    public void numbers(int field, List<Integer> values) {
        if (values.isEmpty()) {
            return;
        }
        var mark = mark();
        for (int i = values.size() - 1; i >= 0; i--) {
            writeVarint(Integer.toUnsignedLong(values.get(i)));
        }
        close(field, mark);
    }

    /// A packed list.
    @SuppressWarnings("EnumOrdinal") // as above
    public void choices(int field, List<? extends Enum<?>> values) {
        if (values.isEmpty()) {
            return;
        }
        var mark = mark();
        for (int i = values.size() - 1; i >= 0; i--) {
            writeVarint(values.get(i).ordinal());
        }
        close(field, mark);
    }

    public byte[] bytes() {
        return Arrays.copyOfRange(buffer, start, buffer.length);
    }

    private void writeVarint(long value) {
        var size = 1;
        for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        reserve(size);
        start -= size;
        for (int i = 0; i < size; i++) {
            var more = i < size - 1 ? 0x80 : 0;
            buffer[start + i] = (byte) ((value >>> (7 * i) & 0x7f) | more);
        }
    }

    private void reserve(int bytes) {
        if (bytes <= start) {
            return;
        }
        var written = mark();
        var larger = new byte[Math.max(buffer.length * 2, written + bytes)];
        System.arraycopy(buffer, start, larger, larger.length - written, written);
        start = larger.length - written;
        buffer = larger;
    }
}
