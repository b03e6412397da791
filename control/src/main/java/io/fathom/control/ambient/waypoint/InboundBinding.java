// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.model.mesh.Workload.ApplicationTunnel;
import java.util.Optional;

/// The annotation by which a Gateway says how its own pods take traffic: `PROTOCOL` or `PROTOCOL/port`.
final class InboundBinding {
    private InboundBinding() {}

    /// Empty for an unknown protocol or more than one slash. A port that is no number counts as 0.
    static Optional<ApplicationTunnel> parse(String text) {
        var parts = text.split("/", -1);
        if (parts.length > 2) {
            return Optional.empty();
        }
        var port = parts.length == 2 ? port(parts[1]) : 0;
        return switch (parts[0]) {
            case "NONE" -> Optional.of(new ApplicationTunnel(ApplicationTunnel.Protocol.NONE, port));
            case "PROXY" -> Optional.of(new ApplicationTunnel(ApplicationTunnel.Protocol.PROXY, port));
            default -> Optional.empty();
        };
    }

    private static int port(String digits) {
        if (!digits.matches("[0-9]{1,5}")) {
            return 0;
        }
        var port = Integer.parseInt(digits);
        return port <= 0xffff ? port : 0;
    }
}
