// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeqPacketTest {
    @Test
    void whenPacketsAreSent_thenTheyStayApartAndCarryTheirDescriptors() throws Exception {
        var pair = SeqPacketSocket.pair();
        try (var left = pair.get(0);
                var right = pair.get(1);
                var namespace = NetworkNamespace.current()) {
            left.send("one".getBytes(UTF_8), List.of());
            left.send("two".getBytes(UTF_8), List.of(namespace.descriptor()));

            try (var first = right.receive(1024, 1).orElseThrow();
                    var second = right.receive(1024, 1).orElseThrow()) {
                assertThat(first.bytes()).isEqualTo("one".getBytes(UTF_8));
                assertThat(first.descriptors()).isEmpty();
                assertThat(second.bytes()).isEqualTo("two".getBytes(UTF_8));
                assertThat(second.descriptors()).hasSize(1);
                assertThat(second.descriptors().getFirst().identity()).isEqualTo(namespace.identity());
                assertThat(second.truncated()).isEqualTo(SeqPacketSocket.Truncation.NONE);
            }
        }
    }

    @Test
    void givenTooManyBytesOrDescriptors_thenTruncationIsSeenAndNothingLeaks() throws Exception {
        var pair = SeqPacketSocket.pair();
        try (var left = pair.get(0);
                var right = pair.get(1);
                var namespace = NetworkNamespace.current()) {
            var before = NetworkNamespaceTest.openFiles();
            var it = namespace.descriptor();
            left.send(new byte[1025], List.of());
            left.send(new byte[1], List.of(it, it));
            left.send(new byte[1], List.of(it, it, it));

            try (var packet = right.receive(1024, 1).orElseThrow()) {
                assertThat(packet.truncated()).isEqualTo(SeqPacketSocket.Truncation.BYTES);
            }
            try (var packet = right.receive(1024, 1).orElseThrow()) {
                assertThat(packet.truncated())
                        .describedAs("two fit into the padding")
                        .isEqualTo(SeqPacketSocket.Truncation.NONE);
                assertThat(packet.descriptors()).hasSize(2);
            }
            try (var packet = right.receive(1024, 1).orElseThrow()) {
                assertThat(packet.truncated()).isEqualTo(SeqPacketSocket.Truncation.DESCRIPTORS);
            }
            assertThat(NetworkNamespaceTest.openFiles()).isLessThanOrEqualTo(before);
        }
    }

    @Test
    void givenListener_whenClientConnects_thenBothSidesTalk_andPeerIsKnown(@TempDir Path folder) throws Exception {
        var path = folder.resolve("x.sock");
        Files.createFile(path); // left from before
        try (var listener = SeqPacketListener.bind(path, "rw-rw-rw-")) {
            var client = SeqPacketSocket.connect(path);
            try (var server = listener.accept().orElseThrow()) {
                client.send(new byte[] {8, 1}, List.of());
                try (var packet = server.receive(10, 0).orElseThrow()) {
                    assertThat(packet.bytes()).containsExactly(8, 1);
                }
                assertThat(server.peer().pid())
                        .isEqualTo((int) ProcessHandle.current().pid());
                assertThat(server.peer().uid()).isZero();

                client.close();
                assertThat(server.receive(10, 0)).isEmpty();
            }
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void givenReceiverThatWaits_whenClosedByAnotherThread_thenItReturns() throws Exception {
        var pair = SeqPacketSocket.pair();
        try (var left = pair.get(0)) {
            var right = pair.get(1);
            var result = new CompletableFuture<Boolean>();
            var reader = Thread.ofPlatform().start(() -> {
                try {
                    result.complete(right.receive(10, 0).isEmpty());
                } catch (PosixException e) {
                    result.completeExceptionally(e);
                }
            });
            right.close();
            assertThat(result.get(5, TimeUnit.SECONDS)).isTrue();
            reader.join();
            assertThatExceptionOfType(PosixException.class)
                    .isThrownBy(() -> left.send(new byte[1], List.of()))
                    .withMessageContaining("EPIPE");
        }
    }

    @Test
    void givenAcceptThatWaits_whenClosedByAnotherThread_thenItReturns(@TempDir Path folder) throws Exception {
        var listener = SeqPacketListener.bind(folder.resolve("x.sock"), "rw-------");
        var result = new CompletableFuture<Boolean>();
        var acceptor = Thread.ofPlatform().start(() -> {
            try {
                result.complete(listener.accept().isEmpty());
            } catch (PosixException e) {
                result.completeExceptionally(e);
            }
        });
        listener.close();
        assertThat(result.get(5, TimeUnit.SECONDS)).isTrue();
        acceptor.join();
    }

    @Test
    void givenTimeout_whenNothingComes_thenItIsToldApart() throws Exception {
        var pair = SeqPacketSocket.pair();
        try (var left = pair.get(0);
                var right = pair.get(1)) {
            left.timeouts(Duration.ofMillis(20), Duration.ofMillis(20));
            assertThatExceptionOfType(PosixException.class)
                    .isThrownBy(() -> left.receive(10, 0))
                    .matches(PosixException::isTimeout);
            right.send(new byte[] {1}, List.of());
            assertThat(left.receive(10, 0)).isPresent();
        }
    }

    @Test
    void givenNobodyThere_whenConnecting_thenMessageNamesPath(@TempDir Path folder) {
        assertThatExceptionOfType(PosixException.class)
                .isThrownBy(() -> SeqPacketSocket.connect(folder.resolve("absent.sock")))
                .withMessageContaining("absent.sock")
                .withMessageContaining("no such file");
        assertThatExceptionOfType(PosixException.class)
                .isThrownBy(() -> SeqPacketSocket.connect(Path.of("/" + "x".repeat(120))))
                .withMessageContaining("at most 107 bytes");
    }
}
