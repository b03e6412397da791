// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.wire.zds.PodInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProxyServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final ProxyServerConfig QUICK = new ProxyServerConfig(
            Duration.ofMillis(1), Duration.ofMillis(50), Duration.ofMillis(300), Duration.ofSeconds(15));

    private final TestNamespace namespace = TestNamespace.create();
    private final CopyOnWriteArrayList<KnownPod> pods = new CopyOnWriteArrayList<>();
    private NetworkNamespace handle;
    private ProxyServer server;
    private Path socket;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws PosixException {
        handle = NetworkNamespace.open(namespace.path());
        socket = folder.resolve("ztunnel.sock");
        server = ProxyServer.bind(socket, QUICK);
        server.serve(() -> List.copyOf(pods), () -> {});
    }

    @AfterEach
    void stop() {
        server.close();
        handle.close();
        namespace.close();
    }

    private static PodInfo pod(String uid) {
        return new PodInfo(uid, "name-" + uid, "shop", "account");
    }

    private KnownPod known(String uid) {
        return new KnownPod(pod(uid), Optional.of(handle));
    }

    private void awaitLive(int proxies) {
        await().atMost(LONG)
                .until(() -> server.proxies().stream()
                                .filter(proxy -> proxy.phase() == ProxyView.ProxyPhase.LIVE)
                                .count()
                        == proxies);
    }

    @Test
    void whenAProxyConnects_thenItHearsOfAllPodsInTurn() {
        pods.addAll(List.of(known("a"), new KnownPod(pod("b"), Optional.empty()), known("c")));
        try (var proxy = TestProxy.connect(socket)) {
            awaitLive(1);
            assertThat(proxy.heard).containsExactly("add a", "keep b", "add c", "snapshot");
            assertThat(server.proxies().getFirst().pods())
                    .containsEntry("a", PodAnswer.SERVED)
                    .containsEntry("b", PodAnswer.KEPT);
        }
    }

    @Test
    void givenAPodThatIsReleasedMeanwhile_thenItIsLeftOut() throws PosixException {
        var gone = NetworkNamespace.open(namespace.path());
        gone.close();
        pods.addAll(List.of(new KnownPod(pod("gone"), Optional.of(gone)), known("a")));
        try (var proxy = TestProxy.connect(socket)) {
            awaitLive(1);
            assertThat(proxy.heard).containsExactly("add a", "snapshot");
        }
    }

    @Test
    void givenTwoProxies_thenNewPodsGoToTheNewestAndEndsToBoth() {
        try (var old = TestProxy.connect(socket)) {
            awaitLive(1);
            var young = TestProxy.connect(socket);
            awaitLive(2);
            assertThat(server.add(pod("a"), handle)).isEmpty();
            server.delete("a");
            assertThat(young.heard).containsExactly("snapshot", "add a", "delete a");
            assertThat(old.heard).containsExactly("snapshot", "delete a");
            young.close();
            await().atMost(LONG).until(() -> server.proxies().size() == 1);
            assertThat(server.add(pod("b"), handle)).isEmpty();
            assertThat(old.heard).containsExactly("snapshot", "delete a", "add b");
        }
    }

    @Test
    void givenNoProxy_thenNewPodsFailAndEndsDoNot() {
        assertThat(server.add(pod("a"), handle))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("zds-no-proxy"));
        server.delete("a");
    }

    @Test
    void whenAProxyRefuses_thenTheReasonIsKnownUntilItServes() {
        var busy = new AtomicBoolean(true);
        try (var _ = TestProxy.connect(
                socket,
                text -> text.startsWith("add") && busy.get() ? Optional.of("port is taken") : Optional.empty())) {
            awaitLive(1);
            assertThat(server.add(pod("a"), handle)).hasValueSatisfying(problem -> {
                assertThat(problem.code()).isEqualTo("zds-refused");
                assertThat(problem.message()).contains("port is taken");
            });
            assertThat(server.proxies().getFirst().pods()).containsEntry("a", PodAnswer.refused("port is taken"));
            busy.set(false);
            assertThat(server.add(pod("a"), handle)).isEmpty();
            assertThat(server.proxies().getFirst().pods()).containsEntry("a", PodAnswer.SERVED);
        }
    }

    @Test
    @Tag("slow")
    void whenAProxyDoesNotAnswer_thenItIsCutOffAndNoAnswerIsMistakenForAnother() {
        var late = new CountDownLatch(1);
        try (var proxy = TestProxy.connect(socket, text -> {
            if (text.equals("add slow")) {
                try {
                    late.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Optional.of("this answer is too late");
            }
            return Optional.empty();
        })) {
            awaitLive(1);
            assertThat(server.add(pod("slow"), handle))
                    .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("zds-connection-lost"));
            await().atMost(LONG).until(() -> server.proxies().isEmpty());
            late.countDown();
            try (var again = TestProxy.connect(socket)) {
                awaitLive(1);
                assertThat(server.add(pod("next"), handle)).isEmpty();
                assertThat(again.heard).containsExactly("snapshot", "add next");
            }
            assertThat(proxy.heard).doesNotContain("add next");
        }
    }

    @Test
    void whenAProxyDiesWhileItIsAsked_thenWhoWaitsIsReleased() throws Exception {
        var asked = new CountDownLatch(1);
        var proxies = new CompletableFuture<TestProxy>();
        try (var waiting = Executors.newVirtualThreadPerTaskExecutor()) {
            var proxy = TestProxy.connect(socket, text -> {
                if (text.startsWith("delete")) {
                    asked.countDown();
                    proxies.join().close();
                    throw new IllegalStateException("dead");
                }
                return Optional.empty();
            });
            proxies.complete(proxy);
            awaitLive(1);
            var deletion = waiting.submit(() -> server.delete("a"));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            deletion.get(30, TimeUnit.SECONDS);
            await().atMost(LONG).until(() -> server.proxies().isEmpty());
        }
    }

    @Test
    void whenAProxyIsSilent_thenItStaysAndWhenItLeavesItIsNoticed() {
        var proxy = TestProxy.connect(socket);
        awaitLive(1);
        var number = server.proxies().getFirst().number();
        await().during(Duration.ofMillis(400))
                .atMost(LONG)
                .until(() -> server.proxies().size() == 1);
        assertThat(server.add(pod("a"), handle)).isEmpty();
        assertThat(server.proxies().getFirst().number()).isEqualTo(number);
        proxy.close();
        await().atMost(LONG).until(() -> server.proxies().isEmpty());
    }

    @Test
    void givenChangesDuringTheSnapshot_thenTheyFollowIt() {
        pods.add(known("a"));
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var proxy = TestProxy.connect(socket, text -> {
                    if (text.equals("add a")) {
                        begun.countDown();
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                    return Optional.empty();
                });
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            begun.await();
            var added = threads.submit(() -> server.add(pod("b"), handle));
            goOn.countDown();
            assertThat(added.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(proxy.heard).containsExactly("add a", "snapshot", "add b");
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whenAProxyComes_thenThatIsTold() throws Exception {
        var other = folder.resolve("other.sock");
        var told = new CountDownLatch(1);
        var seen = ConcurrentHashMap.<String>newKeySet();
        try (var second = ProxyServer.bind(other, QUICK)) {
            second.serve(
                    () -> {
                        seen.add("asked");
                        return List.of();
                    },
                    told::countDown);
            try (var _ = TestProxy.connect(other)) {
                assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(seen).containsExactly("asked");
            }
        }
    }
}
