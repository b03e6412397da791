// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.status.Candidate;
import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.Leadership;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Two candidates before a real API server, for each kind of lock.
@Tag("slow")
class LeadershipIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final KubeResource LEASES =
            new KubeResource("coordination.k8s.io", "v1", "leases", KubeResource.Scope.NAMESPACE);

    /// Long enough for a busy machine: nothing here waits for a term to end.
    private static final Candidate.Terms TERMS =
            new Candidate.Terms(Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofMillis(100));

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    @AutoClose
    private static final SystemTimeline TIME = new SystemTimeline();

    private final AtomicInteger running = new AtomicInteger();

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), KubeSettings.DEFAULT);
        client.create(KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", "istio-system"))));
    }

    @ParameterizedTest
    @EnumSource(
            value = ElectionLock.class,
            names = {"ADDRESSES", "STATUS", "GATEWAY_STATUS"})
    void givenTwoCandidates_thenOneLeadsWhateverHappensToTheLock(ElectionLock lock) {
        try (var first = candidate(lock, "a", "canary")) {
            await().atMost(LONG).until(first::isLeader);
            try (var second = candidate(lock, "b", "canary")) {
                delete(lock);
                await().atMost(LONG)
                        .until(() -> holder(lock).equals("a") || holder(lock).equals("b"));
                await().atMost(LONG).until(() -> running.get() == 1 && first.isLeader() != second.isLeader());

                var leader = first.isLeader() ? first : second;
                var other = first.isLeader() ? second : first;
                leader.close();
                await().atMost(LONG).until(() -> other.isLeader() && running.get() == 1);
            }
        }
        assertThat(holder(lock)).isEmpty();
        assertThat(running).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElectionLock.class,
            names = {"NAMESPACES", "STATUS"})
    void givenAnotherRevisionLeads_whenTheDefaultOneComes_thenItTakesTheLock(ElectionLock lock) {
        try (var canary = candidate(lock, "a", "canary")) {
            await().atMost(LONG).until(canary::isLeader);
            try (var normal = candidate(lock, "b", "default")) {
                await().atMost(LONG).until(normal::isLeader);
                await().atMost(LONG).until(() -> !canary.isLeader() && running.get() == 1);
                assertThat(holder(lock)).isEqualTo("b");
            }
        }
    }

    private Leadership candidate(ElectionLock lock, String identity, String revision) {
        var candidate = Candidate.of(identity, "istio-system", revision).with(TERMS);
        return Leadership.start(client, lock, candidate, TIME, () -> {
            running.incrementAndGet();
            return running::decrementAndGet;
        });
    }

    private static void delete(ElectionLock lock) {
        for (var resource : List.of(LEASES, KubeResource.CONFIG_MAPS)) {
            client.delete(resource, "istio-system", lock.nameFor("canary"));
        }
    }

    /// As `kubectl` would show it.
    private static String holder(ElectionLock lock) {
        var name = lock.nameFor("canary");
        return client.get(LEASES, "istio-system", name)
                .map(KubeObject::root)
                .map(lease -> lease.at("spec"))
                .or(() -> client.get(KubeResource.CONFIG_MAPS, "istio-system", name)
                        .map(map -> map.metadata()
                                .at("annotations")
                                .at("control-plane.alpha.kubernetes.io/leader")
                                .text())
                        .map(record -> Field.root(Json.parse("record", record))))
                .map(record -> record.at("holderIdentity").text())
                .orElse("nobody");
    }
}
