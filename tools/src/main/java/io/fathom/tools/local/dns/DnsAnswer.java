// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The little of DNS that a cluster's name server needs. Pure.
final class DnsAnswer {
    static final int NO_SUCH_NAME = 3;
    static final int FINE = 0;
    private static final int HEADER = 12;
    private static final int TYPE_A = 1;
    private static final int TYPE_CNAME = 5;
    private static final int SECONDS = 5;
    private static final int POINTER_TO_QUESTION = 0xc000 | HEADER;

    /// What somebody asks.
    ///
    /// @param bytes the question as it was asked
    record Question(int id, String name, int type, ByteBuffer bytes) {
        boolean wantsIpv4() {
            return type == TYPE_A;
        }
    }

    private DnsAnswer() {}

    /// Empty for anything but a single question.
    static Optional<Question> question(byte[] packet, int length) {
        var in = ByteBuffer.wrap(packet, 0, length);
        if (length < HEADER + 5 || (packet[2] & 0x80) != 0 || in.getShort(4) != 1) {
            return Optional.empty();
        }
        var name = new StringBuilder();
        var at = HEADER;
        for (int size = packet[at]; size > 0; size = packet[at]) {
            if (size > 63 || at + 1 + size + 5 > length) {
                return Optional.empty();
            }
            name.append(name.isEmpty() ? "" : ".").append(new String(packet, at + 1, size, StandardCharsets.US_ASCII));
            at += 1 + size;
        }
        if (packet[at] != 0 || at + 5 > length) {
            return Optional.empty();
        }
        var bytes = in.slice(HEADER, at + 5 - HEADER).asReadOnlyBuffer();
        return Optional.of(
                new Question(in.getShort(0), name.toString().toLowerCase(Locale.ROOT), in.getShort(at + 1), bytes));
    }

    /// An answer of ours, possibly without any address.
    static byte[] of(Question question, int code, List<String> addresses) {
        return of(question, code, List.of(), addresses);
    }

    /// @param aliases names that the one in question leads to, in turn; the addresses are of the last
    static byte[] of(Question question, int code, List<String> aliases, List<String> addresses) {
        var out = new ByteArrayOutputStream();
        shorts(out, question.id(), 0x8580 | code, 1, aliases.size() + addresses.size(), 0, 0);
        var asked = question.bytes().duplicate();
        while (asked.hasRemaining()) {
            out.write(asked.get());
        }
        var owner = POINTER_TO_QUESTION;
        for (var alias : aliases) {
            var name = name(alias);
            shorts(out, owner, TYPE_CNAME, 1, 0, SECONDS, name.length);
            owner = 0xc000 | out.size();
            out.writeBytes(name);
        }
        for (var address : addresses) {
            shorts(out, owner, TYPE_A, 1, 0, SECONDS, 4);
            out.writeBytes(InetAddress.ofLiteral(address).getAddress());
        }
        return out.toByteArray();
    }

    /// A question of our own: for the addresses of a name.
    static byte[] ask(int id, String name) {
        var out = new ByteArrayOutputStream();
        shorts(out, id, 0x0100, 1, 0, 0, 0);
        out.writeBytes(name(name));
        shorts(out, TYPE_A, 1);
        return out.toByteArray();
    }

    /// The addresses in somebody's answer, whatever names they have there: aliases lead to them.
    static List<String> addresses(byte[] packet, int length) {
        var addresses = new ArrayList<String>();
        var in = ByteBuffer.wrap(packet, 0, length);
        try {
            in.position(HEADER);
            for (int i = in.getShort(4); i > 0; i--) {
                skipName(in);
                in.getInt();
            }
            for (int i = in.getShort(6); i > 0; i--) {
                skipName(in);
                int type = in.getShort();
                in.position(in.position() + 6);
                var data = new byte[in.getShort() & 0xffff];
                in.get(data);
                if (type == TYPE_A && data.length == 4) {
                    addresses.add(InetAddress.getByAddress(data).getHostAddress());
                }
            }
        } catch (BufferUnderflowException | IllegalArgumentException | UnknownHostException _) {
            // It ends too early: what was read so far counts.
        }
        return addresses;
    }

    private static void skipName(ByteBuffer in) {
        for (int size = in.get() & 0xff; size > 0; size = in.get() & 0xff) {
            if (size >= 0xc0) {
                in.get();
                return;
            }
            in.position(in.position() + size);
        }
    }

    private static byte[] name(String name) {
        var out = new ByteArrayOutputStream();
        for (var label : name.split("[.]", -1)) {
            var bytes = label.getBytes(StandardCharsets.US_ASCII);
            out.write(bytes.length);
            out.writeBytes(bytes);
        }
        out.write(0);
        return out.toByteArray();
    }

    private static void shorts(ByteArrayOutputStream out, int... numbers) {
        for (var number : numbers) {
            out.write(number >> 8);
            out.write(number);
        }
    }
}
