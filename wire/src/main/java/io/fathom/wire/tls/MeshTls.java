// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/// Mutual TLS between workloads: SPIFFE identities and, unless told otherwise, TLS 1.3, by BoringSSL. What is expensive
/// is made once for each certificate, not for each connection, and goes with the certificate; so do sessions, with
/// which peers that met before shorten their handshake. A session carries the peer's chain but no check of it: the
/// check is part of [#objection], of which every connection has to be asked. Any thread.
public final class MeshTls {
    private static final ApplicationProtocolConfig HTTP2 = new ApplicationProtocolConfig(
            Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, "h2");

    private static final Duration SESSION_LIFETIME = Duration.ofHours(1);
    private static final int SESSIONS = 256; // of each certificate, some 2 KiB each

    private final PeerRules rules;
    private final TlsPolicy policy;
    private final LongAdder fullHandshakes = new LongAdder();
    private final Map<TlsIdentity, Side> clients = Collections.synchronizedMap(new WeakHashMap<>());
    private final Map<TlsIdentity, Side> servers = Collections.synchronizedMap(new WeakHashMap<>());

    /// Why a connection cannot be used.
    public record Objection(String text, PeerRejected.Reason reason) {}

    /// One side of TLS with one certificate.
    private record Side(SslContext context, PeerCheck check) {}

    /// Knows what its peer has to comply with.
    private static final class Secured extends SslHandler {
        private final PeerCheck check;

        Secured(SSLEngine engine, PeerCheck check) {
            super(engine);
            this.check = check;
        }
    }

    public MeshTls(PeerRules rules) {
        this(rules, TlsPolicy.DEFAULT);
    }

    public MeshTls(PeerRules rules, TlsPolicy policy) {
        this.rules = rules;
        this.policy = policy;
    }

    /// For a connection to a peer whose chain leads to a root of its trust domain. Whether it is the right peer is for
    /// the caller
    /// to ask of [#peer], before anything is sent.
    ///
    /// @param hop where the peer is: sessions with it are found by that
    public SslHandler client(TlsIdentity own, IpPort hop, ByteBufAllocator allocator, Duration timeout) {
        var side = clients.computeIfAbsent(own, this::clientSide);
        var engine = side.context().newEngine(allocator, hop.ip().toString(), hop.port());
        return handler(new Secured(engine, side.check()), timeout);
    }

    /// For a connection from a peer whose chain leads to a root of its trust domain; where nobody says which root is
    /// whose, that has to be our trust domain, or an alias of it.
    public SslHandler server(TlsIdentity own, ByteBufAllocator allocator, Duration timeout) {
        var side = servers.computeIfAbsent(own, this::serverSide);
        return handler(new Secured(side.context().newEngine(allocator), side.check()), timeout);
    }

    /// Who is there, once the handshake is over.
    ///
    /// @throws IllegalStateException if it is not
    public static TlsPeer peer(SslHandler handler) {
        return TlsPeer.of(chain(handler));
    }

    private static List<X509Certificate> chain(SslHandler handler) {
        try {
            var shown = handler.engine().getSession().getPeerCertificates();
            var chain = new ArrayList<X509Certificate>(shown.length);
            for (var certificate : shown) {
                chain.add((X509Certificate) certificate);
            }
            return chain;
        } catch (SSLPeerUnverifiedException e) {
            throw new IllegalStateException("the peer has not been verified", e);
        }
    }

    /// What is wrong with a connection whose handshake went well.
    public static Optional<Objection> objection(SslHandler handler) {
        if (!"h2".equals(handler.applicationProtocol())) {
            return Optional.of(new Objection("the peer does not speak HTTP/2", PeerRejected.Reason.CHAIN));
        }
        var suite = handler.engine().getSession().getCipherSuite();
        if (!PolicyContext.allows(suite)) {
            return Optional.of(new Objection("the peer wants " + suite, PeerRejected.Reason.CHAIN));
        }
        try {
            var check = ((Secured) handler).check;
            if (handler.engine().getUseClientMode()) {
                check.server(chain(handler));
            } else {
                check.client(chain(handler));
            }
            return Optional.empty();
        } catch (PeerRejected rejected) {
            return Optional.of(new Objection(String.valueOf(rejected.getMessage()), rejected.reason()));
        }
    }

    /// In how many handshakes a peer showed its chain: all but those that a session made short.
    public long fullHandshakes() {
        return fullHandshakes.sum();
    }

    private static SslHandler handler(SslHandler handler, Duration timeout) {
        handler.setHandshakeTimeoutMillis(Math.max(1, timeout.toMillis()));
        handler.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR); // merging would copy nearly everything
        handler.setWrapDataSize(0); // our frames come in pieces that fit already; putting them together would copy
        return handler;
    }

    private Side clientSide(TlsIdentity own) {
        var check = new PeerCheck(pool(own), rules, (pool, identity) -> true, fullHandshakes);
        var context = context(
                own,
                () -> SslContextBuilder.forClient()
                        .keyManager(own.key(), own.chain().toArray(X509Certificate[]::new))
                        .trustManager(check)
                        .sessionCacheSize(SESSIONS)
                        .sessionTimeout(SESSION_LIFETIME.toSeconds())
                        .endpointIdentificationAlgorithm(null));
        return new Side(context, check);
    }

    private Side serverSide(TlsIdentity own) {
        var domains = AlternativeNames.identities(own.leaf());
        var check = new PeerCheck(
                pool(own),
                rules,
                (pool, peer) -> pool.domains().isPresent() // who is not of one of its domains did not get here
                        || rules.aliases().contains(peer.trustDomain())
                        || domains.stream().anyMatch(mine -> mine.trustDomain().equals(peer.trustDomain())),
                fullHandshakes);
        var context = context(
                own,
                () -> SslContextBuilder.forServer(own.key(), own.chain().toArray(X509Certificate[]::new))
                        .trustManager(check)
                        .sessionTimeout(SESSION_LIFETIME.toSeconds())
                        .clientAuth(ClientAuth.REQUIRE));
        return new Side(context, check);
    }

    /// The pool changes rarely, and is made anew for each of two identities only then.
    private Supplier<TrustPool> pool(TlsIdentity own) {
        return new Supplier<>() {
            private volatile Optional<Known> last = Optional.empty();

            @Override
            @SuppressWarnings("ReferenceEquality") // an equal one is as good
            public TrustPool get() {
                var live = rules.trust().get();
                var known = last;
                if (known.isPresent() && known.get().live().equals(live)) {
                    return known.get().pool();
                }
                var pool = rules.trust(own);
                last = Optional.of(new Known(live, pool));
                return pool;
            }

            private record Known(Optional<TrustPool> live, TrustPool pool) {}
        };
    }

    private SslContext context(TlsIdentity own, Supplier<SslContextBuilder> builder) {
        try {
            return PolicyContext.of(policy, () -> builder.get().applicationProtocolConfig(HTTP2));
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS does not work with " + own, e);
        }
    }
}
