// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.tools.cli.Fathomctl;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.peers.Kubectl;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `fathomctl multicluster` with the contexts of a kubeconfig: two real API servers, and a stock istiod that reads what
/// was written. Nothing else runs in the clusters, so the addresses of their gateways are made up.
@Tag("slow")
@Tag("interop")
class MulticlusterIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String CLUSTER = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: net-NAME}}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data: {mesh: "trustDomain: NAME.example"}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio-ca-root-cert, namespace: istio-system}
            data: {root-cert.pem: ROOT}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: istiod, namespace: istio-system, labels: {app: istiod}}
            spec:
              selector: {matchLabels: {app: istiod}}
              template:
                metadata: {labels: {app: istiod}}
                spec: {containers: [{name: discovery, image: none, env: [{name: CLUSTER_ID, value: NAME}]}]}
            """;
    private static final String PEER = "istio-remote-peer-";

    @TempDir
    private static Path home;

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer west;

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer east;

    @BeforeAll
    static void start() throws IOException {
        west = KubeApiServer.start(InstantSource.system());
        east = KubeApiServer.startPeer(InstantSource.system());
        var root = Pem.encode(RootCertificate.create(
                KeyAlgorithm.P256.generate(), "mesh", InstantSource.system().instant(), Duration.ofDays(1)));
        fill(west, "west", root);
        fill(east, "east", root);
        Files.writeString(
                home.resolve("config"),
                """
                apiVersion: v1
                kind: Config
                contexts:
                - {name: w, context: {cluster: west, user: west}}
                - {name: e, context: {cluster: east, user: east}}
                """
                        + "clusters:\n"
                        + part(west, "west", "cluster: {server")
                        + part(east, "east", "cluster: {server")
                        + "users:\n"
                        + part(west, "west", "user: {token")
                        + part(east, "east", "user: {token"));
    }

    @AfterAll
    static void stop() {
        if (west != null) {
            west.close();
        }
        if (east != null) {
            east.close();
        }
    }

    private static void fill(KubeApiServer cluster, String name, String root) {
        var text = CLUSTER.replace("NAME", name).replace("ROOT", "\"" + root.replace("\n", "\\n") + "\"");
        var result = Kubectl.of(cluster).apply(text);
        assertThat(result.exit()).as(result.output()).isZero();
    }

    /// The line of a kubeconfig that has such a thing, under another name.
    private static String part(KubeApiServer cluster, String name, String beginning) {
        return cluster.portableKubeconfig()
                .lines()
                .filter(line -> line.startsWith("- {name: verify, " + beginning))
                .map(line -> line.replace("name: verify", "name: " + name))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /// Case 26 among it: stock istiod takes the Gateways for what they are.
    @Test
    void whenExposedAndLinked_thenStockIstiodTakesTheGateways_andUnlinkRemovesThem() throws IOException {
        assertThat(fathomctl("link")).contains("[cluster-without-gateway] w", "[cluster-without-gateway] e");

        expose();
        assertThat(fathomctl("link")).contains("created").contains("They believe each other by 'O=mesh'");
        var peer = gateway(west, PEER + "east").orElseThrow();
        assertThat(peer.at("/metadata/labels/topology.istio.io~1cluster").asText())
                .isEqualTo("east");
        assertThat(peer.at("/metadata/annotations/gateway.istio.io~1trust-domain")
                        .asText())
                .isEqualTo("east.example");
        var version = peer.at("/metadata/resourceVersion").asText();
        assertThat(fathomctl("link")).contains("Nothing had to be written.");
        assertThat(gateway(west, PEER + "east")
                        .orElseThrow()
                        .at("/metadata/resourceVersion")
                        .asText())
                .isEqualTo(version);

        move(east, "192.0.2.3");
        assertThat(fathomctl("link")).contains("changed", "address [192.0.2.2] to [192.0.2.3]");
        assertThat(gateway(west, PEER + "east")
                        .orElseThrow()
                        .at("/spec/addresses/0/value")
                        .asText())
                .isEqualTo("192.0.2.3");

        try (var istiod = Istiod.startWithCertificates(
                        west,
                        Map.of(
                                "PILOT_ENABLE_GATEWAY_API_STATUS", "true",
                                "AMBIENT_ENABLE_MULTI_NETWORK", "true"));
                var client = DeltaClient.connect(istiod.port())) {
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                var seen = gateway(west, PEER + "east").orElseThrow().path("status");
                assertThat(seen.at("/addresses/0/value").asText()).isEqualTo("192.0.2.3");
                assertThat(seen.path("conditions"))
                        .anyMatch(condition -> condition.path("type").asText().equals("Programmed")
                                && condition.path("status").asText().equals("True"));
                assertThat(client.answer().toString()).contains("NetworkGateway/net-east/192.0.2.3/15008");
            });
        }

        assertThat(fathomctl("link"))
                .as("it signs with a root of its own, and has told all namespaces")
                .contains("ERROR [no-common-root] e -> w", "'O=mesh'", "--exchange-trust", "Nothing was written.");
        assertThat(fathomctl("link", "--exchange-trust", "--dry-run")).contains("WOULD BE", "west.example", "changed");
        assertThat(fathomctl("link", "--exchange-trust")).contains("west.example", "changed");
        assertThat(fathomctl("link")).contains("Nothing had to be written.");
        assertThat(fathomctl("trust")).contains("west.example", "east.example", "fathomctl", "itself");
        assertThat(fathomctl("unlink")).contains("removed");
        assertThat(fathomctl("trust")).doesNotContain("fathomctl");
        assertThat(gateway(west, PEER + "east")).isEmpty();
        assertThat(gateway(east, PEER + "west")).isEmpty();
        assertThat(gateway(east, "istio-eastwest")).isPresent();
    }

    /// It waits for the addresses, which nobody gives here.
    private static void expose() {
        var exposed = CompletableFuture.supplyAsync(() -> fathomctl("expose"), Thread.ofVirtual()::start);
        for (var cluster : List.of(west, east)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> gateway(cluster, "istio-eastwest").isPresent());
        }
        move(west, "192.0.2.1");
        move(east, "192.0.2.2");
        assertThat(exposed.join()).contains("created", "192.0.2.1", "192.0.2.2", "net-west");
    }

    private static void move(KubeApiServer cluster, String address) {
        var patch = "{\"status\": {\"addresses\": [{\"type\": \"IPAddress\", \"value\": \"" + address + "\"}]}}";
        var result = Kubectl.of(cluster)
                .run(
                        "patch",
                        "gateway",
                        "istio-eastwest",
                        "--namespace=istio-eastwest",
                        "--subresource=status",
                        "--type=merge",
                        "--patch=" + patch);
        assertThat(result.exit()).as(result.output()).isZero();
    }

    private static Optional<JsonNode> gateway(KubeApiServer cluster, String name) {
        return cluster.client().list(KubeKind.GATEWAY).stream()
                .filter(gateway -> gateway.at("/metadata/name").asText().equals(name))
                .map(JsonNode.class::cast)
                .findFirst();
    }

    private static String fathomctl(String act, String... flags) {
        var out = new StringWriter();
        var print = new PrintWriter(out, true);
        var line = new ArrayList<>(List.of(
                "multicluster",
                act,
                "--contexts",
                "w,e",
                "--kubeconfig",
                home.resolve("config").toString()));
        line.addAll(List.of(flags));
        var _ = Fathomctl.run(line.toArray(String[]::new), Map.of(), "test", print, print);
        return out.toString();
    }
}
