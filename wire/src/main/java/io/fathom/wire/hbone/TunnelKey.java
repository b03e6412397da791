// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import java.util.Set;

/// Tunnels may share a connection if all of this is equal.
///
/// @param source whose certificate is shown
/// @param accepted the peer must show one of these; nobody if empty
/// @param hop where the connection goes
/// @param sourceIp of the client, as peers see connections and not streams
public record TunnelKey(Identity source, Set<Identity> accepted, IpPort hop, Ip sourceIp) {
    public TunnelKey {
        accepted = Set.copyOf(accepted);
    }
}
