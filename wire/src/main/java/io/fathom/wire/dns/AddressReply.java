// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dns;

import io.fathom.model.mesh.Ip;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The addresses in an answer.
///
/// @param lifetime in seconds, of the shortest-lived record; the longest there is when there are none
public record AddressReply(List<Ip> ips, long lifetime) {
    public static final AddressReply NOTHING = new AddressReply(List.of(), Integer.MAX_VALUE);

    /// A question of our own; empty if no name server could be asked for such a name.
    public static Optional<DnsQuery> query(int id, String name, int type) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) (id >> 8), (byte) id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (var label : name.split("\\.", -1)) {
            var bytes = label.getBytes(StandardCharsets.US_ASCII);
            if (bytes.length == 0 || bytes.length > 63) {
                return Optional.empty();
            }
            out.write(bytes.length);
            out.writeBytes(bytes);
        }
        out.writeBytes(new byte[] {0, 0, (byte) type, 0, DnsQuestion.INTERNET});
        return DnsQuery.read(out.toByteArray());
    }

    /// Whatever names the records have: an alias leads from the name that was asked to theirs.
    public static AddressReply read(byte[] reply) {
        var counts = new DnsCursor(reply, 4);
        var questions = counts.u16();
        var answers = counts.u16();
        var cursor = new DnsCursor(reply, DnsQuery.HEADER);
        for (int i = 0; i < questions && !cursor.failed(); i++) {
            cursor.skipName();
            cursor.skip(4);
        }
        var ips = new ArrayList<Ip>();
        var lifetime = NOTHING.lifetime();
        for (int i = 0; i < answers && !cursor.failed(); i++) {
            cursor.skipName();
            var type = cursor.u16();
            cursor.skip(2);
            var seconds = cursor.u32();
            var length = cursor.u16();
            if ((type == DnsQuestion.A && length == 4) || (type == DnsQuestion.AAAA && length == 16)) {
                var bytes = cursor.bytes(length);
                if (!cursor.failed()) {
                    ips.add(Ip.ofBytes(bytes));
                    lifetime = Math.min(lifetime, seconds);
                }
            } else {
                cursor.skip(length);
            }
        }
        return new AddressReply(List.copyOf(ips), lifetime);
    }
}
