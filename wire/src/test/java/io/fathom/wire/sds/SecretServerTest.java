// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.secret.v3.SecretDiscoveryServiceGrpc;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// With grpc-java as the client and the messages that Envoy's API generates.
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class SecretServerTest {
    private static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");

    @TempDir
    Path folder;

    private SecretServer server;
    private EventLoopGroup loops;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        var path = folder.resolve("a/socket");
        server = SecretServer.start(path);
        loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                .eventLoopGroup(loops)
                .channelType(EpollDomainSocketChannel.class)
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() throws Exception {
        channel.shutdownNow();
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).get();
    }

    @Test
    void givenNoCertificateYet_whenAsked_thenItComesOnceItIsThere_andAgainWhenRenewed() throws Exception {
        var answers = new Answers<DiscoveryResponse>();
        var requests = SecretDiscoveryServiceGrpc.newStub(channel).streamSecrets(answers);
        requests.onNext(DiscoveryRequest.newBuilder()
                .setTypeUrl(SecretCodec.TYPE)
                .addResourceNames("default")
                .build());
        Awaitility.await().until(() -> server.streams() == 1);
        var identity = identity("a");
        server.publish(identity);

        var first = answers.take();
        assertThat(first.getTypeUrl()).isEqualTo(SecretCodec.TYPE);
        var secret = secret(first.getResources(0));
        assertThat(secret.getName()).isEqualTo("default");
        assertThat(secret.getTlsCertificate()
                        .getCertificateChain()
                        .getInlineBytes()
                        .toStringUtf8())
                .isEqualTo(Pem.encode(identity.chain()));
        assertThat(secret.getTlsCertificate().getPrivateKey().getInlineBytes().toStringUtf8())
                .isEqualTo(Pem.encode(identity.key()));

        requests.onNext(DiscoveryRequest.newBuilder()
                .setTypeUrl(SecretCodec.TYPE)
                .setVersionInfo(first.getVersionInfo())
                .setResponseNonce(first.getNonce())
                .addResourceNames("default")
                .build());
        var renewed = identity("b");
        server.publish(renewed);
        var second = answers.take(); // the acknowledgement was not answered
        assertThat(second.getVersionInfo()).isNotEqualTo(first.getVersionInfo());
        assertThat(secret(second.getResources(0))
                        .getTlsCertificate()
                        .getCertificateChain()
                        .getInlineBytes()
                        .toStringUtf8())
                .isEqualTo(Pem.encode(renewed.chain()));

        requests.onCompleted();
        assertThat(answers.done.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.OK);
        Awaitility.await().until(() -> server.streams() == 0);
    }

    @Test
    void whenRootsAreAskedForOnAnotherStream_thenOnlyTheyAreSent() throws Exception {
        var identity = identity("a");
        server.publish(identity);
        server.publish("file-root:x", identity.roots());
        var answers = new Answers<DiscoveryResponse>();
        var requests = SecretDiscoveryServiceGrpc.newStub(channel).streamSecrets(answers);
        requests.onNext(DiscoveryRequest.newBuilder()
                .addResourceNames("ROOTCA")
                .addResourceNames("file-root:x")
                .addResourceNames("nothing")
                .build());
        var answer = answers.take();
        assertThat(answer.getResourcesList())
                .map(SecretServerTest::secret)
                .allSatisfy(secret -> assertThat(secret.getValidationContext()
                                .getTrustedCa()
                                .getInlineBytes()
                                .toStringUtf8())
                        .isEqualTo(Pem.encode(identity.roots())))
                .extracting(Secret::getName)
                .containsExactly("ROOTCA", "file-root:x");
        assertThat(answer.getResourcesList()).hasSize(2);
    }

    @Test
    void givenADeltaStream_thenWhatChangedIsSent() throws Exception {
        server.publish(identity("a"));
        var answers = new Answers<DeltaDiscoveryResponse>();
        var requests = SecretDiscoveryServiceGrpc.newStub(channel).deltaSecrets(answers);
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .addResourceNamesSubscribe("default")
                .addResourceNamesSubscribe("ROOTCA")
                .build());
        var first = answers.take();
        assertThat(first.getResourcesList())
                .map(resource -> resource.getName())
                .containsExactlyInAnyOrder("ROOTCA", "default");
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setResponseNonce(first.getNonce())
                .addResourceNamesUnsubscribe("ROOTCA")
                .build());
        server.publish("unrelated", identity("x").roots());
        var renewed = identity("b");
        server.publish(renewed);
        for (var names = answers.take(); ; names = answers.take()) {
            var last = names.getResourcesList().getLast();
            if (last.getName().equals("default")) {
                assertThat(secret(last.getResource())
                                .getTlsCertificate()
                                .getCertificateChain()
                                .getInlineBytes()
                                .toStringUtf8())
                        .isEqualTo(Pem.encode(renewed.chain()));
                return;
            }
        }
    }

    @Test
    void givenManyLargeAnswers_thenTheWindowIsKept() throws Exception {
        var answers = new Answers<DiscoveryResponse>();
        var requests = SecretDiscoveryServiceGrpc.newStub(channel).streamSecrets(answers);
        requests.onNext(DiscoveryRequest.newBuilder().addResourceNames("many").build());
        var roots = java.util.Collections.nCopies(60, identity("a").roots().getFirst()); // some 40 KiB
        for (int i = 0; i < 100; i++) {
            server.publish("many", roots);
        }
        var last = "";
        while (!last.equals("100")) {
            last = answers.take().getVersionInfo();
        }
    }

    @Test
    void whenAMethodIsAskedForThatThereIsNot_thenUnimplemented() {
        var stub = SecretDiscoveryServiceGrpc.newBlockingStub(channel);
        try {
            stub.fetchSecrets(DiscoveryRequest.getDefaultInstance());
            throw new AssertionError("answered");
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
        }
    }

    @Test
    void thenOnlyTheOwnerMayConnect() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a/socket"))))
                .isEqualTo("rw-------");
    }

    private static Secret secret(Any any) {
        try {
            assertThat(any.getTypeUrl()).isEqualTo(SecretCodec.TYPE);
            return Secret.parseFrom(any.getValue());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static TlsIdentity identity(String account) {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "test", NOW.minusSeconds(60), Duration.ofDays(365));
        var signer = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        var own = KeyAlgorithm.P256.generate();
        var name = new Identity("cluster.local", "ns", account).uri();
        var leaf = new Issuer(signer)
                .sign(
                        new Leaf(
                                SubjectKey.of(own.getPublic()), List.of(name), Leaf.Subject.EMPTY, Duration.ofHours(1)),
                        NOW);
        return new TlsIdentity(own.getPrivate(), List.of(leaf.certificate()), List.of(root));
    }

    private static final class Answers<T> implements StreamObserver<T> {
        private final BlockingQueue<T> received = new LinkedBlockingQueue<>();
        private final BlockingQueue<Status> done = new LinkedBlockingQueue<>();

        T take() throws InterruptedException {
            var next = received.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("an answer").isNotNull();
            return java.util.Objects.requireNonNull(next);
        }

        @Override
        public void onNext(T value) {
            received.add(value);
        }

        @Override
        public void onError(Throwable problem) {
            done.add(Status.fromThrowable(problem));
        }

        @Override
        public void onCompleted() {
            done.add(Status.OK);
        }
    }
}
