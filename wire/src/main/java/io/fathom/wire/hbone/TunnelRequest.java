// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.EventLoop;

/// What a peer asks for.
///
/// @param method `CONNECT`, or something to refuse
/// @param headers the authority and what is known about the client; the authority is empty if there was none
/// @param tls who asks, as verified in the handshake
/// @param peer where the connection comes from
/// @param local the address the peer has dialled; IPv4 in IPv6 is folded
/// @param loop of the connection: what belongs to the tunnel lives there
public record TunnelRequest(
        String method, ConnectHeaders headers, TlsPeer tls, IpPort peer, IpPort local, EventLoop loop) {}
