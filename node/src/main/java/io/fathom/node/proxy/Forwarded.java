// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.IpPort;
import java.util.Optional;

/// The `forwarded` header: who called, and by which name.
public final class Forwarded {
    private Forwarded() {}

    public static String text(IpPort client, Optional<String> host) {
        var start = "for=\"" + client + '"';
        return host.map(name -> start + ";host=" + name).orElse(start);
    }

    /// The `host` of the first element, without quotes; empty if it is absent, empty or not plain ASCII.
    public static Optional<String> host(String header) {
        var comma = header.indexOf(',');
        var first = comma < 0 ? header : header.substring(0, comma);
        for (var pair : first.split(";", -1)) {
            var equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).strip().equalsIgnoreCase("host")) {
                return Optional.of(unquoted(pair.substring(equals + 1).strip()))
                        .filter(host -> !host.isEmpty() && host.chars().allMatch(c -> c > ' ' && c < 0x7f));
            }
        }
        return Optional.empty();
    }

    private static String unquoted(String value) {
        return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
