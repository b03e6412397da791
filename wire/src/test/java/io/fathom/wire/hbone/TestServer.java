// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.TlsPeer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// An HBONE server on a free port of loopback.
final class TestServer implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Channel listener;
    final AtomicInteger accepted = new AtomicInteger();
    final Queue<Channel> channels = new ConcurrentLinkedQueue<>();
    final HboneServer server;

    TestServer(CertificateSource certificates, MeshTls tls, HboneLimits limits, TunnelAcceptor acceptor) {
        server = new HboneServer(TestMesh.SERVER, certificates, tls, limits, acceptor);
        listener = listen(server::serve);
    }

    /// Without TLS.
    TestServer(HboneLimits limits, TunnelAcceptor acceptor) {
        server = new HboneServer(TestMesh.SERVER, new TestMesh(), TestMesh.tls(), limits, acceptor);
        listener =
                listen(channel -> channel.pipeline().addLast(new HboneServerHandler(acceptor, TlsPeer.NONE, limits)));
    }

    private Channel listen(java.util.function.Consumer<Channel> serve) {
        return new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accepted.incrementAndGet();
                        channels.add(channel);
                        serve.accept(channel);
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    IpPort address() {
        return IpPort.parse("127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort())
                .orElseThrow();
    }

    /// Stops listening, and goes on with what is there.
    void stopListening() {
        listener.close().syncUninterruptibly();
    }

    @Override
    public void close() {
        stopListening();
        server.close();
        for (var channel : channels) {
            var _ = channel.close();
        }
        var _ = group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }
}
