// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.JsonDiff;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.ManifestFolder;
import io.fathom.verify.manifests.Recordings;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.random.RandomCluster;
import io.fathom.verify.random.RandomCluster.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Upstream's control plane and ours on one real API server, while random objects come, change and go: both must give
/// the same answer and the same statuses after every round, but for the differences we chose.
///
/// `-Dfathom.seed=N` tells another story, `-Dfathom.seeds=N` so many more, `-Dfathom.rounds=N` longer ones. A failure
/// names seed and round.
@Tag("slow")
@Tag("interop")
class LiveComparisonIT {
    private static final long SEED = Long.getLong("fathom.seed", 1);
    private static final int SEEDS = Integer.getInteger("fathom.seeds", 1);
    private static final int ROUNDS = Integer.getInteger("fathom.rounds", 8);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void givenRandomCluster_whenItChanges_thenBothControlPlanesAgree(long seed) {
        var story = new RandomCluster(seed);
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            prepare(cluster.client());
            var folder = new ManifestFolder(temporary);
            var mirror = new ClusterMirror(cluster.client(), folder);
            mirror.refresh();
            try (var theirs = new Upstream(cluster);
                    var fathomd = RunningFathomd.on(temporary, Map.of());
                    var ours = DeltaClient.connect(fathomd.plaintextPort())) {
                for (var round = 0; round <= ROUNDS; round++) {
                    var steps = round == 0 ? story.start() : story.round(12);
                    steps.forEach(step -> perform(cluster.client(), step));
                    expectAgreement(
                            theirs,
                            "seed %d, round %d: %s".formatted(seed, round, describe(steps)),
                            () -> differences(cluster.client(), story, mirror, theirs, ours, fathomd));
                    assertThat(ours.danglingPolicies()).isEmpty();
                    assertThat(ours.answer().addresses())
                            .as("is there anything to compare?")
                            .isNotEmpty();
                }
            }
        }
    }

    static void prepare(KubeClient cluster) {
        cluster.apply(object(KubeKind.NAMESPACE, "istio-system"));
        for (var document : ManifestDocument.readFile(Recordings.path("base/mesh.yaml"))) {
            cluster.apply((ObjectNode) JSON.valueToTree(document.content()));
        }
    }

    private static ObjectNode object(KubeKind kind, String name) {
        var object =
                JSON.createObjectNode().put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        object.putObject("metadata").put("name", name);
        return object;
    }

    static void perform(KubeClient cluster, Step step) {
        switch (step) {
            case Step.Apply(var object) -> cluster.apply(withUids(cluster, object));
            case Step.Delete(var object) -> cluster.delete(object);
            case Step.Terminate(var pod) -> cluster.terminate(pod);
        }
    }

    /// Fills in the uids that only the API server knows. A pod that is gone leaves a reference to nobody.
    private static ObjectNode withUids(KubeClient cluster, ObjectNode object) {
        for (var endpoint : object.path("endpoints")) {
            if (endpoint.get("targetRef") instanceof ObjectNode target) {
                var uid = cluster.list(KubeKind.POD).stream()
                        .filter(pod -> same(pod, target, "namespace") && same(pod, target, "name"))
                        .map(pod -> pod.at("/metadata/uid").asText())
                        .findFirst();
                target.put("uid", uid.orElse("00000000-0000-0000-0000-000000000000"));
            }
        }
        return object;
    }

    private static boolean same(JsonNode pod, JsonNode target, String field) {
        return pod.at("/metadata/" + field).equals(target.get(field));
    }

    private static List<String> differences(
            KubeClient cluster,
            RandomCluster story,
            ClusterMirror mirror,
            Upstream theirs,
            DeltaClient ours,
            RunningFathomd fathomd) {
        mirror.refresh();
        if (!theirs.answered() || !ours.answered()) {
            return List.of("a stream has not been answered yet");
        }
        var lines = new ArrayList<>(theirs.answer().differencesTo(ours.answer()));
        var severalHosts = ClusterStatuses.severalHosts(cluster);
        JsonDiff.between(
                        ClusterStatuses.of(cluster, story.hiddenNamespaces()),
                        ClusterStatuses.comparable(fathomd.statuses(), severalHosts))
                .forEach(line -> lines.add("status " + line));
        return Tolerated.unexplained(lines);
    }

    /// Both are asked until they agree, and once more: agreement must last. Should upstream have lost track of a change
    /// it is started afresh; then it must say what ours says without a restart.
    private void expectAgreement(Upstream theirs, String situation, Callable<List<String>> differences) {
        var running = disagreement(differences);
        if (running.isEmpty()) {
            return;
        }
        theirs.restart();
        assertThat(disagreement(differences))
                .as("%s%nThe cluster is kept in %s", situation, keepCluster())
                .isEmpty();
        System.out.printf("upstream had lost track: %s%n  after %s%n", running, situation);
    }

    private static List<String> disagreement(Callable<List<String>> differences) {
        var last = new AtomicReference<List<String>>(List.of());
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(300))
                    .until(() -> {
                        last.set(differences.call());
                        return last.get().isEmpty() && differences.call().isEmpty();
                    });
            return List.of();
        } catch (ConditionTimeoutException e) {
            return last.get();
        }
    }

    /// Copies the manifests to where they survive the test.
    private Path keepCluster() {
        var kept = Path.of("target", "live-comparison");
        try (var files = Files.list(temporary)) {
            Files.createDirectories(kept);
            clear(kept);
            for (var file : files.toList()) {
                Files.copy(file, kept.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
            return kept;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void clear(Path folder) throws IOException {
        try (var old = Files.list(folder)) {
            for (var file : old.toList()) {
                Files.delete(file);
            }
        }
    }

    private static String describe(List<Step> steps) {
        return String.join(
                ", ",
                steps.stream()
                        .map(step -> switch (step) {
                            case Step.Apply(var object) -> "apply " + name(object);
                            case Step.Delete(var object) -> "delete " + name(object);
                            case Step.Terminate(var pod) -> "terminate " + name(pod);
                        })
                        .toList());
    }

    private static String name(ObjectNode object) {
        return "%s/%s/%s"
                .formatted(
                        object.path("kind").asText(),
                        object.at("/metadata/namespace").asText(),
                        object.at("/metadata/name").asText());
    }
}
