// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.net;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/// Between our addresses and those of the JDK, which sockets speak. Never resolves a name.
public final class SocketAddresses {
    private SocketAddresses() {}

    public static InetSocketAddress of(IpPort address) {
        return of(address.ip(), address.port());
    }

    public static InetSocketAddress of(Ip ip, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(ip.bytes()), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e); // an Ip has 4 or 16 bytes
        }
    }

    /// IPv4 in IPv6 is folded.
    public static IpPort of(InetSocketAddress address) {
        return new IpPort(Ip.ofBytes(address.getAddress().getAddress()).unmapped(), address.getPort());
    }
}
