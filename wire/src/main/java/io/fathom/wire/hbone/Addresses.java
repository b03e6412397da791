// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// The addresses of channels, which may have none.
final class Addresses {
    /// The address of a channel that has none, as one inside a tunnel.
    static final IpPort NONE = new IpPort(Ip.ofBytes(new byte[4]), 0);

    private Addresses() {}

    static IpPort of(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress socket && !socket.isUnresolved()
                ? SocketAddresses.of(socket)
                : NONE;
    }
}
