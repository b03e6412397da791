// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import java.util.Set;

/// A tunnel inside another one, as it goes to other networks: a connection of its own for each.
///
/// @param source whose certificate is shown
/// @param accepted the peer behind the outer tunnel must show one of these; nobody if empty
/// @param headers of the inner request
public record InnerTunnel(Identity source, Set<Identity> accepted, ConnectHeaders headers) {
    public InnerTunnel {
        accepted = Set.copyOf(accepted);
    }
}
