// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.fathom.wire.tls.TlsPolicy;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import io.fathom.wire.tls.TlsPolicy.Versions;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Who can agree on what with whom, over real connections.
class TlsPolicyTest {
    private final TestMesh mesh = new TestMesh();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @AfterEach
    void stop() {
        var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    static Stream<Arguments> pairs() {
        return Stream.of(
                argumentSet("a post-quantum client and an ordinary server", KeyExchange.POST_QUANTUM, KeyExchange.ANY),
                argumentSet("an ordinary client and a post-quantum server", KeyExchange.ANY, KeyExchange.POST_QUANTUM),
                argumentSet("both post-quantum", KeyExchange.POST_QUANTUM, KeyExchange.POST_QUANTUM),
                argumentSet("a FIPS client and an ordinary server", KeyExchange.FIPS_140_2, KeyExchange.ANY),
                argumentSet("an ordinary client and a FIPS server", KeyExchange.ANY, KeyExchange.FIPS_140_2));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void givenACommonGroup_thenTrafficFlows(KeyExchange client, KeyExchange server) {
        try (var peer = server(new TlsPolicy(Versions.TLS13, server));
                var pool = pool(new TlsPolicy(Versions.TLS13, client))) {
            assertThat(open(pool, peer).send("x").finish().answer()).isEqualTo("x");
        }
    }

    @Test
    void givenNoCommonGroup_thenTheHandshakeFails() {
        try (var server = server(new TlsPolicy(Versions.TLS13, KeyExchange.FIPS_140_2));
                var pool = pool(new TlsPolicy(Versions.TLS13, KeyExchange.POST_QUANTUM))) {
            assertThat(open(pool, server).failure()).isInstanceOf(HboneFailure.TlsFailed.class);
        }
    }

    @Test
    void givenAClientWithTls12Only_thenItIsServedOnlyIfThatIsOn() throws Exception {
        try (var server = server(new TlsPolicy(Versions.TLS12_TOO, KeyExchange.ANY))) {
            assertThat(suiteOfTls12(server)).isEqualTo("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
        }
        try (var server = server(TlsPolicy.DEFAULT)) {
            assertThatThrownBy(() -> suiteOfTls12(server)).isInstanceOf(SSLException.class);
        }
    }

    @Test
    void givenTls12IsOn_whenBothCanDoBetter_thenTrafficFlows() {
        var policy = new TlsPolicy(Versions.TLS12_TOO, KeyExchange.FIPS_140_2);
        try (var server = server(policy);
                var pool = pool(policy)) {
            assertThat(open(pool, server).send("x").finish().answer()).isEqualTo("x");
        }
    }

    @Test
    void givenTls12WithPostQuantumKeys_thenThatIsRefused() {
        assertThatThrownBy(() -> new TlsPolicy(Versions.TLS12_TOO, KeyExchange.POST_QUANTUM))
                .hasMessageContaining("TLS 1.2");
    }

    private static MeshTls tls(TlsPolicy policy) {
        return new MeshTls(PeerRules.of(Set.of(), TestMesh.CLOCK), policy);
    }

    private TestServer server(TlsPolicy policy) {
        return new TestServer(mesh, tls(policy), HboneLimits.DEFAULT, new Echo());
    }

    private HbonePool pool(TlsPolicy policy) {
        var loops = List.of((EventLoop) group.iterator().next());
        return new HbonePool(loops, EpollSocketChannel::new, mesh, tls(policy), HboneLimits.DEFAULT);
    }

    private static TestTunnel open(HbonePool pool, TestServer server) {
        return TestTunnel.through(pool, TestTunnel.key(server.address(), Set.of(TestMesh.SERVER)));
    }

    /// What the JDK's client agrees on when it may speak nothing newer.
    private String suiteOfTls12(TestServer server) throws IOException, GeneralSecurityException {
        var context = context(mesh.identity(TestMesh.CLIENT.uri()));
        try (var socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", server.address().port())) {
            socket.setSoTimeout(30_000);
            var parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.2"});
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        }
    }

    private static SSLContext context(TlsIdentity own) throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", own.key(), new char[0], own.chain().toArray(X509Certificate[]::new));
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        var roots = Set.of(new TrustAnchor(own.roots().getFirst(), null));
        var path = new PKIXBuilderParameters(roots, new X509CertSelector());
        path.setRevocationEnabled(false);
        path.setDate(Date.from(TestMesh.NOW)); // certificates of the test are of that day
        var trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(new CertPathTrustManagerParameters(path));
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
