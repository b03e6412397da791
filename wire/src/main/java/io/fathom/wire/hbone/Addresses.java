package io.fathom.wire.hbone;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/// Between the addresses of Netty and ours.
final class Addresses {
    /// The address of a channel that has none, as one inside a tunnel.
    static final IpPort NONE = new IpPort(Ip.ofBytes(new byte[4]), 0);

    private Addresses() {}

    static IpPort of(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress socket && !socket.isUnresolved()
                ? new IpPort(Ip.ofBytes(socket.getAddress().getAddress()), socket.getPort()).unmapped()
                : NONE;
    }

    static InetSocketAddress of(IpPort address) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address.ip().bytes()), address.port());
        } catch (UnknownHostException e) {
            throw new AssertionError("an address has 4 or 16 bytes", e);
        }
    }
}
