// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// The HBONE side of one listener: puts TLS and HTTP/2 on accepted connections. Each handshake uses the
/// certificate that is current when it begins. Any thread, unless said otherwise.
public final class HboneServer implements AutoCloseable {
    private final Identity own;
    private final CertificateSource certificates;
    private final MeshTls tls;
    private final HboneLimits limits;
    private final TunnelAcceptor acceptor;
    private final Set<Channel> connections = ConcurrentHashMap.newKeySet();
    private final ChannelFutureListener forget = future -> connections.remove(future.channel());
    private volatile boolean draining;

    /// A server that shows the certificate of `own`.
    public HboneServer(
            Identity own, CertificateSource certificates, MeshTls tls, HboneLimits limits, TunnelAcceptor acceptor) {
        this.own = own;
        this.certificates = certificates;
        this.tls = tls;
        this.limits = limits;
        this.acceptor = acceptor;
    }

    /// Serves a connection that is registered with its event loop and has read nothing yet. Call it on that loop,
    /// as from a ChannelInitializer. The connection belongs to the server from now on.
    public void serve(Channel accepted) {
        connections.add(accepted);
        accepted.closeFuture().addListener(forget);
        var certificate = certificates.certificate(own).toCompletableFuture();
        if (certificate.isDone() && !certificate.isCompletedExceptionally()) {
            secure(accepted, certificate.join());
            return;
        }
        accepted.config().setAutoRead(false);
        var _ = certificate
                .copy()
                .orTimeout(limits.times().handshake().toMillis(), TimeUnit.MILLISECONDS)
                .whenCompleteAsync(
                        (identity, failure) -> {
                            if (failure == null) {
                                secure(accepted, identity);
                                accepted.config().setAutoRead(true);
                            } else {
                                reject(accepted, new HboneFailure.CertificateMissing(own, Failures.problem(failure)));
                            }
                        },
                        accepted.eventLoop());
    }

    private void secure(Channel accepted, TlsIdentity identity) {
        if (draining) {
            var _ = accepted.close();
            return;
        }
        accepted.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, Dialer.WATER_MARK);
        var pipeline = accepted.pipeline();
        var ssl = tls.server(identity, accepted.alloc(), limits.times().handshake());
        pipeline.addLast(ssl);
        pipeline.addLast(new HandshakeWait(
                ssl, Addresses.of(accepted.remoteAddress()), limits, new HandshakeWait.HandshakeListener() {
                    @Override
                    public void secured(HandshakeWait wait, io.fathom.wire.tls.TlsPeer peer) {
                        var handler = new HboneServerHandler(acceptor, peer, limits);
                        pipeline.replace(wait, null, handler);
                        if (draining) {
                            handler.drain();
                        }
                    }

                    @Override
                    public void failed(HboneFailure failure) {
                        reject(accepted, failure);
                    }
                }));
    }

    private void reject(Channel accepted, HboneFailure failure) {
        acceptor.rejected(Addresses.of(accepted.remoteAddress()), Addresses.of(accepted.localAddress()), failure);
        var _ = accepted.close();
    }

    /// How many connections there are.
    public int connections() {
        return connections.size();
    }

    /// Ends the connections of clients with such a chain.
    public void cut(Predicate<List<X509Certificate>> revoked) {
        for (var connection : connections) {
            connection.eventLoop().execute(() -> {
                var handler = connection.pipeline().get(HboneServerHandler.class);
                if (handler != null && revoked.test(handler.peer().chain())) {
                    var _ = connection.close();
                }
            });
        }
    }

    /// Sends GOAWAY everywhere; tunnels go on to their end.
    public void drain() {
        draining = true;
        for (var connection : connections) {
            connection.eventLoop().execute(() -> {
                var handler = connection.pipeline().get(HboneServerHandler.class);
                if (handler != null) {
                    handler.drain();
                }
            });
        }
    }

    /// Ends all connections at once.
    @Override
    public void close() {
        draining = true;
        for (var connection : connections) {
            var _ = connection.close();
        }
    }
}
