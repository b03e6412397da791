// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Writes answers. Used once each, by one thread.
public final class DnsReply {
    public static final int SERVFAIL = 2;
    public static final int NXDOMAIN = 3;

    private static final int OPT_LENGTH = 11;
    private static final int AT_QUESTION = 0xc000 | DnsQuery.HEADER;

    private final int seconds;
    private byte[] out = new byte[512];
    private int at;

    private DnsReply(int seconds) {
        this.seconds = seconds;
    }

    /// With authority. What does not fit into `limit` bytes is left out, and the client told so.
    ///
    /// @param records the owner of each is the name in question, or the target of the last alias before it
    /// @param seconds how long clients may keep them
    public static byte[] answer(DnsQuery query, List<DnsRecord> records, int seconds, int limit) {
        return new DnsReply(seconds).write(query, records, limit);
    }

    /// With authority: there is no such name.
    public static byte[] noSuchName(DnsQuery query) {
        var reply = new DnsReply(0);
        reply.begin(query, 0x84 | rd(query), 0x80 | NXDOMAIN);
        return reply.end(query, 0);
    }

    /// Without any records.
    public static byte[] failure(DnsQuery query, int code) {
        var reply = new DnsReply(0);
        reply.begin(query, 0x80 | query.opcode() << 3 | rd(query), 0x80 | code);
        return reply.end(query, 0);
    }

    private static int rd(DnsQuery query) {
        return query.isRecursionDesired() ? 1 : 0;
    }

    private byte[] write(DnsQuery query, List<DnsRecord> records, int limit) {
        begin(query, 0x84 | rd(query), 0x80);
        var room = limit - (query.payload().isPresent() ? OPT_LENGTH : 0);
        var target = -1;
        var count = 0;
        for (var entry : records) {
            var start = at;
            var owner =
                    entry.owner().equals(query.question().map(DnsQuestion::name).orElse("")) ? AT_QUESTION : target;
            switch (entry) {
                case DnsRecord.Alias alias -> {
                    begin(owner, 5);
                    var length = at;
                    u16(0);
                    target = 0xc000 | at;
                    name(alias.target());
                    set(length, at - length - 2);
                }
                case DnsRecord.Host host -> {
                    var ip = host.ip().bytes();
                    begin(owner, ip.length == 4 ? DnsQuestion.A : DnsQuestion.AAAA);
                    u16(ip.length);
                    bytes(ip, 0, ip.length);
                }
            }
            if (at > room) {
                at = start;
                out[2] |= 0x02; // truncated
                break;
            }
            count++;
        }
        return end(query, count);
    }

    private void begin(DnsQuery query, int firstFlags, int secondFlags) {
        u16(query.id());
        u8(firstFlags);
        u8(secondFlags);
        var hasQuestion = query.questionEnd() > DnsQuery.HEADER;
        u16(hasQuestion ? 1 : 0);
        u16(0);
        u16(0);
        u16(0);
        bytes(query.bytes(), DnsQuery.HEADER, query.questionEnd() - DnsQuery.HEADER);
    }

    private void begin(int owner, int type) {
        u16(owner);
        u16(type);
        u16(DnsQuestion.INTERNET);
        u16(0);
        u16(seconds);
    }

    private byte[] end(DnsQuery query, int answers) {
        set(6, answers);
        query.payload().ifPresent(payload -> {
            set(10, 1);
            u8(0);
            u16(41);
            u16(payload);
            u16(0);
            u16(0);
            u16(0);
        });
        return Arrays.copyOf(out, at);
    }

    private void name(String name) {
        for (var label : name.split("\\.", -1)) {
            var bytes = label.getBytes(StandardCharsets.ISO_8859_1);
            u8(bytes.length);
            bytes(bytes, 0, bytes.length);
        }
        u8(0);
    }

    private void u8(int value) {
        bytes(new byte[] {(byte) value}, 0, 1);
    }

    private void u16(int value) {
        bytes(new byte[] {(byte) (value >> 8), (byte) value}, 0, 2);
    }

    private void set(int position, int value) {
        out[position] = (byte) (value >> 8);
        out[position + 1] = (byte) value;
    }

    private void bytes(byte[] source, int from, int length) {
        if (at + length > out.length) {
            out = Arrays.copyOf(out, Math.max(out.length * 2, at + length));
        }
        System.arraycopy(source, from, out, at, length);
        at += length;
    }
}
