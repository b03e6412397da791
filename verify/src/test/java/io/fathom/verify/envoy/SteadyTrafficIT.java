// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Requests go on through a waypoint, and none of them fails, while everything around it is replaced.
@Tag("slow")
@Tag("interop")
class SteadyTrafficIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static WaypointLab lab;
    private static XdsTap tap;
    private static LabEnvoy envoy;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.service("echo", 1, "[{name: http, port: 80}]");
        lab.service("steady", 2, "[{name: http, port: 80}]");
        lab.pod("steady-1", "{app: steady}");
        tap = lab.keep(new XdsTap(lab.host(), lab.fathomd().plaintextPort()));
        envoy = lab.start(new LabEnvoy.Start(
                        "waypoint", "shop", "waypoint", "waypoint", tap.port(), lab.secretsPort(), ""))
                .ready();
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    @Test
    void givenRolloutOfTheBackend_whenCalledAllTheTime_thenNoRequestFails() {
        var old = lab.pod("echo-0", "{app: echo}");
        awaitEndpoint(old, true);
        try (var load = new Load(lab.vip(1) + ":80")) {
            for (int i = 1; i <= 3; i++) {
                var next = lab.pod("echo-" + i, "{app: echo}");
                awaitEndpoint(next, true);
                lab.remove("pod-" + old.name());
                old.drain();
                awaitEndpoint(old, false);
                load.more();
                old.close();
                load.more();
                old = next;
            }
            assertThat(load.failures).isEmpty();
        }
    }

    @Test
    void givenControlPlaneThatIsReplaced_whenCalledAllTheTime_thenNoRequestFails() {
        try (var load = new Load(lab.vip(2) + ":80")) {
            load.more();
            var before = envoy.stat("cluster_manager.cds.update_attempt");
            tap.lead(lab.restart().plaintextPort());
            load.more();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> lab.fathomd().text("/debug/syncz").contains("SYNCED")
                            && envoy.stat("cluster_manager.cds.update_attempt") >= before);
            load.more();
            // And it follows the new one.
            lab.pod("steady-2", "{app: steady}");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> WaypointIT.pod(lab.caller("other").get(lab.vip(2) + ":80", "/"))
                            .equals("steady-2"));
            assertThat(load.failures).isEmpty();
        }
    }

    private static void awaitEndpoint(EchoPod pod, boolean wanted) {
        Awaitility.await().atMost(PATIENCE).until(() -> envoy.admin("/clusters").contains(pod.ip() + ":80") == wanted);
    }

    /// One request after the other, until closed.
    private static final class Load implements AutoCloseable {
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicBoolean over = new AtomicBoolean();
        private final CompletableFuture<Void> running;

        Load(String authority) {
            var caller = lab.caller("client");
            running = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    try {
                        var answer = caller.get(authority, "/");
                        if (!answer.startsWith("HTTP/1.1 200")) {
                            failures.add(answer);
                        }
                    } catch (RuntimeException e) {
                        failures.add(e.toString());
                    }
                    done.incrementAndGet();
                }
            });
            more();
        }

        /// Waits for some more requests.
        void more() {
            var until = done.get() + 30;
            Awaitility.await().atMost(PATIENCE).until(() -> done.get() >= until);
        }

        @Override
        public void close() {
            over.set(true);
            running.join();
        }
    }
}
