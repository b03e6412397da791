// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever happens between a control plane and its API server, it serves all the while and ends at the state that a
/// control plane started afresh reads.
///
/// `-Dfathom.outage=120` makes the outage last so many seconds, `-Dfathom.crowd=50000` so many objects come at once.
@Tag("slow")
@Tag("interop")
class ClusterSourceIT {
    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("fathom.outage", 20));
    private static final int CROWD = Integer.getInteger("fathom.crowd", 2000);
    private static final int CUTS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(120 + CROWD / 200);
    private static final ObjectMapper JSON = new ObjectMapper();

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer cluster;

    @SuppressWarnings("NullAway.Init")
    private static ManifestApplier kubectl;

    @SuppressWarnings("NullAway.Init")
    private static CuttingRelay relay;

    @SuppressWarnings("NullAway.Init")
    private static Crowd crowd;

    @BeforeAll
    static void start() throws IOException {
        cluster = KubeApiServer.start(InstantSource.system());
        kubectl = new ManifestApplier(cluster);
        relay = new CuttingRelay(cluster.port());
        crowd = new Crowd(cluster.kubeconfig());
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            if (relay != null) {
                relay.close();
            }
            if (crowd != null) {
                crowd.close();
            }
            cluster.close();
        }
    }

    @Test
    void givenTheApiServerIsAwayAndItsStoreForgets_thenWhatIsKnownIsServedAndWhatChangedIsCaughtUp() {
        crowd.namespace("away");
        crowd.service("away", 1);
        crowd.pods("away", 0, 20);
        crowd.entries("away", 0, 20);
        try (var fathomd = start(relay.port());
                var client = DeltaClient.connect(fathomd.plaintextPort())) {
            awaitExact(client);
            var known = client.answer();
            var version = kubectl.run("", "get", "--raw", "/api/v1/pods?limit=1")
                    .replaceAll("(?s).*?\"resourceVersion\":\"(\\d+)\".*", "$1");
            relay.goDown();
            cluster.stop();
            var stopped = System.nanoTime();
            await().atMost(OUTAGE.plus(PATIENCE))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        try (var newcomer = DeltaClient.connect(fathomd.plaintextPort())) {
                            await().atMost(PATIENCE).until(newcomer::answered);
                            await().atMost(PATIENCE)
                                    .untilAsserted(() -> assertThat(known.differencesTo(newcomer.answer()))
                                            .isEmpty());
                        }
                        return System.nanoTime() - stopped >= OUTAGE.toNanos();
                    });
            assertThat(fathomd.json("/debug/sourcez").findValuesAsText("phase")).contains("TROUBLED");
            assertThat(client.answered()).as("the old stream is still there").isTrue();

            cluster.resume();
            crowd.pods("away", 20, 25);
            crowd.address("away", 3, 1);
            crowd.deleteEntries("away", 0, 10);
            crowd.entries("away", 5, 8); // others of the same name
            cluster.compact();
            cluster.stop();
            cluster.resume();
            assertThat(kubectl.run(
                            "", "get", "--raw", "/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=" + version))
                    .as("the server has forgotten where we were")
                    .contains("410");
            relay.comeBack();
            awaitExact(client);
            assertThat(client.answer().addresses()).isNotEqualTo(known.addresses());
            await().atMost(PATIENCE)
                    .until(() -> !fathomd.json("/debug/sourcez")
                            .findValuesAsText("phase")
                            .contains("TROUBLED"));
        }
    }

    @Test
    void givenAWatchThatIsCutAHundredTimes_whileThingsChange_thenNothingIsLost() {
        crowd.namespace("cut");
        crowd.service("cut", 1);
        try (var fathomd = start(relay.port());
                var client = DeltaClient.connect(fathomd.plaintextPort())) {
            awaitExact(client);
            for (var i = 0; i < CUTS; i++) {
                var before = relay.accepted();
                crowd.entries("cut", i, i + 1);
                relay.cut();
                crowd.entries("cut", CUTS + i, CUTS + i + 1);
                if (i >= 10) {
                    crowd.deleteEntries("cut", i - 10, i - 9);
                }
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> relay.accepted() > before);
            }
            awaitExact(client);
            assertThat(client.answer().addresses().keySet())
                    .filteredOn(name -> name.contains("WorkloadEntry/cut/"))
                    .hasSize(CUTS + 10);
        }
    }

    @Test
    void givenManyObjectsAtOnce_thenAllAreServedAndNoneIsLeftWhenTheyGo() {
        crowd.namespace("crowd");
        crowd.service("crowd", 1);
        try (var fathomd = start(cluster.port());
                var client = DeltaClient.connect(fathomd.plaintextPort())) {
            awaitExact(client);
            var pods = CROWD / 5;
            var begun = System.nanoTime();
            crowd.pods("crowd", 0, pods);
            crowd.entries("crowd", 0, CROWD - pods);
            var made = System.nanoTime();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> client.answer().addresses().keySet().stream()
                                    .filter(name -> name.contains("/crowd/"))
                                    .count()
                            >= CROWD);
            System.out.printf(
                    "%d objects made in %d ms, all served %d ms later%n",
                    CROWD, (made - begun) / 1_000_000, (System.nanoTime() - made) / 1_000_000);
            awaitExact(client);
        }
    }

    @Test
    void givenAKindThatIsNotInstalled_whenItComesAndGoes_thenItsObjectsDo() throws IOException {
        crowd.namespace("kinds");
        crowd.service("kinds", 1);
        crowd.pods("kinds", 0, 1);
        var strict = ManifestDocument.parse("""
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: strict, namespace: kinds}
                spec: {mtls: {mode: STRICT}}
                """).orElseThrow();
        var kind = "peerauthentications.security.istio.io";
        var definition = (ObjectNode) JSON.readTree(kubectl.run("", "get", "crd", kind, "-o", "json"));
        definition.remove("status");
        ((ObjectNode) definition.get("metadata")).remove(List.of("resourceVersion", "uid", "creationTimestamp"));
        kubectl.apply(List.of(strict));
        try (var fathomd = start(cluster.port());
                var client = DeltaClient.connect(fathomd.plaintextPort())) {
            await().atMost(PATIENCE).until(() -> !policies(client).isEmpty());
            kubectl.run("", "delete", "crd", kind);
            await().atMost(PATIENCE).until(() -> phase(fathomd, kind).equals("ABSENT"));
            await().atMost(PATIENCE).until(() -> policies(client).isEmpty());
            kubectl.run(definition.toString(), "create", "-f", "-");
            await().atMost(PATIENCE).until(() -> phase(fathomd, kind).equals("FOLLOWING"));
            kubectl.run("", "wait", "--for=condition=Established", "crd/" + kind, "--timeout=60s");
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                kubectl.apply(List.of(strict));
                return true;
            });
            await().atMost(PATIENCE).until(() -> !policies(client).isEmpty());
        }
    }

    private static String policies(DeltaClient client) {
        return String.join(
                " ",
                client.answer().addresses().entrySet().stream()
                        .filter(entry -> entry.getKey().contains("/Pod/kinds/"))
                        .flatMap(entry -> texts(entry.getValue().at("/workload/authorizationPolicies")).stream())
                        .toList());
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }

    private static String phase(RunningFathomd fathomd, String query) {
        return fathomd.json("/debug/sourcez")
                .valueStream()
                .filter(kind -> kind.path("query").asText().equals(query))
                .map(kind -> kind.path("phase").asText())
                .findFirst()
                .orElse("");
    }

    private static RunningFathomd start(int port) {
        return RunningFathomd.lookingAt(cluster.kubeconfigThrough(port), Map.of());
    }

    /// Until the client holds what one would that just came to a control plane that was just started.
    private static void awaitExact(DeltaClient client) {
        await().atMost(PATIENCE).until(client::answered);
        try (var fresh = start(cluster.port());
                var reference = DeltaClient.connect(fresh.plaintextPort())) {
            await().atMost(PATIENCE).until(reference::answered);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .untilAsserted(() -> assertThat(reference.answer().differencesTo(client.answer()))
                            .isEmpty());
        }
    }
}
