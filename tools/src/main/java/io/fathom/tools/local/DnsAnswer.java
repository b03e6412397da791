package io.fathom.tools.local;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The little of DNS that a cluster's name server needs. Pure.
final class DnsAnswer {
    static final int NO_SUCH_NAME = 3;
    static final int FINE = 0;
    private static final int HEADER = 12;
    private static final int TYPE_A = 1;
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
        var out = new ByteArrayOutputStream();
        shorts(out, question.id(), 0x8580 | code, 1, addresses.size(), 0, 0);
        var asked = question.bytes().duplicate();
        while (asked.hasRemaining()) {
            out.write(asked.get());
        }
        for (var address : addresses) {
            shorts(out, POINTER_TO_QUESTION, TYPE_A, 1, 0, SECONDS, 4);
            out.writeBytes(InetAddress.ofLiteral(address).getAddress());
        }
        return out.toByteArray();
    }

    private static void shorts(ByteArrayOutputStream out, int... numbers) {
        for (var number : numbers) {
            out.write(number >> 8);
            out.write(number);
        }
    }
}
