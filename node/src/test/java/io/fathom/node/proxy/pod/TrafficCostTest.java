// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fathom.model.mesh.IpPort;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What event loops allocate on the heap for traffic from one pod to another, both proxies together. Bounds leave room
/// for code that is not compiled yet; what they find is a buffer for each frame or connection. Of what is left for a
/// frame, some 300 bytes for each TLS record, most is Netty's SslHandler's.
class TrafficCostTest {
    private static final Logger log = LoggerFactory.getLogger(TrafficCostTest.class);
    private static final String SERVER = TestNode.address(2);
    private static final int CONNECTIONS = 400;
    private static final int MEBIBYTE = 1 << 20;
    private static final int MEBIBYTES = 64;

    private final TestNode node = new TestNode();
    private final List<Long> threads = new ArrayList<>();
    private ServedPod client;

    @BeforeEach
    void start() throws Exception {
        node.mesh.put(
                Drafts.pod("client", "127.0.0.1").build(),
                Drafts.pod("server", SERVER).build());
        client = node.start("client", TestNode.address(1));
        var _ = node.start("server", SERVER);
        for (var loop : node.loops) {
            threads.add(loop.submit(() -> Thread.currentThread().threadId()).get());
        }
    }

    @AfterEach
    void close() {
        node.close();
    }

    private long allocated() {
        var bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.stream().mapToLong(bean::getThreadAllocatedBytes).sum();
    }

    @Test
    void whenConnectionsComeAndGo_thenEachCostsLittle() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        connections(app.at(SERVER), CONNECTIONS);
        var before = allocated();
        connections(app.at(SERVER), CONNECTIONS);
        var each = (allocated() - before) / CONNECTIONS;
        log.info("{} bytes for each connection", each);
        assertThat(each).isLessThan(32 * 1024);
    }

    private void connections(IpPort target, int count) throws IOException {
        for (var i = 0; i < count; i++) {
            assertThat(PlainTrafficTest.talk(node.connect(client, target), "hello"))
                    .isEqualTo("hello");
        }
    }

    @Test
    void whenBulkIsRelayed_thenNoBufferIsAllocatedForAFrame() throws Exception {
        var app = node.closing(TestApp.start(SERVER, socket -> {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            socket.getOutputStream().write(1);
            socket.close();
        }));
        bulk(app.at(SERVER));
        var before = allocated();
        bulk(app.at(SERVER));
        var each = (allocated() - before) / MEBIBYTES;
        log.info("{} bytes for each MiB", each);
        assertThat(each).isLessThan(64 * 1024);
    }

    private void bulk(IpPort target) throws IOException {
        try (var socket = node.connect(client, target)) {
            var part = new byte[MEBIBYTE];
            for (var i = 0; i < MEBIBYTES; i++) {
                socket.getOutputStream().write(part);
            }
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(1);
        }
    }
}
