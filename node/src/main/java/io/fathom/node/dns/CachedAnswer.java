// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.wire.dns.DnsCursor;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsReply;
import java.util.Arrays;
import java.util.Optional;

/// An answer that may be given again. Immutable.
final class CachedAnswer {
    private static final int SOA = 6;
    private static final int OPT = 41;

    private final byte[] reply;
    /// Where the times to live are.
    private final int[] times;
    private final long lifetime;

    private CachedAnswer(byte[] reply, int[] times, long lifetime) {
        this.reply = reply;
        this.times = times;
        this.lifetime = lifetime;
    }

    /// Empty if it is not to be kept: an error, cut short, without a time to live, or not to be understood.
    static Optional<CachedAnswer> read(byte[] reply) {
        if (reply.length < DnsQuery.HEADER) {
            return Optional.empty();
        }
        var code = reply[3] & 0xf;
        var truncated = (reply[2] & 2) != 0;
        var counts = new DnsCursor(reply, 4);
        var questions = counts.u16();
        var answers = counts.u16();
        var records = answers + counts.u16() + counts.u16();
        if (truncated || (code != 0 && code != DnsReply.NXDOMAIN) || questions != 1 || records > reply.length / 11) {
            return Optional.empty();
        }
        var cursor = new DnsCursor(reply, DnsQuery.HEADER);
        cursor.skipName();
        cursor.skip(4);
        var times = new int[records];
        var found = 0;
        var lifetime = Long.MAX_VALUE;
        var hasStart = answers > 0; // without an answer only a SOA record says how long that holds
        for (int i = 0; i < records && !cursor.failed(); i++) {
            cursor.skipName();
            var type = cursor.u16();
            cursor.skip(2);
            var at = cursor.position();
            var seconds = cursor.u32();
            var length = cursor.u16();
            if (type != OPT) {
                times[found++] = at;
                lifetime = Math.min(lifetime, seconds);
            }
            if (type == SOA && answers == 0 && length >= 4) {
                hasStart = true;
                cursor.skip(length - 4);
                lifetime = Math.min(lifetime, cursor.u32());
            } else {
                cursor.skip(length);
            }
        }
        return cursor.failed() || !hasStart || lifetime == 0 || found == 0
                ? Optional.empty()
                : Optional.of(new CachedAnswer(reply, Arrays.copyOf(times, found), lifetime));
    }

    /// In seconds.
    long lifetime() {
        return lifetime;
    }

    int size() {
        return reply.length + 4 * times.length;
    }

    /// For another query of the same, in its spelling.
    byte[] aged(DnsQuery query, long seconds) {
        var copy = reply.clone();
        System.arraycopy(query.bytes(), 0, copy, 0, 2);
        if (query.questionEnd() <= copy.length) {
            System.arraycopy(
                    query.bytes(), DnsQuery.HEADER, copy, DnsQuery.HEADER, query.questionEnd() - DnsQuery.HEADER);
        }
        for (var at : times) {
            var left = new DnsCursor(copy, at).u32() - seconds;
            for (int i = 0; i < 4; i++) {
                copy[at + i] = (byte) (Math.max(left, 0) >> (24 - 8 * i));
            }
        }
        return copy;
    }
}
