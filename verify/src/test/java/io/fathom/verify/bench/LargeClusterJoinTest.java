// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.clusters.ClusterClaim;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.RemoteSource;
import io.fathom.control.clusters.SyncState;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.ResourceStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A cluster of ten thousand pods joins and leaves while our own pods change one after the other, and a client on a
/// real stream waits for each change. The cluster is on our network, so each of its pods is served.
@Tag("slow")
class LargeClusterJoinTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration BOUND =
            Duration.ofSeconds(10); // the join of a cold JVM on a loaded machine takes three
    private static final Map<String, String> GLOBAL = Map.of("istio.io/global", "true");
    private static final LargeMesh OURS = new LargeMesh("Kubernetes", 128, GLOBAL, 2_000, 200);
    private static final LargeMesh THEIRS = new LargeMesh("east", 192, GLOBAL, 10_000, 1_000);

    private final AmbientMesh mesh = new AmbientMesh(AmbientConfig.defaults());
    private final ResourceStore store = new ResourceStore(InstantSource.system());
    private final ClusterRegistry registry = new ClusterRegistry("Kubernetes", mesh.remotes(), PATIENCE);
    private AdsServer server;
    private Arrivals client;
    private int changes;

    @BeforeEach
    void start() throws Exception {
        mesh.subscribe(new Publisher(mesh, store));
        mesh.apply(OURS.manifests());
        var config = AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0);
        server = AdsServer.start(config, store, XdsObserver.NONE, InstantSource.system());
        client = Arrivals.open(server.plaintextPort().orElseThrow(), OURS.pods() + OURS.services());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
        registry.close();
    }

    @Test
    void whenALargeClusterJoins_thenOurChangesDoNotWaitForIt_andWhenItLeavesNothingIsLeft() throws Exception {
        for (int i = 0; i < 200; i++) {
            change();
        }
        var before = new Waits(0, 0);
        for (int i = 0; i < 200; i++) {
            before = before.and(change());
        }
        var rows = mesh.cut().rows();
        var served = served();
        var heap = heap();

        var during = whileItHappens(this::join);
        assertThat(registry.reports()).singleElement().satisfies(report -> {
            assertThat(report.state()).isEqualTo(SyncState.SYNCED);
            assertThat(report.objects()).containsEntry("Pod", THEIRS.pods());
        });
        assertThat(served()).hasSizeGreaterThanOrEqualTo(served.size() + THEIRS.pods());
        var joined = heap();
        var leaving = whileItHappens(this::leave);
        var left = heap();
        join();
        leave();
        var leftAgain = heap();

        System.out.printf(
                "slowest change until the client has it: %d ms; %d ms of %d while it joins, %d ms of %d while it leaves;"
                        + " heap %,d, joined %,d, left %,d, again %,d%n",
                before.slowest().toMillis(),
                during.slowest().toMillis(),
                during.count(),
                leaving.slowest().toMillis(),
                leaving.count(),
                heap,
                joined,
                left,
                leftAgain);
        assertThat(during.count()).as("changes that got through meanwhile").isGreaterThanOrEqualTo(3);
        assertThat(during.slowest()).isLessThan(BOUND);
        assertThat(leaving.slowest()).isLessThan(BOUND);
        assertThat(registry.reports()).isEmpty();
        assertThat(registry.problems()).isEmpty();
        assertThat(served()).isEqualTo(served);
        assertThat(mesh.cut().rows()).isEqualTo(rows);
        // What went is in the log for clients that reconnect, which is bounded: the second time takes no more.
        assertThat(leftAgain - left).as("bytes").isLessThan((joined - heap) / 5);
    }

    private void join() throws InterruptedException {
        registry.want("test", List.of(claim()));
        registry.await();
    }

    private void leave() {
        registry.want("test", List.of());
    }

    /// How many changes there were, and how long the slowest took.
    private record Waits(int count, long slowestNanos) {
        Waits and(long nanos) {
            return new Waits(count + 1, Math.max(slowestNanos, nanos));
        }

        Duration slowest() {
            return Duration.ofNanos(slowestNanos);
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    /// Changes one pod after the other until the work is done. The last one may end after it, and counts as well.
    private Waits whileItHappens(Work work) throws Exception {
        var waits = new Waits(0, 0);
        var thread = Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (thread.isAlive()) {
            waits = waits.and(change());
        }
        return waits;
    }

    /// How long it took until the client had it.
    private long change() throws Exception {
        var begun = System.nanoTime();
        var pod = changes++ % OURS.pods();
        client.expect(LargeMesh.STAMP + begun);
        mesh.apply(List.of(OURS.change(pod, begun)));
        return client.await(PATIENCE) - begun;
    }

    private Set<String> served() {
        var names = new TreeSet<String>();
        mesh.cut().of(mesh.addresses()).forEach((name, _) -> names.add(name));
        return names;
    }

    private static long heap() {
        var memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < 4; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }

    private static ClusterClaim claim() {
        return new ClusterClaim.Usable(THEIRS.cluster(), "a test", "once", Everything::deliver);
    }

    /// A source that has all of it at once, on a thread of its own.
    private record Everything(Thread thread) implements RemoteSource {
        static RemoteSource deliver(Consumer<List<ManifestChange>> sink) {
            return new Everything(Thread.ofPlatform().start(() -> sink.accept(THEIRS.manifests())));
        }

        @Override
        public List<ManifestProblem> problems() {
            return List.of();
        }

        @Override
        public List<Problem> trouble() {
            return List.of();
        }

        @Override
        public Duration silence() {
            return Duration.ZERO;
        }

        @Override
        public void close() {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
