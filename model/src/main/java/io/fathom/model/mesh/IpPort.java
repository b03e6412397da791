// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.Comparator;
import java.util.Optional;

/// One end of a connection. Never a name: nothing here resolves anything.
public record IpPort(Ip ip, int port) {
    public static final Comparator<IpPort> ORDER =
            Comparator.comparing(IpPort::ip).thenComparingInt(IpPort::port);

    public IpPort {
        if (port < 0 || port > 0xffff) {
            throw new IllegalArgumentException("no port: " + port);
        }
    }

    /// Accepts `1.2.3.4:80` and `[2001:db8::1]:80`; the port is required.
    public static Optional<IpPort> parse(String text) {
        var colon = text.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        var host = text.substring(0, colon);
        var bracketed = host.startsWith("[") && host.endsWith("]");
        if (!bracketed && host.indexOf(':') >= 0) {
            return Optional.empty();
        }
        var literal = bracketed ? host.substring(1, host.length() - 1) : host;
        return parsePort(text.substring(colon + 1))
                .flatMap(port -> Ip.parse(literal)
                        .filter(ip -> bracketed == (ip.family() == Ip.Family.V6))
                        .map(ip -> new IpPort(ip, port)));
    }

    /// Empty for anything but decimal digits up to 65535.
    public static Optional<Integer> parsePort(String text) {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Optional.empty();
        }
        return Optional.of(Integer.parseInt(text)).filter(port -> port <= 0xffff);
    }

    /// With an IPv4-mapped IPv6 address, as dual-stack sockets report them, folded to IPv4.
    public IpPort unmapped() {
        var folded = ip.unmapped();
        return folded.equals(ip) ? this : new IpPort(folded, port);
    }

    @Override
    public String toString() {
        return ip.family() == Ip.Family.V4 ? ip + ":" + port : "[" + ip + "]:" + port;
    }
}
