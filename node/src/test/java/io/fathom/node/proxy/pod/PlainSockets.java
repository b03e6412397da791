package io.fathom.node.proxy.pod;

import io.fathom.node.socket.Sockets;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;

/// Sockets of the test's own namespace.
final class PlainSockets implements Sockets {
    @Override
    public EpollServerSocketChannel listener() {
        return new EpollServerSocketChannel();
    }

    @Override
    public EpollSocketChannel stream() {
        return new EpollSocketChannel();
    }

    @Override
    public EpollDatagramChannel datagram() {
        return new EpollDatagramChannel();
    }
}
