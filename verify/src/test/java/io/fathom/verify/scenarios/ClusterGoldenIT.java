// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.RemoteSecretText;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/// Every recorded scenario again, its objects on a real API server where `kubectl` put them: the answers are those that
/// the files give, and upstream gave. `-Dfathom.scenarios=REGEX` plays some of them.
@Tag("slow")
@Tag("interop")
class ClusterGoldenIT {
    private static final String SCENARIOS = System.getProperty("fathom.scenarios", ".*");

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer cluster;

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> givenRecordedScenario_whenKubectlAppliesIt_thenAnswersAreUpstreams() {
        var stage = new ClusterStage(cluster);
        return GoldenScenario.all().stream()
                .filter(scenario -> scenario.name().matches(SCENARIOS) && !scenario.hasPeer())
                .map(scenario -> DynamicTest.dynamicTest(
                        scenario.name() + ": " + scenario.about(), () -> play(scenario, stage)));
    }

    /// Scenarios of two clusters, the second one on an API server of its own, joined by a Secret.
    @TestFactory
    Stream<DynamicTest> givenRecordedScenarioOfTwoClusters_whenASecretJoinsThem_thenAnswersAreUpstreams() {
        return GoldenScenario.all().stream()
                .filter(scenario -> scenario.name().matches(SCENARIOS) && scenario.hasPeer())
                .map(scenario -> DynamicTest.dynamicTest(
                        scenario.name() + ": " + scenario.about(), () -> playWithPeer(scenario)));
    }

    private static void playWithPeer(GoldenScenario scenario) {
        try (var other = KubeApiServer.startPeer(InstantSource.system())) {
            var peer = new ClusterStage(other);
            peer.apply(GoldenScenario.base());
            peer.apply(scenario.peerApplied(0));
            var secret = RemoteSecretText.secret(
                    "istio-system", "peer", Map.of(GoldenScenario.PEER, other.portableKubeconfig()));
            play(scenario, new ClusterStage(cluster), Optional.of(peer), List.of(secret));
            new ClusterStage(cluster).delete(List.of(secret));
        }
    }

    private static void play(GoldenScenario scenario, ClusterStage stage) {
        play(scenario, stage, Optional.empty(), List.of());
    }

    private static void play(
            GoldenScenario scenario, ClusterStage stage, Optional<ClusterStage> peer, List<ManifestDocument> more) {
        stage.clear();
        var all = new ArrayList<>(GoldenScenario.base());
        all.addAll(scenario.applied(0));
        all.addAll(more);
        if (scenario.about().contains("in creation order")) {
            stage.applyInTurn(all);
        } else {
            stage.apply(all);
        }
        try (var run = new GoldenRun(scenario, stage)) {
            run.expectAnswer(0);
            run.expectWritten(0);
            for (var step = 1; step <= scenario.updates(); step++) {
                stage.apply(scenario.applied(step));
                stage.delete(scenario.deleted(step));
                var now = step;
                peer.ifPresent(own -> {
                    own.apply(scenario.peerApplied(now));
                    own.delete(scenario.peerDeleted(now));
                });
                run.expectAnswer(step);
                run.expectWritten(step);
            }
        }
    }
}
