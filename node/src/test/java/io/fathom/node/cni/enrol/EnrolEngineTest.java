// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import static io.fathom.node.cni.fakes.FakeCluster.AMBIENT;
import static io.fathom.node.cni.fakes.FakeCluster.annotated;
import static io.fathom.node.cni.fakes.FakeCluster.labelled;
import static io.fathom.node.cni.fakes.FakeCluster.pod;
import static io.fathom.node.cni.fakes.FakeCluster.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.fakes.FakeCluster;
import io.fathom.node.cni.fakes.FakeProbes;
import io.fathom.node.cni.fakes.FakeProxies;
import io.fathom.node.cni.fakes.FakeRules;
import io.fathom.node.cni.netns.NamespaceFinder;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.wire.kube.core.PodManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EnrolEngineTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final PodManifest WEB = pod("shop", "web", "10.0.0.2");
    private static final String UID = "uid-web";
    private static final Ip ADDRESS = Ip.parse("10.0.0.2").orElseThrow();

    private final TestNamespace namespace = TestNamespace.create();
    private final FakeCluster cluster = new FakeCluster();
    private final FakeRules rules = new FakeRules();
    private final FakeProbes probes = new FakeProbes();
    private final FakeProxies proxies = new FakeProxies();
    private final Map<String, Path> running = new ConcurrentHashMap<>(Map.of(UID, namespace.path()));
    private final AtomicInteger searches = new AtomicInteger();
    private final SystemTimeline timeline = new SystemTimeline();
    private final Eligibility eligibility = new Eligibility(Enablement.DEFAULT, Set.of("kube-system"), "istio-system");
    private EnrolEngine engine;

    @BeforeEach
    void start() {
        engine = engine();
        cluster.listen(engine::tell);
        cluster.namespace("shop", AMBIENT);
    }

    private EnrolEngine engine() {
        return new EnrolEngine(
                cluster.pods,
                eligibility,
                DnsCapture.CAPTURED,
                new EnrolEngine.Tools(rules, probes, proxies, finder(), cluster),
                timeline,
                _ -> {});
    }

    private NamespaceFinder finder() {
        return pods -> {
            searches.incrementAndGet();
            var found = new HashMap<String, NetworkNamespace>();
            for (var uid : pods.keySet()) {
                Optional.ofNullable(running.get(uid)).ifPresent(path -> found.put(uid, open(path)));
            }
            return found;
        };
    }

    private static NetworkNamespace open(Path path) {
        try {
            return NetworkNamespace.open(path);
        } catch (PosixException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        engine.close();
        timeline.close();
        namespace.close();
    }

    private void awaitCaptured() {
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(cluster.noted(UID)).contains(Redirection.ENABLED);
            assertThat(engine.states())
                    .singleElement()
                    .satisfies(state -> assertThat(state.held())
                            .hasValueSatisfying(held -> assertThat(held.step()).isEqualTo(Step.NOTED)));
        });
        assertThat(rules.isIn(namespace.path())).isTrue();
        assertThat(proxies.serves(UID)).isTrue();
        assertThat(probes.entries()).containsEntry(ADDRESS, UID);
        assertThat(engine.roster().all()).hasSize(1);
    }

    private void awaitReleased() {
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(cluster.noted(UID)).contains(Redirection.ABSENT);
            assertThat(engine.roster().all()).isEmpty();
            assertThat(engine.states())
                    .allSatisfy(state -> assertThat(state.held()).isEmpty());
        });
        assertThat(proxies.serves(UID)).isFalse();
        assertThat(probes.entries()).isEmpty();
    }

    @Test
    void whenLabelsComeAndGo_thenThePodIsCapturedAndReleased() {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        cluster.namespace("shop", Map.of());
        awaitReleased();
        assertThat(rules.isIn(namespace.path())).isFalse();
        cluster.update(labelled(WEB, AMBIENT));
        awaitCaptured();
        cluster.update(WEB);
        awaitReleased();
        cluster.namespace("shop", AMBIENT);
        awaitCaptured();
        cluster.update(labelled(WEB, Map.of("istio.io/dataplane-mode", "none")));
        awaitReleased();
        cluster.update(WEB);
        awaitCaptured();
    }

    @Test
    void whenAProxyRefuses_thenThePodIsPendingUntilItDoesNot() {
        proxies.refusals.set(Integer.MAX_VALUE);
        engine.start();
        cluster.put(WEB);
        await().atMost(LONG).until(() -> cluster.noted(UID).equals(Optional.of(Redirection.PENDING)));
        await().atMost(LONG).until(() -> proxies.asked.size() > 4);
        assertThat(probes.entries()).isEmpty();
        assertThat(rules.applications).as("rules are written once").hasValue(1);
        proxies.refusals.set(0);
        engine.proxyCame();
        awaitCaptured();
        assertThat(rules.applications).hasValue(1);
    }

    @Test
    void whenTheNamespaceIsNotFound_thenItIsNotTriedAgainByItself() {
        running.clear();
        engine.start();
        cluster.put(WEB);
        await().atMost(LONG).until(() -> engine.states().getFirst().problem().isPresent());
        assertThat(engine.states().getFirst().problem())
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("pod-namespace-not-found"));
        var before = searches.get();
        running.put(UID, namespace.path());
        engine.recheck(UID);
        awaitCaptured();
        assertThat(searches).hasValue(before + 1);
    }

    @Test
    void whenRulesCannotBeWritten_thenThePodIsNotHeld() {
        rules.failures.set(1);
        engine.start();
        cluster.put(WEB);
        await().atMost(LONG).until(() -> engine.states().getFirst().problem().isPresent());
        assertThat(engine.states().getFirst().held()).isEmpty();
        assertThat(proxies.asked).isEmpty();
        engine.recheck(UID);
        awaitCaptured();
    }

    @Test
    void whenTheAnnotationCannotBeWritten_thenItIsTriedAgain() {
        cluster.failures.set(3);
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
    }

    @Test
    void whenAJobFinishes_thenItsOldAddressesAreForgotten() {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        cluster.update(with(WEB, PodManifest.Phase.SUCCEEDED, List.of()));
        awaitReleased();
        assertThat(rules.isIn(namespace.path()))
                .as("its namespace ends with it")
                .isTrue();
        cluster.delete("shop", "web");
        await().atMost(LONG).until(() -> engine.states().isEmpty());
    }

    @Test
    void whenAPodIsDeleted_thenNothingOfItIsLeft() {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        cluster.delete("shop", "web");
        await().atMost(LONG)
                .until(() -> !proxies.serves(UID) && probes.entries().isEmpty());
        assertThat(engine.states()).isEmpty();
    }

    @Test
    void whenAPodIsDeletedBeforeItWasLookedAt_thenProxiesHearOfItsEndOnly() {
        cluster.put(WEB);
        cluster.delete("shop", "web");
        engine.start();
        await().atMost(LONG).until(() -> !proxies.asked.isEmpty());
        assertThat(proxies.asked).containsExactly("delete " + UID);
        assertThat(rules.applications).hasValue(0);
    }

    @Test
    void givenAnExcludedNamespace_thenNothingHappens() {
        engine.start();
        cluster.put(labelled(pod("kube-system", "dns", "10.0.0.9"), AMBIENT));
        cluster.put(WEB);
        await().atMost(LONG).until(() -> proxies.serves(UID));
        assertThat(proxies.asked).containsExactly("add " + UID);
    }

    @Test
    void whenAddressesChange_thenTheSetFollows() {
        var other = Ip.parse("10.0.0.3").orElseThrow();
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        var asked = List.copyOf(proxies.asked);
        cluster.update(with(WEB, PodManifest.Phase.RUNNING, List.of()));
        cluster.update(with(WEB, PodManifest.Phase.RUNNING, List.of(other)));
        await().atMost(LONG).untilAsserted(() -> assertThat(probes.entries()).containsExactly(Map.entry(other, UID)));
        assertThat(proxies.asked).as("nobody else hears of it").isEqualTo(asked);
        assertThat(rules.applications).hasValue(1);
    }

    @Test
    void whenRulesCannotBeRemoved_thenThePodIsServedUntilTheyCan() {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        rules.failures.set(Integer.MAX_VALUE);
        cluster.namespace("shop", Map.of());
        await().atMost(LONG).until(() -> probes.entries().isEmpty());
        await().atMost(LONG).until(() -> engine.states().getFirst().problem().isPresent());
        assertThat(cluster.noted(UID)).as("still captured").contains(Redirection.ENABLED);
        assertThat(proxies.serves(UID)).isTrue();
        assertThat(engine.roster().all()).hasSize(1);
        rules.failures.set(0);
        awaitReleased();
        assertThat(rules.isIn(namespace.path())).isFalse();
    }

    @Test
    void givenAnAddressThatIsAnotherPodsByNow_whenThePodGoes_thenItStays() {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        probes.put(ADDRESS, "uid-other");
        cluster.delete("shop", "web");
        await().atMost(LONG).until(() -> engine.states().isEmpty());
        assertThat(probes.entries()).containsEntry(ADDRESS, "uid-other");
    }

    @Test
    void whenThePluginAsks_thenThePodIsCapturedBeforeItHasAStatus() throws Exception {
        running.clear();
        var starting = with(WEB, PodManifest.Phase.PENDING, List.of());
        engine.start();
        cluster.put(starting);
        var answer = engine.enrol(
                starting, namespace.path(), List.of(Ip.parse("::ffff:10.0.0.2").orElseThrow()));
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEmpty();
        awaitCaptured();
    }

    @Test
    void whenThePluginBringsAnotherNamespace_thenThatIsServed() throws Exception {
        engine.start();
        cluster.put(WEB);
        awaitCaptured();
        try (var second = TestNamespace.create()) {
            assertThat(engine.enrol(WEB, second.path(), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(rules.isIn(second.path())).isTrue();
            try (var wanted = open(second.path())) {
                assertThat(proxies.namespace(UID)).contains(wanted.identity());
            }
            assertThat(engine.enrol(WEB, second.path(), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                    .as("once more is fine")
                    .isEmpty();
        }
    }

    @Test
    void givenNoProxyOrNoNamespaceOrNoWish_whenThePluginAsks_thenItHearsWhyNot() throws Exception {
        running.clear();
        proxies.refusals.set(1);
        engine.start();
        var starting = with(WEB, PodManifest.Phase.PENDING, List.of());
        cluster.put(starting);
        assertThat(engine.enrol(starting, namespace.path(), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("zds-refused"));
        awaitCaptured(); // it goes on by itself
        assertThat(engine.enrol(starting, Path.of("/nowhere"), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("pod-namespace-unusable"));
        cluster.namespace("shop", Map.of());
        awaitReleased();
        assertThat(engine.enrol(starting, namespace.path(), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("pod-not-eligible"));
    }

    @Test
    void givenPodsOfAnEarlierRun_whenItStarts_thenTheyAreTakenOver() {
        var captured = Map.of(Redirection.ANNOTATION, "enabled");
        cluster.put(annotated(WEB, captured));
        cluster.put(annotated(pod("shop", "lost", "10.0.0.3"), captured));
        cluster.put(annotated(with(pod("shop", "done"), PodManifest.Phase.FAILED, List.of()), captured));
        cluster.put(annotated(pod("elsewhere", "unwanted", "10.0.0.5"), captured));
        cluster.put(pod("shop", "fresh", "10.0.0.6"));
        assertThat(Adoption.captured(cluster.pods, eligibility))
                .extracting(PodManifest::name)
                .containsExactlyInAnyOrder("web", "lost");
        Adoption.run(engine, cluster.pods, eligibility, finder());
        assertThat(engine.roster().all())
                .hasSize(2)
                .satisfiesOnlyOnce(known -> assertThat(known.namespace())
                        .as("kept by proxies, but not found")
                        .isEmpty());
        engine.start();
        await().atMost(LONG).until(() -> proxies.asked.contains("delete uid-unwanted"));
        await().atMost(LONG).until(() -> proxies.asked.contains("delete uid-done"));
        assertThat(proxies.asked).doesNotContain("add " + UID, "delete " + UID, "delete uid-lost");
        assertThat(rules.applications).hasValue(0);
    }

    @Test
    void givenAPodWithoutAnAddress_whenTheSetIsSynced_thenNothingIsTakenOut() {
        var stale = Ip.parse("10.0.0.77").orElseThrow();
        probes.put(stale, "uid-gone");
        var captured = Map.of(Redirection.ANNOTATION, "enabled");
        cluster.put(annotated(with(WEB, PodManifest.Phase.RUNNING, List.of()), captured));
        Adoption.run(engine, cluster.pods, eligibility, finder());
        var upkeep = new ProbeUpkeep(probes, Set.of(Ip.Family.V4));
        assertThat(upkeep.sync(engine::states)).isZero();
        assertThat(probes.entries()).containsKey(stale);
        engine.start();
        cluster.put(annotated(WEB, captured));
        await().atMost(LONG).until(() -> probes.entries().containsKey(ADDRESS));
        await().atMost(LONG)
                .until(() ->
                        upkeep.sync(engine::states) == 0 && !probes.entries().containsKey(stale));
        probes.flush();
        assertThat(upkeep.sync(engine::states)).isEqualTo(1);
        assertThat(probes.entries()).containsExactly(Map.entry(ADDRESS, UID));
    }

    @Test
    void whenAThousandPodsComeAndGo_thenNoDescriptorIsLeft() throws Exception {
        engine.start();
        var before = -1L;
        for (var i = 0; i < 1000; i++) {
            var one = with(pod("shop", "p" + i), PodManifest.Phase.PENDING, List.of());
            cluster.put(one);
            assertThat(engine.enrol(one, namespace.path(), List.of(ADDRESS)).get(30, TimeUnit.SECONDS))
                    .isEmpty();
            cluster.delete("shop", "p" + i);
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(LONG)
                    .until(() -> engine.states().isEmpty());
            if (i == 10) {
                await().atMost(LONG).until(() -> engine.roster().all().isEmpty());
                before = descriptors();
            }
        }
        await().atMost(LONG).until(() -> engine.roster().all().isEmpty());
        var limit = before + 2; // other tests of this JVM may open one
        await().atMost(LONG).until(() -> descriptors() <= limit);
    }

    private static long descriptors() throws IOException {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }
}
