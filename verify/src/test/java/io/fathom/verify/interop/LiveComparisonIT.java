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
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.random.RandomCluster;
import io.fathom.verify.random.RandomCluster.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Upstream's control plane and ours on one real API server, while random objects come, change and go: both must give
/// the same answer and the same statuses after every round, but for the differences we chose.
///
/// `-Dfathom.seed=N` tells another story, `-Dfathom.rounds=N` a longer one; a failure names both.
@Tag("slow")
@Tag("interop")
class LiveComparisonIT {
    private static final long SEED = Long.getLong("fathom.seed", 1);
    private static final int ROUNDS = Integer.getInteger("fathom.rounds", 8);
    private static final Duration PATIENCE = Duration.ofSeconds(45);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    void givenRandomCluster_whenItChanges_thenBothControlPlanesAgree() {
        var story = new RandomCluster(SEED);
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            prepare(cluster.client());
            var folder = new ManifestFolder(temporary);
            var mirror = new ClusterMirror(cluster.client(), folder);
            mirror.refresh();
            try (var istiod = Istiod.start(cluster);
                    var fathomd = RunningFathomd.on(temporary, Map.of());
                    var theirs = DeltaClient.connect(istiod.port());
                    var ours = DeltaClient.connect(fathomd.plaintextPort())) {
                for (var round = 0; round <= ROUNDS; round++) {
                    var steps = round == 0 ? story.start() : story.round(12);
                    steps.forEach(step -> perform(cluster.client(), step));
                    expectAgreement(
                            "seed %d, round %d: %s".formatted(SEED, round, describe(steps)),
                            () -> differences(cluster.client(), mirror, theirs, ours, fathomd));
                    assertThat(ours.danglingPolicies()).isEmpty();
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
            KubeClient cluster, ClusterMirror mirror, DeltaClient theirs, DeltaClient ours, RunningFathomd fathomd) {
        mirror.refresh();
        if (!theirs.answered() || !ours.answered()) {
            return List.of("a stream has not been answered yet");
        }
        var lines = new ArrayList<>(theirs.answer().differencesTo(ours.answer()));
        var severalHosts = ClusterStatuses.severalHosts(cluster);
        JsonDiff.between(ClusterStatuses.of(cluster), ClusterStatuses.comparable(fathomd.statuses(), severalHosts))
                .forEach(line -> lines.add("status " + line));
        return Tolerated.unexplained(lines);
    }

    /// Both are asked until they agree, and once more: agreement must last.
    private static void expectAgreement(String situation, Callable<List<String>> differences) {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(300))
                    .until(() ->
                            Stream.of(differences.call(), differences.call()).allMatch(List::isEmpty));
        } catch (ConditionTimeoutException e) {
            try {
                assertThat(differences.call()).as(situation).isEmpty();
            } catch (Exception failure) {
                throw new IllegalStateException(situation, failure);
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
