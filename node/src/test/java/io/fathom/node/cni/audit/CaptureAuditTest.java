// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import static io.fathom.node.cni.fakes.FakeCluster.AMBIENT;
import static io.fathom.node.cni.fakes.FakeCluster.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.audit.PodCapture.CaptureState;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.enrol.ProbeUpkeep;
import io.fathom.node.cni.fakes.FakeCluster;
import io.fathom.node.cni.fakes.FakeHost;
import io.fathom.node.cni.fakes.FakeProbes;
import io.fathom.node.cni.fakes.FakeProxies;
import io.fathom.node.cni.fakes.FakeRules;
import io.fathom.node.cni.netns.NamespaceView;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.NodeRules;
import io.fathom.node.cni.zds.PodAnswer;
import io.fathom.node.cni.zds.ProxyView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CaptureAuditTest implements AuditObserver {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String UID = "uid-web";

    private final TestNamespace namespace = TestNamespace.create();
    private final FakeCluster cluster = new FakeCluster();
    private final FakeRules rules = new FakeRules();
    private final FakeProbes probes = new FakeProbes();
    private final FakeHost host = new FakeHost();
    private final FakeProxies proxies = new FakeProxies();
    private final SystemTimeline timeline = new SystemTimeline();
    private final List<String> repairs = new CopyOnWriteArrayList<>();
    private final Map<CaptureState, Integer> counted = new ConcurrentHashMap<>();
    private NamespaceThread visitor;
    private EnrolEngine engine;
    private CaptureAudit audit;

    @BeforeEach
    void start() throws PosixException {
        visitor = NamespaceThread.start();
        engine = new EnrolEngine(
                cluster.pods,
                new Eligibility(Enablement.DEFAULT, Set.of(), "istio-system"),
                DnsCapture.LEFT_ALONE,
                new EnrolEngine.Tools(rules, probes, proxies, _ -> Map.of(UID, open()), cluster),
                timeline,
                _ -> {});
        audit = new CaptureAudit(
                engine,
                new CaptureAudit.Tools(
                        new NodeRules("fake", rules, host, probes),
                        new ProbeUpkeep(probes, Set.of(Ip.Family.V4)),
                        new NamespaceView(visitor),
                        this::proxies,
                        proxies::delete),
                this,
                timeline,
                Duration.ofMillis(50));
        cluster.listen(engine::tell);
        cluster.namespace("shop", AMBIENT);
        cluster.put(pod("shop", "web", "10.0.0.2"));
        engine.start();
        await().atMost(LONG).until(() -> cluster.noted(UID).isPresent());
    }

    private List<ProxyView> proxies() {
        return List.of(new ProxyView(
                1,
                2,
                ProxyView.ProxyPhase.LIVE,
                proxies.serves(UID) ? Map.of(UID, new PodAnswer(PodAnswer.AnswerKind.SERVED, "")) : Map.of()));
    }

    private NetworkNamespace open() {
        try {
            return NetworkNamespace.open(namespace.path());
        } catch (PosixException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        audit.close();
        engine.close();
        timeline.close();
        visitor.close();
        namespace.close();
    }

    @Override
    public void looked(Map<CaptureState, Integer> states) {
        counted.putAll(states);
    }

    @Override
    public void repaired(String what) {
        repairs.add(what);
    }

    @Test
    void whenOnlyLookedAt_thenNothingChanges() {
        var capture = audit.look().getFirst();
        assertThat(capture.findings()).extracting(Finding::kind).containsExactly(Finding.CaptureFault.LISTENERS);
        assertThat(capture.state()).isEqualTo(CaptureState.BROKEN);
        assertThat(counted).containsEntry(CaptureState.BROKEN, 1).containsEntry(CaptureState.CAPTURED, 0);
        assertThat(repairs).isEmpty();
        assertThat(host.inspect()).isNotEmpty();
    }

    @Test
    void whenRulesVanish_thenTheyAreWrittenAgainAndThatIsCounted() {
        rules.lose(namespace.path());
        probes.flush();
        audit.start();
        await().atMost(LONG).until(() -> rules.isIn(namespace.path()));
        await().atMost(LONG).until(() -> probes.entries().size() == 1);
        assertThat(host.inspect()).isEmpty();
        assertThat(repairs).contains("rules", "host");
        assertThat(proxies.serves(UID)).isTrue();
    }

    @Test
    void whenTheAnnotationVanishes_thenItIsWrittenAgain() {
        cluster.put(pod("shop", "web", "10.0.0.2"));
        audit.start();
        await().atMost(LONG)
                .until(() -> cluster.pods
                        .pod("shop", "web")
                        .orElseThrow()
                        .annotations()
                        .containsKey(Redirection.ANNOTATION));
    }

    @Test
    void whenNobodyListensAlthoughAProxySaysSo_thenItIsToldToBeginAnew() {
        audit.start();
        await().atMost(LONG).until(() -> proxies.asked.contains("delete " + UID));
        await().atMost(LONG)
                .until(() -> proxies.asked.lastIndexOf("add " + UID) > proxies.asked.indexOf("delete " + UID));
        assertThat(repairs).contains("listeners");
    }
}
