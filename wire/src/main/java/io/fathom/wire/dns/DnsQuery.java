// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import java.util.Optional;
import java.util.OptionalInt;

/// A message of a client, read as far as it is understood: what is not can still be forwarded.
public final class DnsQuery {
    public static final int HEADER = 12;
    private static final int OPT = 41;
    private static final int LEAST_PAYLOAD = 512;

    private final byte[] bytes;
    private final Optional<DnsQuestion> question;
    private final int questionEnd;
    private final OptionalInt payload;

    private DnsQuery(byte[] bytes) {
        this.bytes = bytes;
        var cursor = new DnsCursor(bytes, HEADER);
        this.question = readQuestion(cursor);
        this.questionEnd = cursor.failed() ? HEADER : cursor.position();
        this.payload = question.isEmpty() ? OptionalInt.empty() : readPayload(cursor);
    }

    /// Empty for what is no request at all: nothing is to be answered then. Takes the bytes over.
    public static Optional<DnsQuery> read(byte[] bytes) {
        return bytes.length < HEADER || (bytes[2] & 0x80) != 0 ? Optional.empty() : Optional.of(new DnsQuery(bytes));
    }

    private Optional<DnsQuestion> readQuestion(DnsCursor cursor) {
        if (count(4) != 1) {
            return Optional.empty();
        }
        var name = cursor.name();
        var type = cursor.u16();
        var dnsClass = cursor.u16();
        return name == null || cursor.failed() ? Optional.empty() : Optional.of(new DnsQuestion(name, type, dnsClass));
    }

    private OptionalInt readPayload(DnsCursor cursor) {
        if (count(6) != 0 || count(8) != 0) {
            return OptionalInt.empty();
        }
        for (int i = count(10); i > 0 && !cursor.failed(); i--) {
            cursor.skipName();
            var type = cursor.u16();
            var dnsClass = cursor.u16();
            var _ = cursor.u32();
            cursor.skip(cursor.u16());
            if (type == OPT && !cursor.failed()) {
                return OptionalInt.of(Math.max(LEAST_PAYLOAD, dnsClass));
            }
        }
        return OptionalInt.empty();
    }

    private int count(int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    public byte[] bytes() {
        return bytes;
    }

    public int id() {
        return count(0);
    }

    public int opcode() {
        return bytes[2] >> 3 & 0xf;
    }

    public boolean isRecursionDesired() {
        return (bytes[2] & 1) != 0;
    }

    /// The only question, of an ordinary query in ordinary characters.
    public Optional<DnsQuestion> question() {
        return opcode() == 0 ? question : Optional.empty();
    }

    /// Where the question section ends, or the header if that is unclear.
    public int questionEnd() {
        return questionEnd;
    }

    /// The largest answer over UDP, if the client speaks EDNS.
    public OptionalInt payload() {
        return payload;
    }

    public int udpLimit() {
        return payload.orElse(LEAST_PAYLOAD);
    }
}
