// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import java.net.InetAddress;
import java.util.Optional;

/// Where a gateway is.
///
/// @param type `IPAddress` or `Hostname`, as Gateways have it
record LinkAddress(String type, String value) {
    /// Why nobody elsewhere can reach it, as far as one can tell by looking.
    Optional<String> complaint() {
        if (value.isEmpty()) {
            return Optional.of("is empty");
        }
        if (type.equals("Hostname")) {
            return value.equals("localhost")
                    ? Optional.of("is the machine of whoever asks")
                    : value.endsWith(".cluster.local")
                            ? Optional.of("is a name that only its own cluster knows")
                            : Optional.empty();
        }
        try {
            var ip = InetAddress.ofLiteral(value);
            if (ip.isLoopbackAddress() || ip.isAnyLocalAddress()) {
                return Optional.of("is the machine of whoever asks");
            }
            if (ip.isLinkLocalAddress()) {
                return Optional.of("works on one link only");
            }
            return ip.isMulticastAddress() ? Optional.of("is no address of a machine") : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.of("is no IP address");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
