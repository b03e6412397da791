// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;

/// Writes DER from the end towards the start, so that a length is known when it is written. What comes first in the
/// encoding is therefore written last. For one thread.
final class DerWriter {
    static final int INTEGER = 0x02;
    static final int BIT_STRING = 0x03;
    static final int OCTET_STRING = 0x04;
    static final int UTF8_STRING = 0x0c;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private byte[] buffer;
    private int start;

    DerWriter(int capacity) {
        buffer = new byte[capacity];
        start = capacity;
    }

    /// What a certificate and a request look like from outside: a body, how it is signed, and the signature.
    static byte[] signed(byte[] body, byte[] algorithm, byte[] signature) {
        var der = new DerWriter(body.length + signature.length + 32);
        der.raw(signature);
        der.raw((byte) 0); // no unused bits
        der.enclose(BIT_STRING, 0);
        der.raw(algorithm);
        der.raw(body);
        der.enclose(SEQUENCE, 0);
        return der.toByteArray();
    }

    /// The number of bytes written so far: pass it to [#enclose] to wrap what is written from here on.
    int mark() {
        return buffer.length - start;
    }

    void raw(byte... encoded) {
        reserve(encoded.length);
        start -= encoded.length;
        System.arraycopy(encoded, 0, buffer, start, encoded.length);
    }

    void value(int tag, byte[] content) {
        var mark = mark();
        raw(content);
        enclose(tag, mark);
    }

    void text(int tag, String content) {
        value(tag, content.getBytes(StandardCharsets.UTF_8));
    }

    /// Puts tag and length before everything written since `mark`.
    void enclose(int tag, int mark) {
        var length = mark() - mark;
        reserve(6);
        if (length < 0x80) {
            buffer[--start] = (byte) length;
        } else {
            var bytes = 0;
            for (var rest = length; rest > 0; rest >>>= 8) {
                buffer[--start] = (byte) rest;
                bytes++;
            }
            buffer[--start] = (byte) (0x80 | bytes);
        }
        buffer[--start] = (byte) tag;
    }

    /// UTCTime up to 2049, GeneralizedTime after it, as RFC 5280 has it.
    void time(Instant time) {
        var utc = LocalDateTime.ofEpochSecond(time.getEpochSecond(), 0, ZoneOffset.UTC);
        var mark = mark();
        raw((byte) 'Z');
        digits(utc.getSecond());
        digits(utc.getMinute());
        digits(utc.getHour());
        digits(utc.getDayOfMonth());
        digits(utc.getMonthValue());
        digits(utc.getYear() % 100);
        if (utc.getYear() < 2050) {
            enclose(0x17, mark);
        } else {
            digits(utc.getYear() / 100);
            enclose(0x18, mark);
        }
    }

    private void digits(int twoDigits) {
        reserve(2);
        buffer[--start] = (byte) ('0' + twoDigits % 10);
        buffer[--start] = (byte) ('0' + twoDigits / 10);
    }

    byte[] toByteArray() {
        return Arrays.copyOfRange(buffer, start, buffer.length);
    }

    private void reserve(int bytes) {
        if (start < bytes) {
            var grown = new byte[buffer.length * 2 + bytes];
            var length = mark();
            System.arraycopy(buffer, start, grown, grown.length - length, length);
            buffer = grown;
            start = grown.length - length;
        }
    }
}
