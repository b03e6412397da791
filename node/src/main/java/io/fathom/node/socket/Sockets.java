// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.util.Optional;

/// Makes sockets that live in one network namespace, whichever thread uses them later. They are neither bound nor
/// connected nor registered with an event loop yet, and carry the mark and options that redirection needs.
///
/// A socket that cannot be made is an [io.netty.channel.ChannelException] with the reason.
public interface Sockets {
    /// For addresses of both families.
    EpollServerSocketChannel listener();

    /// For one address. That of IPv4 gets a socket of IPv4, as tools show it.
    EpollServerSocketChannel listener(Ip.Family family);

    EpollSocketChannel stream();

    EpollDatagramChannel datagram();

    /// For one address, as [#listener(Ip.Family)].
    EpollDatagramChannel datagram(Ip.Family family);

    /// One that listens there already, left by the proxy before: it is registered, not bound.
    default Optional<EpollServerSocketChannel> boundListener(IpPort at) {
        return Optional.empty();
    }

    /// As [#boundListener].
    default Optional<EpollDatagramChannel> boundDatagram(IpPort at) {
        return Optional.empty();
    }

    /// It listens there from now on, also for the proxy after this one.
    default void bound(IpPort at, UnixChannel channel) {}

    /// Whether a stream may be bound to an address of another host, with IP_TRANSPARENT set before.
    default boolean canKeepSource() {
        return false;
    }
}
