// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.SeqPacketListener;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.socket.Loops;
import io.fathom.node.socket.PodSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.wire.zds.ZdsConnection;
import io.fathom.wire.zds.ZdsRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The cases 90 to 97 of the node proxy, in real namespaces.
class ZdsSessionTest {
    private static final ZdsRequest SNAPSHOT = new ZdsRequest.SnapshotSent();

    /// Without port reuse, so that two listeners do conflict.
    private static final SocketConfig CONFIG = new SocketConfig(
            OptionalInt.of(1337),
            SocketConfig.PortReuse.NO,
            SocketConfig.KeepSource.IF_POSSIBLE,
            SocketConfig.Families.BOTH,
            Optional.empty());

    @TempDir
    Path folder;

    private final Loops loops = new Loops();
    private final ManualTimeline timeline = new ManualTimeline(Instant.EPOCH);
    private final FakeProxies proxies = new FakeProxies(loops);
    private final Counts counts = new Counts();
    private final List<Problem> violations = new CopyOnWriteArrayList<>();
    private final List<TestNamespace> namespaces = new ArrayList<>();
    private TestNamespace pod;
    private TestNamespace otherPod;
    private FakeAgent agent;
    private PodSockets sockets;
    private PodRegistry registry;
    private ZdsSession session;

    private static final class Counts implements PodObserver {
        volatile int started;
        volatile int stopped;
        volatile int active;
        volatile int pending;
        volatile PodReadiness readiness = PodReadiness.NOT_READY;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // the registry calls under its lock
        public void proxyStarted() {
            started++;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void proxyStopped() {
            stopped++;
        }

        @Override
        public void counted(int active, int pending) {
            this.active = active;
            this.pending = pending;
        }

        @Override
        public void ready(PodReadiness readiness) {
            this.readiness = readiness;
        }
    }

    @BeforeEach
    void start() {
        pod = namespace();
        otherPod = namespace();
        agent = new FakeAgent(folder.resolve("ztunnel.sock"));
        sockets = PodSockets.start(CONFIG);
        registry = new PodRegistry(sockets, proxies, timeline, counts);
        session = ZdsSession.start(folder.resolve("ztunnel.sock"), registry, violations::add, new Random(1));
    }

    private TestNamespace namespace() {
        var made = TestNamespace.create();
        namespaces.add(made);
        return made;
    }

    @AfterEach
    void stop() {
        session.close();
        registry.close();
        sockets.close();
        agent.close();
        loops.close();
        namespaces.forEach(TestNamespace::close);
    }

    @Test
    void givenPod_whenAddedTwice_thenOneProxy_andWhenItsNamespaceIsNew_thenReplaced() throws Exception {
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxies.made).hasSize(1);
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxies.made).hasSize(1);

