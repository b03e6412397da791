package io.fathom.wire.tls;

import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TlsIdentity;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/// Mutual TLS between workloads: SPIFFE identities and, unless told otherwise, TLS 1.3, by BoringSSL. What is expensive
/// is made once for
/// each certificate, not for each connection, and goes with the certificate. Any thread.
public final class MeshTls {
    private static final ApplicationProtocolConfig HTTP2 = new ApplicationProtocolConfig(
            Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, "h2");

    private final PeerRules rules;
    private final TlsPolicy policy;
    private final Map<TlsIdentity, SslContext> clients = Collections.synchronizedMap(new WeakHashMap<>());
    private final Map<TlsIdentity, SslContext> servers = Collections.synchronizedMap(new WeakHashMap<>());

    public MeshTls(PeerRules rules) {
        this(rules, TlsPolicy.DEFAULT);
    }

    public MeshTls(PeerRules rules, TlsPolicy policy) {
        this.rules = rules;
        this.policy = policy;
    }

    /// For a connection to a peer whose chain leads to our roots. Whether it is the right peer is for the caller
    /// to ask of [#peer], before anything is sent.
    public SslHandler client(TlsIdentity own, ByteBufAllocator allocator, Duration timeout) {
        return handler(clients.computeIfAbsent(own, this::clientContext), allocator, timeout);
    }

    /// For a connection from a peer whose chain leads to our roots and who is of our trust domain, or an alias of
    /// it.
    public SslHandler server(TlsIdentity own, ByteBufAllocator allocator, Duration timeout) {
        return handler(servers.computeIfAbsent(own, this::serverContext), allocator, timeout);
    }

    /// Who is there, once the handshake is over.
    ///
    /// @throws IllegalStateException if it is not
    public static TlsPeer peer(SslHandler handler) {
        try {
            var shown = handler.engine().getSession().getPeerCertificates();
            var chain = new ArrayList<X509Certificate>(shown.length);
            for (var certificate : shown) {
                chain.add((X509Certificate) certificate);
            }
            return TlsPeer.of(chain);
        } catch (SSLPeerUnverifiedException e) {
            throw new IllegalStateException("the peer has not been verified", e);
        }
    }

    /// What is wrong with a connection whose handshake went well.
    public static Optional<String> objection(SslHandler handler) {
        if (!"h2".equals(handler.applicationProtocol())) {
            return Optional.of("the peer does not speak HTTP/2");
        }
        var suite = handler.engine().getSession().getCipherSuite();
        return TlsPolicy.allows(suite) ? Optional.empty() : Optional.of("the peer wants " + suite);
    }

    private static SslHandler handler(SslContext context, ByteBufAllocator allocator, Duration timeout) {
        var handler = context.newHandler(allocator);
        handler.setHandshakeTimeoutMillis(Math.max(1, timeout.toMillis()));
        handler.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR); // merging would copy nearly everything
        handler.setWrapDataSize(0); // our frames come in pieces that fit already; putting them together would copy
        return handler;
    }

    private SslContext clientContext(TlsIdentity own) {
        var check = new PeerCheck(own.roots(), rules, identity -> true);
        return context(
                own,
                () -> SslContextBuilder.forClient()
                        .keyManager(own.key(), own.chain().toArray(X509Certificate[]::new))
                        .trustManager(check)
                        .endpointIdentificationAlgorithm(null));
    }

    private SslContext serverContext(TlsIdentity own) {
        var domains = AlternativeNames.identities(own.leaf());
        var check = new PeerCheck(
                own.roots(),
                rules,
                peer -> rules.includes(peer)
                        || domains.stream().anyMatch(mine -> mine.trustDomain().equals(peer.trustDomain())));
        return context(
                own,
                () -> SslContextBuilder.forServer(own.key(), own.chain().toArray(X509Certificate[]::new))
                        .trustManager(check)
                        .clientAuth(ClientAuth.REQUIRE));
    }

    private SslContext context(TlsIdentity own, Supplier<SslContextBuilder> builder) {
        try {
            return policy.build(() -> builder.get().applicationProtocolConfig(HTTP2));
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS does not work with " + own, e);
        }
    }
}
