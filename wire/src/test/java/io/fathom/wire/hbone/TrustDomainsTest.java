// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.Identity;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.pki.TrustRoots;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Two clusters with roots and trust domains of their own: the root of one never vouches for an identity of the other.
class TrustDomainsTest {
    private static final TestMesh A = new TestMesh();
    private static final TestMesh B = new TestMesh();
    private static final String CLIENT_OF_A = "spiffe://a.example/ns/shop/sa/frontend";
    private static final String SERVER_OF_B = "spiffe://b.example/ns/shop/sa/backend";
    private static final TrustPool BOTH = pool(Map.of("a.example", A, "b.example", B));
    private static final TrustPool ONLY_A = pool(Map.of("a.example", A));
    private static final TrustPool ONLY_B = pool(Map.of("b.example", B));

    private final Echo echo = new Echo();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<AutoCloseable> things = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (var thing : things.reversed()) {
            thing.close();
        }
        var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static TrustPool pool(Map<String, TestMesh> meshes) {
        var domains = new TreeMap<String, List<io.fathom.model.trust.TrustRoot>>();
        meshes.forEach((domain, mesh) -> domains.put(domain, TrustRoots.of(mesh.material.roots())));
        return TrustPool.of(new TrustMap(domains));
    }

    private static CertificateSource shows(TestMesh issuer, TrustPool trust, String... names) {
        var issued = issuer.identity(names);
        var identity = new TlsIdentity(issued.key(), issued.chain(), trust);
        return _ -> CompletableFuture.completedFuture(identity);
    }

    private static MeshTls live(AtomicReference<TrustPool> trust) {
        return new MeshTls(new PeerRules(Set.of(), _ -> false, () -> Optional.of(trust.get()), TestMesh.CLOCK));
    }

    private TestServer server(CertificateSource certificates, MeshTls tls) {
        var server = new TestServer(certificates, tls, HboneLimits.DEFAULT, echo);
        things.add(server);
        return server;
    }

    private TestTunnel open(CertificateSource certificates, MeshTls tls, TestServer server) {
        var loops = List.of((EventLoop) group.iterator().next());
        var pool = new HbonePool(loops, EpollSocketChannel::new, certificates, tls, HboneLimits.DEFAULT);
        things.add(pool);
        var accepted = Stream.of(SERVER_OF_B, CLIENT_OF_A.replace("frontend", "backend"))
                .flatMap(uri -> Identity.parse(uri).stream())
                .collect(java.util.stream.Collectors.toSet());
        return TestTunnel.through(pool, TestTunnel.key(server.address(), accepted));
    }

    @Test
    void givenRootsOfBoth_thenTheyTalk_andKnowEachOther() {
        var server = server(shows(B, BOTH, SERVER_OF_B), TestMesh.tls());
        assertThat(open(shows(A, BOTH, CLIENT_OF_A), TestMesh.tls(), server)
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
        assertThat(echo.requests.element().tls().identities())
                .containsExactly(Identity.parse(CLIENT_OF_A).orElseThrow());
    }

    static Stream<Arguments> hostileClients() {
        return Stream.of(
                argumentSet("given a client of A, before roots are exchanged", A, ONLY_B, CLIENT_OF_A),
                argumentSet("given a client that B calls one of A", B, BOTH, CLIENT_OF_A),
                argumentSet("given a client that A calls one of B", A, BOTH, SERVER_OF_B),
                argumentSet("given a client of a domain that nobody has", B, BOTH, "spiffe://c.example/ns/a/sa/b"),
                argumentSet(
                        "given a client of B that B calls one of A as well", B, BOTH, SERVER_OF_B + " " + CLIENT_OF_A),
                argumentSet(
                        "given a client of B with a name of A that is no workload",
                        B,
                        BOTH,
                        SERVER_OF_B + " spiffe://a.example/anything"));
    }

    @ParameterizedTest
    @MethodSource("hostileClients")
    void thenTheServerOfBRejectsIt(TestMesh issuer, TrustPool trust, String names) {
        var server = server(shows(B, trust, SERVER_OF_B), TestMesh.tls());
        var tunnel = open(shows(issuer, BOTH, names.split(" ")), TestMesh.tls(), server);
        assertThat(tunnel.failure()).isNotNull();
        await().until(() -> echo.rejections.size() == 1);
        assertThat(echo.requests).isEmpty();
    }

    static Stream<Arguments> hostileServers() {
        var serverOfA = CLIENT_OF_A.replace("frontend", "backend");
        return Stream.of(
                argumentSet("given a server of B, before roots are exchanged", B, ONLY_A, SERVER_OF_B),
                argumentSet("given a server that B calls one of A", B, BOTH, serverOfA),
                argumentSet("given a server that A calls one of B", A, BOTH, SERVER_OF_B),
                argumentSet(
                        "given a server of B that B calls one of A as well", B, BOTH, SERVER_OF_B + " " + serverOfA));
    }

    @ParameterizedTest
    @MethodSource("hostileServers")
    void thenTheClientOfARejectsIt(TestMesh issuer, TrustPool trust, String names) {
        var server = server(shows(issuer, BOTH, names.split(" ")), TestMesh.tls());
        var tunnel = open(shows(A, trust, CLIENT_OF_A), TestMesh.tls(), server);
        assertThat(tunnel.failure()).isInstanceOf(HboneFailure.TlsFailed.class);
        assertThat(echo.requests).isEmpty();
    }

    @Test
    void givenRootsThatAreWithdrawn_whenTheClientResumesItsSession_thenItIsRejected() {
        var trust = new AtomicReference<>(BOTH);
        var server = server(shows(B, BOTH, SERVER_OF_B), live(trust));
        var clientTls = TestMesh.tls();
        var client = shows(A, BOTH, CLIENT_OF_A);
        assertThat(open(client, clientTls, server).send("x").finish().answer()).isEqualTo("x");

        trust.set(ONLY_B);
        assertThat(open(client, clientTls, server).failure()).isNotNull();
        await().until(() -> echo.rejections.size() == 1);

        trust.set(BOTH);
        assertThat(open(client, clientTls, server).send("y").finish().answer()).isEqualTo("y");
    }

    @Test
    void givenAPoolInPem_thenItIsReadAsItWasWritten() {
        var three = pool(Map.of("a.example", A, "old.example", A, "b.example", B));
        assertThat(TrustPool.parse(three.pem())).satisfies(read -> {
            assertThat(read.domains()).isEqualTo(three.domains());
            assertThat(read.roots()).containsExactlyInAnyOrderElementsOf(three.roots());
        });
        assertThat(three.pem().split("BEGIN CERTIFICATE", -1)).hasSize(3);
        assertThat(TrustPool.parse(TrustPool.ofAnyDomain(BOTH.roots()).pem()).domains())
                .isEmpty();
    }

    @Test
    void givenAnAliasOfTheProgram_thenOurRootsVouchForIt() {
        var tls = new MeshTls(PeerRules.of(Set.of("old.example"), TestMesh.CLOCK));
        var server = server(shows(A, BOTH, CLIENT_OF_A.replace("frontend", "backend")), tls);
        assertThat(open(shows(A, BOTH, "spiffe://old.example/ns/shop/sa/frontend"), TestMesh.tls(), server)
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
        assertThat(open(shows(B, BOTH, "spiffe://old.example/ns/shop/sa/frontend"), TestMesh.tls(), server)
                        .failure())
                .isNotNull();
    }
}
