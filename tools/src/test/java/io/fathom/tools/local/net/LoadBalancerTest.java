// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadBalancerTest {
    @Test
    void givenAPod_thenBytesPassBothWays_andTheEndDoesToo() throws Exception {
        try (var pod = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var balancer = LoadBalancer.start("127.0.0.1", 0, pod.getLocalPort(), () -> List.of("127.0.0.1"))) {
            Thread.ofVirtual().start(() -> echo(pod));
            try (var client = new Socket(InetAddress.getLoopbackAddress(), balancer.port())) {
                client.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
                client.shutdownOutput();
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .isEqualTo("hello");
            }
        }
    }

    @Test
    void givenNoPod_thenTheConnectionEnds() throws Exception {
        try (var balancer = LoadBalancer.start("127.0.0.1", 0, 80, List::of);
                var client = new Socket(InetAddress.getLoopbackAddress(), balancer.port())) {
            assertThat(client.getInputStream().readAllBytes()).isEmpty();
        }
    }

    private static void echo(ServerSocket pod) {
        try (var socket = pod.accept()) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
