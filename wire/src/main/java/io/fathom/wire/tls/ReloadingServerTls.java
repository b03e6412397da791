// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import io.grpc.netty.GrpcSslContexts;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.X509TrustManager;

/// TLS for a gRPC server, with a certificate that can be replaced at any time: each handshake uses the identity
/// that is current when it begins, open connections keep theirs. A client certificate is optional and verified if
/// there is one. HTTP/2 only, TLS 1.2 or later. Any thread.
public final class ReloadingServerTls extends SslContext {
    private final TlsPolicy policy;
    private final Optional<X509TrustManager> clients;
    private volatile SslContext current;

    public ReloadingServerTls(TlsIdentity identity) {
        this(identity, KeyExchange.ANY);
    }

    /// @param exchange what clients must be able to do; the post-quantum one leaves out TLS 1.2
    public ReloadingServerTls(TlsIdentity identity, KeyExchange exchange) {
        this(identity, exchange, Optional.empty());
    }

    /// One that verifies clients by the roots of their trust domain.
    ///
    /// @param trust asked at each handshake
    public ReloadingServerTls(
            TlsIdentity identity, KeyExchange exchange, Supplier<TrustPool> trust, InstantSource clock) {
        this(identity, exchange, Optional.of(new PoolTrust(trust, clock)));
    }

    private ReloadingServerTls(TlsIdentity identity, KeyExchange exchange, Optional<X509TrustManager> clients) {
        this.clients = clients;
        policy = new TlsPolicy(
                exchange == KeyExchange.POST_QUANTUM ? TlsPolicy.Versions.TLS13 : TlsPolicy.Versions.TLS12_TOO,
                exchange);
        current = context(identity);
    }

    /// From the next handshake on.
    public void use(TlsIdentity identity) {
        current = context(identity); // the old one goes with its last connection
    }

    private SslContext context(TlsIdentity identity) {
        try {
            return OpenSsl.isAvailable()
                    ? PolicyContext.of(policy, () -> builder(identity, SslProvider.OPENSSL))
                    : builder(identity, SslProvider.JDK)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS cannot be served with " + identity, e);
        }
    }

    private SslContextBuilder builder(TlsIdentity identity, SslProvider provider) {
        var builder = SslContextBuilder.forServer(
                        identity.key(), identity.chain().toArray(X509Certificate[]::new))
                .clientAuth(ClientAuth.OPTIONAL);
        clients.ifPresentOrElse(
                builder::trustManager,
                () -> builder.trustManager(identity.roots().toArray(X509Certificate[]::new)));
        return GrpcSslContexts.configure(builder, provider);
    }

    @Override
    public boolean isClient() {
        return false;
    }

    @Override
    public List<String> cipherSuites() {
        return current.cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // the base class asks for it
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return current.applicationProtocolNegotiator();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
        return current.newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
        return current.newEngine(allocator, peerHost, peerPort);
    }

    @Override
    public SSLSessionContext sessionContext() {
        return current.sessionContext();
    }
}
