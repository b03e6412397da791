// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import java.util.Optional;

/// A connection as policies see it. Networks play no part.
///
/// @param source the verified identity of the peer; empty for plain text
/// @param destination where the application itself takes it, after all mapping of ports
/// @param waypoint who will bring it to the application in the client's stead: ALLOW policies are asked about that one
public record Attempt(Optional<Identity> source, Ip sourceIp, IpPort destination, Optional<Identity> waypoint) {
    /// Of a client that comes itself.
    public Attempt(Optional<Identity> source, Ip sourceIp, IpPort destination) {
        this(source, sourceIp, destination, Optional.empty());
    }

    /// What has to be allowed: the waypoint, if there is one, as if it called from the client's address.
    Attempt brought() {
        return waypoint.isEmpty() ? this : new Attempt(waypoint, sourceIp, destination);
    }
}
