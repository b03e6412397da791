// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.IpPort;
import java.util.Optional;

/// Where a CONNECT request wants to go.
sealed interface Authority {
    int port();

    record AtIp(IpPort target) implements Authority {
        @Override
        public int port() {
            return target.port();
        }
    }

    record AtHost(String hostname, int port) implements Authority {}

    /// Accepts `ip:port`, `[v6]:port` and `host:port`.
    static Optional<Authority> parse(String text) {
        var colon = text.lastIndexOf(':');
        if (colon <= 0) {
            return Optional.empty();
        }
        var literal = IpPort.parse(text);
        if (literal.isPresent()) {
            var target = literal.get();
            return Optional.of(new AtIp(new IpPort(target.ip().unmapped(), target.port())));
        }
        var host = text.substring(0, colon);
        var isName = host.chars().allMatch(c -> c > ' ' && c < 0x7f && "[]:/@?#".indexOf(c) < 0);
        return isName
                ? IpPort.parsePort(text.substring(colon + 1)).map(port -> new AtHost(host, port))
                : Optional.empty();
    }
}
