// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.Optional;

/// An address with a prefix length, as written: `10.0.0.5/24` keeps its host bits until [#masked()].
public record IpBlock(Ip address, int length) {
    public IpBlock {
        if (length < 0 || length > address.family().bits()) {
            throw new IllegalArgumentException("no prefix length of " + address + ": " + length);
        }
    }

    /// Accepts `1.2.3.4`, `1.2.3.0/24` and the IPv6 forms.
    public static Optional<IpBlock> parse(String text) {
        var slash = text.indexOf('/');
        if (slash < 0) {
            return Ip.parse(text).map(ip -> new IpBlock(ip, ip.family().bits()));
        }
        return Ip.parse(text.substring(0, slash)).flatMap(ip -> {
            var digits = text.substring(slash + 1);
            if (!digits.matches("0|[1-9][0-9]{0,2}")
                    || Integer.parseInt(digits) > ip.family().bits()) {
                return Optional.empty();
            }
            return Optional.of(new IpBlock(ip, Integer.parseInt(digits)));
        });
    }

    public IpBlock masked() {
        return new IpBlock(address.masked(length), length);
    }

    public boolean contains(Ip ip) {
        return ip.family() == address.family() && ip.masked(length).equals(address.masked(length));
    }

    /// The highest address of the block.
    public Ip last() {
        var base = address.masked(length);
        var free = address.family().bits() - length;
        var low = free >= 64 ? -1L : base.low() | ((1L << free) - 1);
        var high = free <= 64 ? base.high() : free == 128 ? -1L : base.high() | ((1L << (free - 64)) - 1);
        return new Ip(high, low, base.family());
    }

    public boolean isSingleAddress() {
        return length == address.family().bits();
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
