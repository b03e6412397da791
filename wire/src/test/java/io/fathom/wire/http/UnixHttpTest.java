// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixHttpTest {
    private static final HttpCall CALL =
            new HttpCall("POST", "/cmdadd", "unix", Map.of("content-type", "application/json"), "{}");
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void whenAnswered_thenThereIsAReply() throws Exception {
        try (var server = listen()) {
            var asked = CompletableFuture.supplyAsync(() -> answer(server));
            assertThat(UnixHttp.call(folder.resolve("s"), CALL, LONG)).isEqualTo(new UnixHttp.UnixHttpReply(200, "hi"));
            assertThat(asked.join())
                    .isEqualTo("POST /cmdadd HTTP/1.1\r\nhost: unix\r\ncontent-type: application/json\r\n"
                            + "content-length: 2\r\n\r\n{}");
        }
    }

    @Test
    void givenAServerThatSaysNothing_thenTheTimeIsUp() throws Exception {
        try (var _ = listen()) {
            assertThatThrownBy(() -> UnixHttp.call(folder.resolve("s"), CALL, Duration.ofMillis(50)))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("50 ms");
        }
    }

    @Test
    void givenNoServer_thenTheCallFails() throws Exception {
        assertThatThrownBy(() -> UnixHttp.call(folder.resolve("none"), CALL, LONG))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(SocketTimeoutException.class);
    }

    private ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("s")));
    }

    private static String answer(ServerSocketChannel server) {
        try (var client = server.accept()) {
            var buffer = ByteBuffer.allocate(4096);
            while (!StandardCharsets.UTF_8
                    .decode(buffer.duplicate().flip())
                    .toString()
                    .endsWith("{}")) {
                client.read(buffer);
            }
            client.write(
                    ByteBuffer.wrap("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi".getBytes(StandardCharsets.UTF_8)));
            return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
