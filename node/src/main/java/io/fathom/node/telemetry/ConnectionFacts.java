// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.model.mesh.IpPort;
import java.util.Optional;

/// What is known of a connection from its beginning.
///
/// @param sourceAddress the client's
/// @param destinationAddress what is dialled: with a tunnel its far end
/// @param tunnelTarget what the tunnel's far end is asked for: an address, or a name with a port
/// @param policy `namespace/name` of the policy that decided, if one alone did
public record ConnectionFacts(
        Reporter reporter,
        IpPort sourceAddress,
        Party source,
        IpPort destinationAddress,
        Optional<String> tunnelTarget,
        Party destination,
        Called service,
        Security security,
        Optional<String> policy) {

    TrafficLabels labels(ResponseFlag flag) {
        return new TrafficLabels(reporter, source.forLabels(), destination.forLabels(), service, flag, security);
    }
}
