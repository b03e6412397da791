// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.dns.AddressReply;
import io.fathom.wire.dns.DnsQuery;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Messages as clients and name servers write them, byte by byte.
final class Messages {
    private Messages() {}

    static byte[] query(int id, String name, int type) {
        return query(id, name, type, new byte[0]);
    }

    /// With an OPT record of this payload size.
    static byte[] ednsQuery(int id, String name, int type, int payload) {
        var opt = new byte[] {0, 0, 41, (byte) (payload >> 8), (byte) payload, 0, 0, 0, 0, 0, 0};
        var bytes = query(id, name, type, opt);
        bytes[11] = 1;
        return bytes;
    }

    private static byte[] query(int id, String name, int type, byte[] rest) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) (id >> 8), (byte) id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (var label : name.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.writeBytes(new byte[] {0, (byte) (type >> 8), (byte) type, 0, 1});
        out.writeBytes(rest);
        return out.toByteArray();
    }

    /// An answer of a name server, without what follows the question in the query.
    static byte[] answer(byte[] query, int code, int ttl, List<String> ips) {
        var question = DnsQuery.read(query).orElseThrow();
        var out = new ByteArrayOutputStream();
        out.writeBytes(Arrays.copyOf(query, question.questionEnd()));
        for (var text : ips) {
            var ip = Ip.parse(text).orElseThrow().bytes();
            out.writeBytes(new byte[] {
                (byte) 0xc0,
                12,
                0,
                (byte) (ip.length == 4 ? 1 : 28),
                0,
                1,
                0,
                0,
                (byte) (ttl >> 8),
                (byte) ttl,
                0,
                (byte) ip.length
            });
            out.writeBytes(ip);
        }
        var bytes = out.toByteArray();
        bytes[2] = (byte) 0x81;
        bytes[3] = (byte) (0x80 | code);
        bytes[7] = (byte) ips.size();
        Arrays.fill(bytes, 8, 12, (byte) 0);
        return bytes;
    }

    static int code(byte[] reply) {
        return reply[3] & 0xf;
    }

    static List<String> ips(byte[] reply) {
        return AddressReply.read(reply).ips().stream()
                .map(Ip::toString)
                .sorted()
                .toList();
    }
}
