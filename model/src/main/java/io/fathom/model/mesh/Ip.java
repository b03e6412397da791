// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/// An IP address as a small value: 128 bits and the family they were written in. Never resolves a name.
///
/// An IPv4-mapped IPv6 literal (`::ffff:1.2.3.4`) stays IPv6, as on the wire.
public record Ip(long high, long low, Family family) implements Comparable<Ip> {
    /// How many bits an address has.
    public enum Family {
        V4(32),
        V6(128);

        private final int bits;

        Family(int bits) {
            this.bits = bits;
        }

        public int bits() {
            return bits;
        }
    }

    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "\\." + OCTET + "\\." + OCTET + "\\." + OCTET);

    /// Empty for anything but a plain IPv4 or IPv6 literal; an IPv6 zone (`%eth0`) is cut off.
    public static Optional<Ip> parse(String text) {
        var v4 = IPV4.matcher(text);
        if (v4.matches()) {
            var bits = 0L;
            for (int octet = 1; octet <= 4; octet++) {
                bits = bits << 8 | Integer.parseInt(v4.group(octet));
            }
            return Optional.of(new Ip(0, bits, Family.V4));
        }
        if (text.indexOf(':') < 0 || text.indexOf('[') >= 0) {
            return Optional.empty();
        }
        var zone = text.indexOf('%');
        try {
            return Optional.of(ofV6(InetAddress.ofLiteral(zone < 0 ? text : text.substring(0, zone))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Ip ofV6(InetAddress address) {
        var bytes = address.getAddress();
        if (address instanceof Inet6Address) {
            return ofBytes(bytes);
        }
        // The JDK turns a mapped literal into IPv4; on the wire it keeps its 16 bytes.
        return new Ip(0, 0xffff_0000_0000L | ofBytes(bytes).low(), Family.V6);
    }

    /// From 4 or 16 bytes in network order.
    public static Ip ofBytes(byte[] bytes) {
        if (bytes.length != 4 && bytes.length != 16) {
            throw new IllegalArgumentException("an IP address has 4 or 16 bytes, not " + bytes.length);
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < bytes.length; i++) {
            high = high << 8 | low >>> 56;
            low = low << 8 | (bytes[i] & 0xff);
        }
        return new Ip(high, low, bytes.length == 4 ? Family.V4 : Family.V6);
    }

    public byte[] bytes() {
        var bytes = new byte[family.bits() / 8];
        for (int i = 0; i < bytes.length; i++) {
            var shift = 8 * (bytes.length - 1 - i);
            bytes[i] = (byte) (shift >= 64 ? high >>> (shift - 64) : low >>> shift);
        }
        return bytes;
    }

    /// This address with all bits after the first `length` cleared.
    public Ip masked(int length) {
        if (length < 0 || length > family.bits()) {
            throw new IllegalArgumentException("no prefix length of " + family + ": " + length);
        }
        var kept = length + 128 - family.bits();
        var highMask = kept >= 64 ? -1L : kept == 0 ? 0 : -1L << (64 - kept);
        var lowMask = kept <= 64 ? 0 : -1L << (128 - kept);
        return new Ip(high & highMask, low & lowMask, family);
    }

    /// Whether it never leaves the host.
    public boolean isLoopback() {
        return family == Family.V4 ? low >>> 24 == 127 : high == 0 && low == 1;
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 one; any other address as it is.
    public Ip unmapped() {
        return family == Family.V6 && high == 0 && low >>> 32 == 0xffff
                ? new Ip(0, low & 0xffff_ffffL, Family.V4)
                : this;
    }

    /// The address after this one; the last of a family is followed by its first.
    public Ip next() {
        var following = low + 1;
        if (family == Family.V4) {
            return new Ip(0, following & 0xffff_ffffL, family);
        }
        return new Ip(following == 0 ? high + 1 : high, following, family);
    }

    @Override
    public int compareTo(Ip other) {
        var byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        var byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /// The canonical text: dotted for IPv4, RFC 5952 for IPv6.
    @Override
    public String toString() {
        return family == Family.V4
                ? (low >>> 24) + "." + (low >>> 16 & 0xff) + "." + (low >>> 8 & 0xff) + "." + (low & 0xff)
                : Ipv6Text.of(high, low);
    }
}
