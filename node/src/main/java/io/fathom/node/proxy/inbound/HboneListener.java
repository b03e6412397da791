// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.node.telemetry.Reporter;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HboneServer;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// Puts accepted connections of one pod's port 15008 under HBONE, with the pod's own certificate. Which that is, the
/// control plane says: a server is made when the pod is known, and another should its identity change.
public final class HboneListener implements AutoCloseable {
    private final Inbound inbound;
    private final HboneAcceptor acceptor;
    private final CertificateSource certificates;
    private final MeshTls tls;
    private final HboneLimits limits;
    private final ConcurrentHashMap<Identity, HboneServer> servers = new ConcurrentHashMap<>();

    public HboneListener(Inbound inbound, CertificateSource certificates, MeshTls tls, HboneLimits limits) {
        this.inbound = inbound;
        this.acceptor = new HboneAcceptor(inbound);
        this.certificates = certificates;
        this.tls = tls;
        this.limits = limits;
    }

    /// Takes an accepted connection that is not registered with an event loop.
    public void accepted(EpollSocketChannel channel) {
        var loop = inbound.loops().next();
        inbound.telemetry().metrics().socketOpened(Reporter.DESTINATION);
        inbound.pod().await(loop, found -> {
            var own = found.flatMap(Workload::identity);
            if (own.isEmpty()) {
                inbound.telemetry()
                        .turnedAway(
                                Reporter.DESTINATION,
                                SocketAddresses.of(channel.remoteAddress()),
                                Optional.of(SocketAddresses.of(channel.localAddress())),
                                "the workload of pod " + inbound.pod().name() + " is not known");
                channel.unsafe().closeForcibly();
                inbound.telemetry().metrics().socketClosed(Reporter.DESTINATION);
                return;
            }
            var server = servers.computeIfAbsent(
                    own.get(), identity -> new HboneServer(identity, certificates, tls, limits, acceptor));
            channel.closeFuture()
                    .addListener(closed -> inbound.telemetry().metrics().socketClosed(Reporter.DESTINATION));
            channel.pipeline().addLast(new Entry(server));
            var _ = loop.register(channel);
        });
    }

    /// Hands the channel over as soon as it is registered.
    private static final class Entry extends ChannelInboundHandlerAdapter {
        private final HboneServer server;

        Entry(HboneServer server) {
            this.server = server;
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            context.pipeline().remove(this);
            server.serve(context.channel());
            context.fireChannelRegistered();
        }
    }

    /// Ends the connections of clients with such a chain.
    public void cut(Predicate<List<X509Certificate>> revoked) {
        servers.values().forEach(server -> server.cut(revoked));
    }

    /// Sends GOAWAY everywhere; tunnels go on to their end.
    public void drain() {
        servers.values().forEach(HboneServer::drain);
    }

    /// Ends all connections at once.
    @Override
    public void close() {
        servers.values().forEach(HboneServer::close);
    }
}
