// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.SeqPacketSocket;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.proto.zds.WorkloadResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ZdsTest {
    private static final PodResolver RESOLVER = new PodResolver(
            List.of(Ip.parse("192.0.2.1").orElseThrow(), Ip.parse("2001:db8::1").orElseThrow()),
            List.of("corp.example"),
            PodResolver.Role.ALONE);
    private static final PodInfo POD = new PodInfo("uid-1", "web-0", "shop", "web", RESOLVER);

    @TempDir
    Path folder;

    private Path path;
    private ZdsListener listener;

    @BeforeEach
    void listen() {
        path = folder.resolve("ztunnel.sock");
        listener = ZdsListener.bind(path);
    }

    @AfterEach
    void close() {
        listener.close();
    }

    @Test
    void whenAStockProxyDials_thenItHasItsOwnListeners_andOursSaysMore() throws Exception {
        try (var socket = SeqPacketSocket.connect(path);
                var agent = listener.accept().orElseThrow()) {
            socket.send(new byte[] {8, 1}, List.of());
            assertThat(agent.greeting()).isEqualTo(new ZdsGreeting(1, ZdsGreeting.ListenerUse.OWN));
        }
        try (var _ = ZdsClient.connect(path);
                var agent = listener.accept().orElseThrow()) {
            assertThat(agent.greeting()).isEqualTo(new ZdsGreeting(1, ZdsGreeting.ListenerUse.HANDED_OVER));
        }
        assertThat(ZdsCodec.encodeAck(Optional.empty(), List.of())).containsExactly(0x0a, 0);
    }

    @Test
    void whenRequestsAreSent_thenEachArrivesWithItsNamespaceAndIsAnswered() throws Exception {
        try (var proxy = ZdsClient.connect(path);
                var agent = listener.accept().orElseThrow();
                var own = NetworkNamespace.current()) {
            assertThat(agent.greeting().version()).isEqualTo(1);

            var added = sending(agent, new ZdsRequest.Add(POD, own.descriptor()));
            var add = (ZdsRequest.Add) proxy.next().orElseThrow();
            assertThat(add.pod()).isEqualTo(POD);
            try (var received = NetworkNamespace.of(add.namespace())) {
                assertThat(received.identity()).isEqualTo(own.identity());
            }
            proxy.refuse("port 15008 is in use");
            assertThat(added.get(5, TimeUnit.SECONDS)).contains("port 15008 is in use");

            for (var request : List.of(
                    new ZdsRequest.Keep("uid-2"), new ZdsRequest.Delete("uid-3"), new ZdsRequest.SnapshotSent())) {
                var sent = sending(agent, request);
                assertThat(proxy.next()).contains(request);
                proxy.accept();
                assertThat(sent.get(5, TimeUnit.SECONDS)).isEmpty();
            }
        }
    }

    @Test
    void whenEncoded_thenBytesAreThoseOfTheProtocol() {
        var hex = HexFormat.of();
        try (var none = new Closed()) {
            assertThat(hex.formatHex(ZdsCodec.encode(new ZdsRequest.Add(new PodInfo("u", "n", "s", "a"), none.it))))
                    .isEqualTo("0a0e" + "0a0175" + "1209" + "0a016e" + "120173" + "1a0161");
        }
        assertThat(hex.formatHex(ZdsCodec.encode(new ZdsRequest.Keep("u")))).isEqualTo("2a030a0175");
        assertThat(hex.formatHex(ZdsCodec.encode(new ZdsRequest.Delete("u")))).isEqualTo("1203120175");
        assertThat(hex.formatHex(ZdsCodec.encode(new ZdsRequest.SnapshotSent())))
                .isEqualTo("1a00");
    }

    /// Some descriptor.
    private static final class Closed implements AutoCloseable {
        private final Descriptor it;

        Closed() {
            try {
                it = Descriptor.openReadOnly(Path.of("/dev/null"));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            it.close();
        }
    }

    static Stream<Arguments> badPackets() {
        var add = "0a0e0a017512090a016e1201731a0161";
        return Stream.of(
                Arguments.argumentSet("an Add without namespace", add, 0, "0 descriptors"),
                Arguments.argumentSet("an Add with two namespaces", add, 2, "2 descriptors"),
                Arguments.argumentSet("an Add with three namespaces", add, 19, "too many descriptors"),
                Arguments.argumentSet("a Del with a namespace", "1203120175", 1, "1 descriptors"),
                Arguments.argumentSet("an Add without workload_info", "0a030a0175", 1, "without workload_info"),
                Arguments.argumentSet("1025 bytes", "00".repeat(1025), 0, "more than 1024 bytes"),
                Arguments.argumentSet("an unknown request", "3200", 0, "nothing that is known"),
                Arguments.argumentSet("noise", "ffffff", 1, "not a WorkloadRequest"));
    }

    @ParameterizedTest
    @MethodSource("badPackets")
    void givenBadPacket_thenItIsRefusedAndNoDescriptorStaysOpen(String bytes, int descriptors, String reason)
            throws Exception {
        try (var proxy = ZdsClient.connect(path);
                var agent = accepted();
                var own = NetworkNamespace.current()) {
            var before = openFiles();
            agent.send(
                    HexFormat.of().parseHex(bytes),
                    Stream.generate(own::descriptor).limit(descriptors).toList());

            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(proxy::next)
                    .withMessageContaining(reason);
            assertThat(openFiles()).isLessThanOrEqualTo(before);
        }
    }

    /// Without what keeps the agent from sending nonsense.
    private SeqPacketSocket accepted() {
        var connection = listener.accept().orElseThrow();
        assertThat(connection.greeting().version()).isEqualTo(1);
        return connection.socket();
    }

    @Test
    void givenProxyThatDoesNotAnswer_thenAgentClosesSoThatLateAnswersFindNobody() throws Exception {
        try (var proxy = ZdsClient.connect(path);
                var agent = listener.accept().orElseThrow()) {
            assertThat(agent.greeting().version()).isEqualTo(1);
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> agent.send(new ZdsRequest.Keep("u"), Duration.ofMillis(50)))
                    .withMessageContaining("50ms");
            assertThat(proxy.next()).isPresent();
            assertThatExceptionOfType(ProblemException.class).isThrownBy(proxy::accept);
            assertThat(agent.isAlive()).isFalse();
        }
    }

    @Test
    void givenProxyThatLeaves_whenAgentWaitsForItsAnswer_thenItIsReleased() throws Exception {
        var proxy = ZdsClient.connect(path);
        try (var agent = listener.accept().orElseThrow()) {
            assertThat(agent.greeting().version()).isEqualTo(1);
            assertThat(agent.isAlive()).isTrue();
            var sent = sending(agent, new ZdsRequest.Delete("u"));
            assertThat(proxy.next()).isPresent();
            proxy.close();
            assertThat(sent.handle((_, failure) -> failure).get(5, TimeUnit.SECONDS))
                    .hasMessageContaining("the proxy left");
        }
    }

    @Test
    void givenLongError_thenItIsCutToWhatTheOtherSideReads() throws Exception {
        var ack = ZdsCodec.encodeAck(Optional.of("ä".repeat(2000)), List.of());
        assertThat(ack.length).isLessThanOrEqualTo(1024);
        assertThat(WorkloadResponse.parseFrom(ack).getAck().getError()).matches("ä{400,500}");
    }

    @Test
    void givenNobodyListens_whenDialled_thenProblemNamesPath() {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> ZdsClient.connect(folder.resolve("absent")))
                .matches(e -> e.problem().code().equals("zds-unreachable"))
                .withMessageContaining("absent");
    }

    private static CompletableFuture<Optional<String>> sending(ZdsConnection agent, ZdsRequest request) {
        var answer = new CompletableFuture<Optional<String>>();
        var _ = Thread.ofPlatform().daemon().start(() -> {
            try {
                answer.complete(agent.send(request));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private static long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
