// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.base.posix.SeqPacketSocket;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.PodListener;
import io.fathom.wire.zds.ZdsClient;
import io.fathom.wire.zds.ZdsRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the agent does with the listeners of pods. Any file may play one.
class KeptListenersTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String NAME = "tcp/[::]:15001";
    private static final PodInfo POD = new PodInfo("uid", "web", "shop", "web");

    private final TestNamespace namespace = TestNamespace.create();
    private final CopyOnWriteArrayList<KnownPod> pods = new CopyOnWriteArrayList<>();
    private NetworkNamespace handle;
    private ProxyServer server;
    private Path socket;
    private Path listener;

    @TempDir
    Path folder;

    @BeforeEach
    void begin() throws IOException {
        handle = NetworkNamespace.open(namespace.path());
        pods.add(new KnownPod(POD, Optional.of(handle)));
        listener = Files.writeString(folder.resolve("listener"), "");
        socket = folder.resolve("ztunnel.sock");
        server = serve(LONG);
    }

    private ProxyServer serve(Duration keeping) {
        var serving = ProxyServer.bind(
                socket,
                new ProxyServerConfig(Duration.ofMillis(1), Duration.ofMillis(50), keeping, Duration.ofSeconds(15)));
        serving.serve(() -> List.copyOf(pods), () -> {});
        return serving;
    }

    @AfterEach
    void end() {
        server.close();
        handle.close();
        namespace.close();
    }

    /// One that was connected and told all pods, and answered with that file.
    private record Proxy(ZdsClient client, ZdsRequest.Keeping keeping, List<FileIdentity> handed)
            implements AutoCloseable {
        @Override
        public void close() {
            client.close();
        }
    }

    private Proxy proxy() throws PosixException {
        return proxy(List.of(listener));
    }

    private Proxy proxy(List<Path> listeners) throws PosixException {
        var client = ZdsClient.connect(socket);
        var keeping = ZdsRequest.Keeping.NO;
        var handed = new CopyOnWriteArrayList<FileIdentity>();
        while (client.next().orElseThrow() instanceof ZdsRequest.Add add) {
            keeping = add.keeping();
            for (var had : add.listeners()) {
                assertThat(had.name()).isEqualTo(NAME);
                handed.add(had.socket().identity());
            }
            add.close();
            if (keeping == ZdsRequest.Keeping.NO || listeners.isEmpty()) {
                client.accept();
                continue;
            }
            try (var own = Descriptor.openReadOnly(listeners.getFirst())) {
                client.accept(List.of(new PodListener(NAME, own)));
            }
        }
        client.accept(); // the snapshot
        return new Proxy(client, keeping, handed);
    }

    private void awaitNobody() {
        await().atMost(LONG).until(() -> server.proxies().isEmpty());
    }

    private FileIdentity file() throws PosixException {
        try (var open = Descriptor.openReadOnly(listener)) {
            return open.identity();
        }
    }

    @Test
    void whenAProxyDies_thenTheNextOneGetsItsListeners() throws Exception {
        try (var first = proxy()) {
            assertThat(first.keeping()).isEqualTo(ZdsRequest.Keeping.YES);
            assertThat(first.handed()).isEmpty();
        }
        awaitNobody();
        try (var second = proxy()) {
            assertThat(second.handed()).containsExactly(file());
        }
    }

    @Test
    void givenTwoAtOnce_asDuringAnUpgrade_thenTheSecondGetsThemToo() throws Exception {
        try (var _ = proxy();
                var second = proxy()) {
            assertThat(second.handed()).containsExactly(file());
        }
    }

    @Test
    void givenAnotherNamespace_thenTheyAreOfNoUse() throws Exception {
        try (var _ = proxy();
                var other = TestNamespace.create();
                var otherHandle = NetworkNamespace.open(other.path())) {
            pods.set(0, new KnownPod(POD, Optional.of(otherHandle)));
            try (var second = proxy()) {
                assertThat(second.handed()).isEmpty();
            }
        }
    }

    @Test
    void whenThePodGoes_orNoProxyComes_thenTheyAreClosed() throws Exception {
        server.close();
        server = serve(SHORT);
        try (var _ = proxy()) {
            await().atMost(LONG).until(() -> open() == 1);
            pods.clear();
            try (var _ = proxy()) {
                await().atMost(LONG).until(() -> open() == 0);
            }
        }
        pods.add(new KnownPod(POD, Optional.of(handle)));
        try (var _ = proxy()) {
            await().atMost(LONG).until(() -> open() == 1);
        }
        await().atMost(LONG).until(() -> open() == 0);
    }

    @Test
    void whenAProxyHasNoneOfThem_thenNobodyKeepsThem() throws Exception {
        try (var _ = proxy();
                var _ = proxy(List.of())) {
            await().atMost(LONG).until(() -> open() == 0);
        }
    }

    /// A kept socket that it does not accept from would swallow connections of its clients.
    @Test
    void givenAStockProxy_thenNothingIsKept_untilItIsGone() throws Exception {
        try (var ours = proxy()) {
            assertThat(ours.handed()).isEmpty();
            try (var stock = SeqPacketSocket.connect(socket)) {
                stock.send(new byte[] {8, 1}, List.of());
                stock.receive(1024, 1).orElseThrow().close();
                assertThat(open()).isZero();
                stock.send(new byte[] {0x0a, 0}, List.of()); // the pod
                stock.receive(1024, 1).orElseThrow().close();
                stock.send(new byte[] {0x0a, 0}, List.of()); // the snapshot
                try (var beside = proxy()) {
                    assertThat(beside.keeping()).isEqualTo(ZdsRequest.Keeping.NO);
                }
            }
            awaitNobody(); // a proxy dials again then, and brings its listeners
        }
        try (var again = proxy()) {
            assertThat(again.keeping()).isEqualTo(ZdsRequest.Keeping.YES);
        }
    }

    /// How many descriptors of the listener this process has.
    private long open() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(this::isListener).count();
        }
    }

    private boolean isListener(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(listener);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
