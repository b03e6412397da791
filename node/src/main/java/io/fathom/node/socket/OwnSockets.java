// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.model.mesh.Ip;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;

/// Sockets in the program's own network namespace. For any thread.
public final class OwnSockets implements Sockets {
    private final SocketMaker maker;

    /// @throws io.netty.channel.ChannelException if the config wants what the process may not do
    public OwnSockets(SocketConfig config) {
        this.maker = new SocketMaker(config);
    }

    @Override
    public EpollServerSocketChannel listener() {
        return maker.listener();
    }

    @Override
    public EpollServerSocketChannel listener(Ip.Family family) {
        return maker.listener(family);
    }

    @Override
    public EpollSocketChannel stream() {
        return maker.stream();
    }

    @Override
    public EpollDatagramChannel datagram() {
        return maker.datagram();
    }

    @Override
    public EpollDatagramChannel datagram(Ip.Family family) {
        return maker.datagram(family);
    }

    @Override
    public boolean canKeepSource() {
        return maker.canKeepSource();
    }
}
