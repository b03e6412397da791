// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.ManifestFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Every recorded scenario through the real server and a real client: from the manifests as written with their
/// updates, from the API server's own copies of them that change while we run, and from scratch at the end.
class GoldenTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    void whenScenariosAreRead_thenNoneIsMissing() {
        assertThat(GoldenScenario.all()).hasSize(38);
        assertThat(GoldenScenario.base()).hasSize(11);
    }

    @TestFactory
    Stream<DynamicTest> givenRecordedScenario_whenItsManifestsAreApplied_thenAnswersAreUpstreams() {
        return GoldenScenario.all().stream()
                .map(scenario -> DynamicTest.dynamicTest(title(scenario), () -> fromManifests(scenario)));
    }

    @TestFactory
    @Tag("slow")
    Stream<DynamicContainer> givenRecordedScenario_whenItsStatesFollowEachOther_thenAnswersAreUpstreams() {
        return GoldenScenario.all().stream()
                .map(scenario -> DynamicContainer.dynamicContainer(
                        title(scenario),
                        List.of(
                                DynamicTest.dynamicTest("from its states", () -> fromStates(scenario)),
                                DynamicTest.dynamicTest("from its last state", () -> fromLastState(scenario)))));
    }

    private static String title(GoldenScenario scenario) {
        return scenario.name() + ": " + scenario.about();
    }

    private void fromManifests(GoldenScenario scenario) {
        var folder = folder(scenario, "manifests");
        folder.apply(GoldenScenario.base());
        folder.apply(scenario.applied(0));
        var peer = peer(scenario, "manifests");
        try (var run = new GoldenRun(scenario, new FolderStage(folder, peer))) {
            expectStart(run);
            for (var step = 1; step <= scenario.updates(); step++) {
                folder.apply(scenario.applied(step));
                folder.delete(scenario.deleted(step));
                advance(scenario, peer, step);
                expectStep(run, step);
            }
        }
        expectColdStart(scenario, new FolderStage(folder, peer));
    }

    private void fromStates(GoldenScenario scenario) {
        var folder = folder(scenario, "states");
        folder.become(state(scenario, 0));
        var peer = peer(scenario, "states");
        try (var run = new GoldenRun(scenario, new FolderStage(folder, peer))) {
            expectStart(run);
            for (var step = 1; step <= scenario.updates(); step++) {
                folder.become(state(scenario, step));
                advance(scenario, peer, step);
                expectStep(run, step);
            }
        }
    }

    private void fromLastState(GoldenScenario scenario) {
        var folder = folder(scenario, "last");
        folder.become(state(scenario, scenario.updates()));
        var peer = peer(scenario, "last");
        for (var step = 1; step <= scenario.updates(); step++) {
            advance(scenario, peer, step);
        }
        expectColdStart(scenario, new FolderStage(folder, peer));
    }

    /// The second cluster as it is at the start; its states were not recorded.
    private Optional<ManifestFolder> peer(GoldenScenario scenario, String variant) {
        if (!scenario.hasPeer()) {
            return Optional.empty();
        }
        var peer = folder(scenario, variant + "-peer");
        peer.apply(GoldenScenario.base());
        peer.apply(scenario.peerApplied(0));
        return Optional.of(peer);
    }

    private static void advance(GoldenScenario scenario, Optional<ManifestFolder> peer, int step) {
        peer.ifPresent(folder -> {
            folder.apply(scenario.peerApplied(step));
            folder.delete(scenario.peerDeleted(step));
        });
    }

    private static void expectStart(GoldenRun run) {
        run.expectAnswer(0);
        run.expectWritten(0);
        run.forgetPushes();
    }

    private static void expectStep(GoldenRun run, int step) {
        run.expectAnswer(step);
        run.expectWritten(step);
        run.expectPushes(step);
    }

    private static void expectColdStart(GoldenScenario scenario, FolderStage stage) {
        try (var run = new GoldenRun(scenario, stage)) {
            run.expectAnswer(scenario.updates());
            run.expectWritten(scenario.updates());
        }
    }

    /// The recordings leave out what exists in every scenario.
    private static List<ManifestDocument> state(GoldenScenario scenario, int step) {
        var all = new ArrayList<>(GoldenScenario.base());
        all.addAll(scenario.state(step));
        return all;
    }

    private ManifestFolder folder(GoldenScenario scenario, String variant) {
        var folder = temporary.resolve(scenario.name() + "-" + variant);
        assertThat(folder.toFile().mkdirs()).isTrue();
        return new ManifestFolder(folder);
    }
}
