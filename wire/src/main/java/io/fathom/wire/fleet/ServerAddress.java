// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.util.Optional;

/// Where a management server is.
///
/// @param host a name or an address literal
public record ServerAddress(String host, int port) {
    private static final int USUAL_PORT = 9900;

    /// `HOST`, `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
    public static Optional<ServerAddress> parse(String text) {
        var colon = text.lastIndexOf(':');
        var hasPort = colon >= 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
        var host = (hasPort ? text.substring(0, colon) : text).replaceAll("^\\[(.*)]$", "$1");
        try {
            var port = hasPort ? Integer.parseInt(text.substring(colon + 1)) : USUAL_PORT;
            return host.isEmpty() || port < 1 || port > 65535
                    ? Optional.empty()
                    : Optional.of(new ServerAddress(host, port));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