        assertThat(FakeAgent.add(proxy, "1", otherPod)).isEmpty();
        assertThat(proxies.made).hasSize(2);
        assertThat(proxies.made.get(0).isServing()).isFalse();
        assertThat(proxies.made.get(1).isServing()).isTrue();
        assertThat(proxies.made.get(1).pod).isEqualTo(FakeAgent.info("1"));
        assertThat(counts.started).isEqualTo(2);
        assertThat(counts.stopped).isEqualTo(1);
        assertThat(counts.active).isEqualTo(1);
    }

    @Test
    void givenServedPod_thenItIsReachedInItsNamespace() throws Exception {
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        var client = loops.connect(proxies.made.getFirst().sockets.stream(), "127.0.0.1", 15008);
        assertThat(client.isActive()).isTrue();
        assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
        assertThat(registry.obstacle()).isEmpty();
        assertThat(registry.pods()).hasExactlyElementsOfTypes(PodStatus.Up.class);
    }

    @Test
    void givenPortConflict_thenPodIsPendingAndAgentHearsWhy_andRetryWorksOnceThePortIsFree() throws Exception {
        try (var squatter = sockets.in(NetworkNamespace.open(pod.path()))) {
            var conflict = squatter.listener();
            var _ = loops.accept(conflict, "::", 15008);
            var proxy = agent.proxy();

            assertThat(FakeAgent.add(proxy, "1", pod))
                    .hasValueSatisfying(error -> assertThat(error).contains("15008"));
            assertThat(proxy.send(SNAPSHOT)).describedAs("the connection stays").isEmpty();
            assertThat(counts.pending).isEqualTo(1);
            assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.NOT_READY);
            assertThat(registry.obstacle())
                    .hasValueSatisfying(
                            text -> assertThat(text).contains("shop/web-1").contains("15008"));

            timeline.advance(Duration.ofSeconds(5));
            assertThat(counts.pending).describedAs("still in use").isEqualTo(1);

            conflict.close().syncUninterruptibly();
            timeline.advance(Duration.ofSeconds(5));
            assertThat(counts.pending).isZero();
            assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
            assertThat(proxies.serving()).isEqualTo(1);
            assertThat(timeline.nextAppointment())
                    .describedAs("no more retries")
                    .isEmpty();
        }
    }

    @Test
    void givenPendingPod_whenDeletedOrAddedAgain_thenNoLongerPending() throws Exception {
        try (var squatter = sockets.in(NetworkNamespace.open(pod.path()))) {
            var conflict = squatter.listener();
            var _ = loops.accept(conflict, "::", 15008);
            var proxy = agent.proxy();
            assertThat(FakeAgent.add(proxy, "1", pod)).isPresent();
            assertThat(FakeAgent.add(proxy, "2", pod)).isPresent();
            assertThat(counts.pending).isEqualTo(2);
            assertThat(proxy.send(new ZdsRequest.Delete("1"))).isEmpty();
            assertThat(counts.pending).isEqualTo(1);

            conflict.close().syncUninterruptibly();
            assertThat(FakeAgent.add(proxy, "2", pod)).isEmpty();
            assertThat(counts.pending).isZero();
            timeline.advance(Duration.ofSeconds(10));
            assertThat(proxies.made).hasSize(1);
        }
    }

    @Test
    void givenServedPod_whenDeletedBeforeSnapshot_thenItStopsWithTheSnapshot() throws Exception {
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxy.send(new ZdsRequest.Delete("1"))).isEmpty();
        assertThat(proxies.serving()).isEqualTo(1);
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(proxies.serving()).isZero();
    }

    @Test
    void givenServedPod_whenDeletedAfterSnapshot_thenItStopsAtOnce_andUnknownPodsAreNoError() throws Exception {
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(proxy.send(new ZdsRequest.Delete("unknown"))).isEmpty();
        assertThat(proxy.send(new ZdsRequest.Delete("1"))).isEmpty();
        assertThat(proxies.serving()).isZero();
        assertThat(counts.active).isZero();
    }

    @Test
    void givenReconnect_thenKeptPodGoesOnWithItsProxy_andMissingPodStops() throws Exception {
        try (var proxy = agent.proxy()) {
            assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
            assertThat(FakeAgent.add(proxy, "2", otherPod)).isEmpty();
            assertThat(proxy.send(SNAPSHOT)).isEmpty();
            assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
        }
        var proxy = agent.proxy();
        assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.NOT_READY);
        assertThat(proxies.serving()).describedAs("while the agent was away").isEqualTo(2);

        assertThat(proxy.send(new ZdsRequest.Keep("1"))).isEmpty();
        assertThat(proxies.serving()).isEqualTo(2);
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(proxies.serving()).isEqualTo(1);
        assertThat(proxies.made).hasSize(2);
        assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
    }

    @Test
    void givenReconnect_thenPendingPodsAreForgotten() throws Exception {
        try (var squatter = sockets.in(NetworkNamespace.open(pod.path()))) {
            var _ = loops.accept(squatter.listener(), "::", 15008);
            try (var proxy = agent.proxy()) {
                assertThat(FakeAgent.add(proxy, "1", pod)).isPresent();
            }
            var proxy = agent.proxy();
            assertThat(proxy.send(SNAPSHOT)).isEmpty();
            assertThat(counts.pending).isZero();
            assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
        }
    }

    @Test
    void givenBrokenProtocol_thenRefusedAndReported_andAfterReconnectAllIsWell() throws Exception {
        try (var proxy = agent.proxy()) {
            assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
            assertThat(proxy.send(SNAPSHOT)).isEmpty();
            assertThat(proxy.send(new ZdsRequest.Keep("1")))
                    .hasValueSatisfying(error -> assertThat(error).contains("after the snapshot"));
            await().until(() -> !proxy.isAlive());
        }
        try (var proxy = agent.proxy()) {
            assertThat(proxy.send(new ZdsRequest.Keep("1"))).isEmpty();
            assertThat(proxy.send(SNAPSHOT)).isEmpty();
            assertThat(proxy.send(SNAPSHOT))
                    .hasValueSatisfying(error -> assertThat(error).contains("second SnapshotSent"));
        }
        var proxy = agent.proxy();
        assertThat(proxy.send(new ZdsRequest.Keep("1"))).isEmpty();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(violations)
                .extracting(Problem::code)
                .containsExactly("zds-protocol-violated", "zds-protocol-violated");
        assertThat(proxies.serving()).isEqualTo(1);
        assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
    }

    @Test
    void givenAgentThatHangsUpAtGreeting_thenNotReady_andDialledAgain() throws Exception {
        for (int i = 0; i < 3; i++) {
            agent.dialled().close();
            assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.NOT_READY);
        }
        var proxy = agent.proxy();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        await().untilAsserted(() -> assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY));
    }

    @Test
    void givenDescriptorThatIsNoNamespace_thenRefused() throws Exception {
        var proxy = agent.proxy();
        try (var file = Descriptor.openReadOnly(Path.of("/dev/null"))) {
            assertThat(proxy.send(new ZdsRequest.Add(FakeAgent.info("1"), file)))
                    .isPresent();
        }
        assertThat(proxies.made).isEmpty();
    }

    @Test
    void givenFactoryWithBug_thenPodIsPendingAndSessionGoesOn() throws Exception {
        proxies.bug = Optional.of(new IllegalStateException("oops"));
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod))
                .hasValueSatisfying(error -> assertThat(error).contains("oops"));
        proxies.bug = Optional.empty();
        timeline.advance(Duration.ofSeconds(5));
        assertThat(proxies.serving()).isEqualTo(1);
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        assertThat(counts.readiness).isEqualTo(PodObserver.PodReadiness.READY);
    }

    @Test
    void givenAddWithoutInfo_thenRefusedAndDialledAgain() throws Exception {
        agent.close();
        var raw = SeqPacketListener.bind(folder.resolve("ztunnel.sock"), "rw-rw-rw-");
        try (raw;
                var namespace = NetworkNamespace.open(pod.path())) {
            for (int i = 0; i < 2; i++) {
                try (var proxy = raw.accept().orElseThrow();
                        var hello = proxy.receive(1024, 0).orElseThrow()) {
                    assertThat(hello.bytes()).startsWith(8, 1);
                    proxy.send(HexFormat.of().parseHex("0a030a0175"), List.of(namespace.descriptor()));
                    try (var answer = proxy.receive(1024, 0).orElseThrow()) {
                        assertThat(new String(answer.bytes(), StandardCharsets.UTF_8))
                                .contains("without workload_info");
                    }
                    assertThat(proxy.receive(1024, 0)).describedAs("hung up").isEmpty();
                }
            }
        }
        assertThat(proxies.made).isEmpty();
    }

    @Test
    void whenDrained_thenListenersCloseAndConnectionsMayEnd_andNewPodsAreRefused() throws Exception {
        var proxy = agent.proxy();
        assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();

        var drained = registry.drain();
        assertThat(proxies.serving()).isZero();
        assertThat(drained).isNotDone();
        assertThat(FakeAgent.add(proxy, "2", otherPod)).isPresent();
        registry.close(); // the deadline
        assertThat(drained).isDone();
    }

    @Test
    void whenManyPodsComeAndGo_thenNoDescriptorIsLost() throws Exception {
        var proxy = agent.proxy();
        assertThat(proxy.send(SNAPSHOT)).isEmpty();
        comeAndGo(proxy, 10);
        var before = openFiles();
        comeAndGo(proxy, 500);
        assertThat(openFiles()).isLessThanOrEqualTo(before + 1);
    }

    private void comeAndGo(ZdsConnection proxy, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(FakeAgent.add(proxy, "1", i % 2 == 0 ? pod : otherPod)).isEmpty();
            assertThat(FakeAgent.add(proxy, "1", pod)).isEmpty();
            assertThat(proxy.send(new ZdsRequest.Delete("1"))).isEmpty();
        }
    }

    private static long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
