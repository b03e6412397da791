// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who may talk to whom.
class MeshTlsTest {
    private final TestMesh mesh = new TestMesh();
    private final Echo echo = new Echo();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<AutoCloseable> things = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (var thing : things.reversed()) {
            thing.close();
        }
        var _ = group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }

    private TestServer server(CertificateSource certificates, MeshTls tls) {
        var server = new TestServer(certificates, tls, HboneLimits.DEFAULT, echo);
        things.add(server);
        return server;
    }

    private TestTunnel open(CertificateSource certificates, TestServer server, Set<Identity> accepted) {
        return open(certificates, TestMesh.tls(), server, accepted);
    }

    private TestTunnel open(CertificateSource certificates, MeshTls tls, TestServer server, Set<Identity> accepted) {
        var loops = List.of((EventLoop) group.iterator().next());
        var pool = new HbonePool(loops, EpollSocketChannel::new, certificates, tls, HboneLimits.DEFAULT);
        things.add(pool);
        return TestTunnel.through(pool, TestTunnel.key(server.address(), accepted));
    }

    private static CertificateSource always(TlsIdentity identity) {
        return who -> CompletableFuture.completedFuture(identity);
    }

    @Test
    void case67_givenAPeerWithAnotherIdentity_thenWrongPeer_andNoRequestIsSent() {
        var server = server(mesh, TestMesh.tls());
        var other = new Identity("cluster.local", "shop", "other");
        var tunnel = open(mesh, server, Set.of(other));
        assertThat(tunnel.failure())
                .isEqualTo(new HboneFailure.WrongPeer(server.address(), Set.of(other), List.of(TestMesh.SERVER)));
        await().until(() -> server.server.connections() == 0);
        assertThat(echo.requests).isEmpty();
    }

    @Test
    void givenNobodyIsAccepted_thenNothingVerifies() {
        assertThat(open(mesh, server(mesh, TestMesh.tls()), Set.of()).failure())
                .isInstanceOf(HboneFailure.WrongPeer.class);
    }

    @Test
    void givenSeveralAccepted_whenThePeerIsOneOfThem_thenItWorks() {
        var other = new Identity("cluster.local", "shop", "other");
        assertThat(open(mesh, server(mesh, TestMesh.tls()), Set.of(other, TestMesh.SERVER))
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
    }

    @Test
    void givenAServerCertificateWithoutSpiffeIdentity_thenTlsFails() {
        var server = server(always(mesh.identity("backend.shop.svc")), TestMesh.tls());
        assertThat(open(mesh, server, Set.of(TestMesh.SERVER)).failure())
                .isInstanceOfSatisfying(
                        HboneFailure.TlsFailed.class,
                        failed -> assertThat(failed.reason()).contains("no SPIFFE identity"));
    }

    @Test
    void givenARootOfSomebodyElse_thenBothSidesHearOfIt() {
        var server = server(new TestMesh(), TestMesh.tls());
        assertThat(open(mesh, server, Set.of(TestMesh.SERVER)).failure()).isInstanceOf(HboneFailure.TlsFailed.class);
        await().until(() -> echo.rejections.size() == 1);
    }

    @Test
    void case69_givenConcatenatedRoots_whenThePeersHaveDifferentOnes_thenTheyInteroperate() {
        var second = new TestMesh();
        var roots = Stream.concat(mesh.material.roots().stream(), second.material.roots().stream())
                .toList();
        var clientCertificate = mesh.identity(TestMesh.CLIENT.uri());
        var serverCertificate = second.identity(TestMesh.SERVER.uri());
        var server = server(
                always(new TlsIdentity(serverCertificate.key(), serverCertificate.chain(), roots)), TestMesh.tls());
        var tunnel = open(
                always(new TlsIdentity(clientCertificate.key(), clientCertificate.chain(), roots)),
                server,
                Set.of(TestMesh.SERVER));
        assertThat(tunnel.send("x").finish().answer()).isEqualTo("x");
    }

    @Test
    void case70_givenAClientOfAnotherTrustDomain_thenItIsRejected() {
        var server = server(mesh, TestMesh.tls());
        var stranger = mesh.identity("spiffe://elsewhere/ns/shop/sa/frontend");
        var tunnel = open(always(stranger), server, Set.of(TestMesh.SERVER));
        assertThat(tunnel.failure()).isInstanceOf(HboneFailure.TlsFailed.class);
        await().until(() -> echo.rejections.size() == 1);
        assertThat(echo.rejections.element().problem().message()).contains("another trust domain");
        assertThat(echo.requests).isEmpty();
    }

    @Test
    void givenAClientOfAnAlias_thenItIsServed() {
        var server = server(mesh, new MeshTls(PeerRules.of(Set.of("old.local"), TestMesh.CLOCK)));
        var client = mesh.identity("spiffe://old.local/ns/shop/sa/frontend");
        assertThat(open(always(client), server, Set.of(TestMesh.SERVER))
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
    }

    @Test
    void givenASecondIdentityOfOurDomain_whenTheFirstIsForeign_thenTheClientIsRejected() {
        var server = server(mesh, TestMesh.tls());
        var twofold = mesh.identity("spiffe://elsewhere/ns/shop/sa/frontend", TestMesh.CLIENT.uri());
        assertThat(open(always(twofold), server, Set.of(TestMesh.SERVER)).failure())
                .isInstanceOf(HboneFailure.TlsFailed.class);
    }

    @Test
    void case72_givenARevokedPeer_thenEachSideRejectsIt() {
        var strict = new MeshTls(new PeerRules(Set.of(), chain -> true, TestMesh.CLOCK));
        var server = server(mesh, TestMesh.tls());
        assertThat(open(mesh, strict, server, Set.of(TestMesh.SERVER)).failure())
                .isInstanceOf(HboneFailure.Revoked.class);
        var strictServer = server(mesh, strict);
        assertThat(open(mesh, strictServer, Set.of(TestMesh.SERVER)).failure())
                .isInstanceOf(HboneFailure.TlsFailed.class);
        await().until(() -> echo.rejections.stream().anyMatch(HboneFailure.Revoked.class::isInstance));
    }

    @Test
    void weaknessG_givenManyConnections_thenWhatIsExpensiveIsMadeOncePerCertificate() {
        var tls = TestMesh.tls();
        var own = mesh.identity(TestMesh.SERVER.uri());
        assertThat(sessions(tls, own)).isSameAs(sessions(tls, own));
        assertThat(sessions(tls, mesh.identity(TestMesh.SERVER.uri())))
                .as("of a renewed certificate")
                .isNotSameAs(sessions(tls, own));
    }

    @Test
    void weaknessG_givenPeersThatMetBefore_whenTheyConnectAgain_thenTheHandshakeIsShort_andThePeerIsKnown() {
        var serverTls = TestMesh.tls();
        var clientTls = TestMesh.tls();
        var server = server(mesh, serverTls);
        talk(clientTls, server);
        assertThat(clientTls.fullHandshakes()).isOne();

        talk(clientTls, server);

        assertThat(clientTls.fullHandshakes()).isOne();
        assertThat(serverTls.fullHandshakes()).isOne();
        assertThat(echo.requests)
                .hasSize(2)
                .allSatisfy(request -> assertThat(request.tls().identities()).containsExactly(TestMesh.CLIENT));
        var stranger = open(mesh, clientTls, server, Set.of(TestMesh.CLIENT));
        assertThat(stranger.failure()).isInstanceOf(HboneFailure.WrongPeer.class);
    }

    @Test
    void givenAPeerThatIsRevokedMeanwhile_whenItResumesItsSession_thenItIsRejected() {
        var revoked = new AtomicBoolean();
        var server = server(mesh, new MeshTls(new PeerRules(Set.of(), chain -> revoked.get(), TestMesh.CLOCK)));
        var clientTls = TestMesh.tls();
        talk(clientTls, server);

        revoked.set(true);

        assertThat(open(mesh, clientTls, server, Set.of(TestMesh.SERVER)).failure())
                .isNotNull();
        await().until(() -> echo.rejections.stream().anyMatch(HboneFailure.Revoked.class::isInstance));
        assertThat(echo.requests).hasSize(1);
    }

    @Test
    void givenAPeerWhoseCertificateEndedMeanwhile_whenItsSessionIsResumed_thenItIsRejected() {
        var now = new AtomicReference<>(TestMesh.NOW);
        var server = server(mesh, TestMesh.tls());
        var clientTls = new MeshTls(PeerRules.of(Set.of(), now::get));
        talk(clientTls, server);

        now.set(TestMesh.NOW.plus(Duration.ofDays(2)));

        assertThat(open(mesh, clientTls, server, Set.of(TestMesh.SERVER)).failure())
                .isInstanceOf(HboneFailure.TlsFailed.class);
        assertThat(echo.requests).hasSize(1);
    }

    /// A connection of its own, with an answer, so that what the server offers for next time has arrived.
    private void talk(MeshTls tls, TestServer server) {
        assertThat(open(mesh, tls, server, Set.of(TestMesh.SERVER))
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
    }

    private static Object sessions(MeshTls tls, TlsIdentity own) {
        var handler = tls.server(own, io.netty.buffer.ByteBufAllocator.DEFAULT, Duration.ofSeconds(1));
        try {
            return handler.engine().getSession().getSessionContext();
        } finally {
            io.netty.util.ReferenceCountUtil.release(handler.engine());
        }
    }

    @Test
    void givenAnExpiredCertificate_thenTlsFails() {
        var later = new MeshTls(
                PeerRules.of(Set.of(), java.time.InstantSource.fixed(TestMesh.NOW.plus(Duration.ofDays(2)))));
        assertThat(open(mesh, later, server(mesh, TestMesh.tls()), Set.of(TestMesh.SERVER))
                        .failure())
                .isInstanceOf(HboneFailure.TlsFailed.class);
    }

    @Test
    void givenNoCertificate_thenThatIsItsOwnFailure() {
        var problem = Problem.ofInput("ca-unavailable", "the authority does not answer", "wait");
        CertificateSource none = who -> CompletableFuture.failedFuture(new ProblemException(problem));
        assertThat(open(none, server(mesh, TestMesh.tls()), Set.of(TestMesh.SERVER))
                        .failure())
                .isEqualTo(new HboneFailure.CertificateMissing(TestMesh.CLIENT, problem));
        var server = server(none, TestMesh.tls());
        assertThat(open(mesh, server, Set.of(TestMesh.SERVER)).failure()).isInstanceOf(HboneFailure.TlsFailed.class);
        await().until(() -> echo.rejections.stream().anyMatch(HboneFailure.CertificateMissing.class::isInstance));
    }

    @Test
    void givenACertificateThatComesLate_whenConnectionsWait_thenAllAreServed() {
        var late = new CompletableFuture<TlsIdentity>();
        var server = server(who -> late, TestMesh.tls());
        var tunnel = open(mesh, server, Set.of(TestMesh.SERVER));
        await().until(() -> server.accepted.get() == 1);
        late.complete(mesh.identity(TestMesh.SERVER.uri()));
        assertThat(tunnel.send("x").finish().answer()).isEqualTo("x");
    }
}
