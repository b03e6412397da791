// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A folder as another cluster, through the whole control plane.
@Timeout(120)
class RemoteFoldersTest {
    private static final String CLUSTER = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: %s}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: shop}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                serviceScopeConfigs:
                - servicesSelector: {matchLabels: {istio.io/global: "true"}}
                  scope: GLOBAL
            """;
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {istio.io/global: "true"}}
            spec: {clusterIP: %s, selector: {app: web}, ports: [{name: http, port: %s, targetPort: 8080}]}
            """;

    @TempDir
    private Path west;

    @TempDir
    private Path east;

    private final HttpClient http = HttpClient.newHttpClient();
    private Fathomd fathomd;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(west.resolve("cluster.yaml"), CLUSTER.formatted("net-west"));
        Files.writeString(west.resolve("web.yaml"), SERVICE.formatted("10.96.0.1", "80"));
        Files.writeString(east.resolve("cluster.yaml"), CLUSTER.formatted("net-east"));
        Files.writeString(east.resolve("web.yaml"), SERVICE.formatted("10.100.0.1", "80"));
        String[] args = {
            "--manifests", west.toString(),
            "--remote-manifests", "east=" + east,
            "--cluster-id", "west",
            "--plaintext-port", "0",
            "--tls-port", "0",
            "--http-port", "0"
        };
        fathomd = Fathomd.start(FathomdConfig.parse(args, Map.of()));
    }

    @AfterEach
    void stop() {
        fathomd.close();
        http.close();
    }

    @Test
    void whenStarted_thenTheOtherClusterHasBeenRead() throws Exception {
        assertThat(addresses().findValuesAsText("address")).contains("10.96.0.1", "10.100.0.1");

        var clusters = json("/debug/clusterz");
        assertThat(clusters.at("/0/id").asText()).isEqualTo("west");
        assertThat(clusters.at("/0/syncStatus").asText()).isEqualTo("synced");
        assertThat(clusters.at("/0/secretName").asText()).isEmpty();
        assertThat(clusters.at("/1/id").asText()).isEqualTo("east");
        assertThat(clusters.at("/1/secretName").asText()).isEqualTo(east.toString());
        assertThat(clusters.at("/1/syncStatus").asText()).isEqualTo("synced");
        assertThat(clusters.at("/1/network").asText()).isEqualTo("net-east");
        assertThat(clusters.at("/1/objects/Service").asInt()).isEqualTo(1);

        assertThat(text("/metrics"))
                .contains("istiod_managed_clusters{cluster_type=\"local\"} 1\n")
                .contains("istiod_managed_clusters{cluster_type=\"remote\"} 1\n")
                .contains(
                        "istiod_remote_cluster_sync_status{cluster=\"east\",cluster_type=\"remote\",status=\"synced\"}")
                .contains("remote_cluster_sync_timeouts_total 0\n");
    }

    @Test
    void whenAFileOfTheOtherClusterChanges_thenItIsFollowed() throws Exception {
        Files.writeString(east.resolve("web.yaml"), SERVICE.formatted("10.100.0.2", "80"));

        Awaitility.await()
                .untilAsserted(() -> assertThat(addresses().findValuesAsText("address"))
                        .contains("10.96.0.1", "10.100.0.2")
                        .doesNotContain("10.100.0.1"));
    }

    @Test
    void whenAFileOfTheOtherClusterIsBroken_thenTheProblemNamesTheCluster() throws Exception {
        assertThat(fathomd.problems()).isEmpty();

        Files.writeString(east.resolve("web.yaml"), SERVICE.formatted("10.100.0.1", "70000"));

        Awaitility.await()
                .untilAsserted(() -> assertThat(fathomd.problems())
                        .extracting(ManifestProblem::object)
                        .containsExactly("Service shop/web of cluster east"));
        assertThat(addresses().findValuesAsText("address")).contains("10.100.0.1");
    }

    private JsonNode addresses() throws Exception {
        return json("/debug/ambientz").at("/services");
    }

    private JsonNode json(String path) throws Exception {
        return new ObjectMapper().readTree(text(path));
    }

    private String text(String path) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + fathomd.httpPort() + path);
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }
}
