// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.tools.cli.Fathomctl;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.peers.RemoteSecretText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two real API servers, one of them joined to the mesh of the other by Secrets: the cases 1 to 5 of remote secrets.
@Tag("slow")
@Tag("interop")
class RemoteSecretsIT {
    private static final String SYSTEM = "istio-system";

    private static final String OBJECTS = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: %1$s}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: shop}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {istio.io/global: "true"}}
            spec: {clusterIP: %2$s, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            """;
    private static final String MESH = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                serviceScopeConfigs:
                - servicesSelector: {matchLabels: {istio.io/global: "true"}}
                  scope: GLOBAL
            """;

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer west;

    @SuppressWarnings("NullAway.Init")
    private static KubeApiServer east;

    private final List<ManifestDocument> applied = new ArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @BeforeAll
    static void start() {
        west = KubeApiServer.start(InstantSource.system());
        east = KubeApiServer.start(InstantSource.system());
        new ManifestApplier(west).apply(documents(OBJECTS.formatted("net-west", "10.96.10.1")));
        new ManifestApplier(west).apply(documents(MESH));
        new ManifestApplier(east).apply(documents(OBJECTS.formatted("net-east", "10.96.20.1")));
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

    @AfterEach
    void removeSecrets() {
        new ManifestApplier(west).delete(applied);
    }

    @Test
    void case1_whenSecretsComeChangeAndGo_thenSoDoClusters() {
        try (var fathomd = fathomd(Map.of())) {
            assertThat(states(fathomd)).isEqualTo(Map.of("Kubernetes", "synced"));

            apply("one", Map.of("east", east.portableKubeconfig(), "Kubernetes", east.portableKubeconfig()));
            await().until(() -> states(fathomd).equals(Map.of("Kubernetes", "synced", "east", "synced")));
            assertThat(origin(fathomd, "east")).isEqualTo(SYSTEM + "/one");
            assertThat(vips(fathomd)).containsExactly("10.96.20.1", "10.96.10.1"); // net-east before net-west

            // the same id again: the first one stays
            apply("another", Map.of("east", east.portableKubeconfig() + "# other bytes\n"));
            await().until(() -> problems(fathomd).contains("remote-cluster-duplicate"));
            assertThat(origin(fathomd, "east")).isEqualTo(SYSTEM + "/one");
            delete("another");
            await().until(() -> problems(fathomd).isEmpty());

            // one more key, then one less
            apply("one", Map.of("east", east.portableKubeconfig(), "east-2", east.portableKubeconfig()));
            await().until(() -> "synced".equals(states(fathomd).get("east-2")));
            apply("one", Map.of("east-2", east.portableKubeconfig()));
            await().until(() -> states(fathomd).equals(Map.of("Kubernetes", "synced", "east-2", "synced")));

            delete("one");
            await().until(() -> states(fathomd).equals(Map.of("Kubernetes", "synced")));
            await().until(() -> vips(fathomd).equals(List.of("10.96.10.1")));
            assertThat(fathomd.text("/metrics"))
                    .contains("remote_cluster_secret_events_total{event=\"add\"} 2\n")
                    .contains("remote_cluster_secret_events_total{event=\"delete\"} 2\n");
        }
    }

    @Test
    void case1_givenAnotherNamespaceOrTheSwitch_thenNothingJoins() {
        applyIn("shop", "elsewhere", Map.of("east", east.portableKubeconfig()));
        try (var fathomd = fathomd(Map.of())) {
            assertThat(states(fathomd)).isEqualTo(Map.of("Kubernetes", "synced"));
        }
        apply("ignored", Map.of("east", east.portableKubeconfig()));
        try (var fathomd = fathomd(Map.of("DISABLE_LEGACY_MULTICLUSTER", "true"))) {
            assertThat(states(fathomd)).isEqualTo(Map.of("Kubernetes", "synced"));
        }
    }

    @Test
    void cases2And5_whenTheWayChangesToOneThatDoesNotAnswerOrToNonsense_thenTheOldOneServes() throws IOException {
        apply("one", Map.of("east", east.portableKubeconfig()));
        try (var fathomd = fathomd(Map.of());
                var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(states(fathomd)).containsEntry("east", "synced");

            apply("one", Map.of("east", east.portableKubeconfig(silent.getLocalPort())));
            new ManifestApplier(east).apply(documents("""
                    apiVersion: v1
                    kind: Service
                    metadata: {name: more, namespace: shop, labels: {istio.io/global: "true"}}
                    spec: {clusterIP: 10.96.20.2, ports: [{name: http, port: 80, targetPort: 8080}]}
                    """));
            await().until(() -> names(fathomd).contains("more"));
            assertThat(states(fathomd)).containsEntry("east", "synced");

            apply("one", Map.of("east", "this is no kubeconfig"));
            await().until(() -> problems(fathomd).contains("kubeconfig-unusable"));
            assertThat(states(fathomd)).containsEntry("east", "synced");
            assertThat(names(fathomd)).contains("more");

            apply("one", Map.of("east", "# once more\n" + east.portableKubeconfig()));
            await().until(() -> problems(fathomd).isEmpty());
            assertThat(states(fathomd)).containsEntry("east", "synced");
        }
    }

    @Test
    void case3_whenAClusterDoesNotAnswer_thenTheStartGoesOnAndItJoinsLater() throws IOException {
        var port = 0;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        apply("one", Map.of("east", east.portableKubeconfig(port)));
        try (var fathomd = fathomd(Map.of("PILOT_REMOTE_CLUSTER_TIMEOUT", "1s"))) {
            assertThat(states(fathomd)).containsEntry("east", "timeout");
            assertThat(problems(fathomd)).containsExactly("remote-cluster-timeout");
            assertThat(fathomd.text("/metrics")).contains("remote_cluster_sync_timeouts_total 1\n");

            apply("one", Map.of("east", east.portableKubeconfig()));
            await().until(() -> "synced".equals(states(fathomd).get("east")));
        }
    }

    @Test
    void case4_givenKubeconfigFilesOfOneCluster_thenTheExistingOneStays() throws IOException {
        Files.writeString(folder.resolve("b.yaml"), east.portableKubeconfig());
        try (var fathomd = fathomd(Map.of("PILOT_MULTICLUSTER_KUBECONFIG_PATH", folder.toString()))) {
            assertThat(states(fathomd)).containsEntry("verify", "synced");

            Files.writeString(folder.resolve("a.yml"), east.portableKubeconfig());
            await().until(() -> problems(fathomd).contains("remote-cluster-duplicate"));
            assertThat(origin(fathomd, "verify")).endsWith("b.yaml");

            Files.writeString(folder.resolve("b.yaml"), "{");
            await().until(() ->
                    problems(fathomd).size() == 2 || origin(fathomd, "verify").endsWith("a.yml"));
            assertThat(states(fathomd)).containsEntry("verify", "synced");
        }
    }

    @Test
    void givenKubeconfigThatRunsAProgram_thenItIsRefused() {
        var unsafe = east.portableKubeconfig().replace("token: verify", "exec: {apiVersion: v1, command: /bin/false}");
        apply("one", Map.of("east", unsafe));
        try (var fathomd = fathomd(Map.of())) {
            assertThat(states(fathomd)).doesNotContainKey("east");
            assertThat(problems(fathomd)).containsExactly("kubeconfig-unusable");
        }
    }

    @Test
    void whenAnApiServerStopsAnswering_thenItsServicesStayAndTheirAgeIsShown() {
        apply("one", Map.of("east", east.portableKubeconfig()));
        try (var fathomd = fathomd(Map.of())) {
            assertThat(states(fathomd)).containsEntry("east", "synced");
            east.stop();
            try {
                await().until(() -> row(fathomd, "east").path("ageSeconds").asInt() > 0);
                assertThat(vips(fathomd)).contains("10.96.20.1");
                assertThat(problems(fathomd)).containsExactly("remote-cluster-stale");
            } finally {
                east.resume();
            }
            await().until(() -> row(fathomd, "east").path("ageSeconds").asInt() == 0);
        }
    }

    @Test
    void whenFathomctlWritesTheSecret_thenTheClusterJoinsAndIsListed() {
        // No controller runs here that would fill it in.
        var authority =
                Pattern.compile("certificate-authority-data: ([^}\\s]+)").matcher(east.portableKubeconfig());
        assertThat(authority.find()).isTrue();
        new ManifestApplier(east).apply(documents("""
                apiVersion: v1
                kind: Secret
                metadata:
                  name: istio-reader-service-account-istio-remote-secret-token
                  namespace: istio-system
                  annotations: {kubernetes.io/service-account.name: istio-reader-service-account}
                type: kubernetes.io/service-account-token
                data: {token: dmVyaWZ5, ca.crt: %s}
                """.formatted(authority.group(1))));
        var secret = fathomctl(
                "create-remote-secret", "--kubeconfig", east.kubeconfig().toString(), "--name", "from-fathomctl");
        new ManifestApplier(west).run(secret, "apply", "-f", "-");
        try (var fathomd = fathomd(Map.of())) {
            assertThat(origin(fathomd, "from-fathomctl")).isEqualTo("istio-system/istio-remote-secret-from-fathomctl");
            assertThat(states(fathomd)).containsEntry("from-fathomctl", "synced");
            assertThat(fathomctl("remote-clusters", "--fathomd", "127.0.0.1:" + fathomd.httpPort())
                            .lines())
                    .anyMatch(line -> line.matches("NAME +SECRET +STATUS .*"))
                    .anyMatch(line -> line.matches("Kubernetes +synced .*"))
                    .anyMatch(line ->
                            line.matches("from-fathomctl +istio-system/\\S+ +synced +net-east +127\\.0\\.0\\.1:\\d+"));
        } finally {
            new ManifestApplier(west).run(secret, "delete", "-f", "-");
        }
    }

    private static String fathomctl(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Fathomctl.run(args, Map.of(), "test", new PrintWriter(out), new PrintWriter(err));
        assertThat(code).as(err.toString()).isZero();
        return out.toString();
    }

    private static RunningFathomd fathomd(Map<String, String> more) {
        var env = new HashMap<>(more);
        env.put("AMBIENT_ENABLE_MULTI_NETWORK", "true");
        return RunningFathomd.lookingAt(west.kubeconfig(), env);
    }

    private void apply(String name, Map<String, String> kubeconfigs) {
        applyIn(SYSTEM, name, kubeconfigs);
    }

    private void applyIn(String namespace, String name, Map<String, String> kubeconfigs) {
        var secret = RemoteSecretText.secret(namespace, name, kubeconfigs);
        new ManifestApplier(west).apply(List.of(secret));
        applied.removeIf(other -> other.path().equals(secret.path()));
        applied.add(secret);
    }

    private void delete(String name) {
        var gone = applied.stream().filter(secret -> secret.name().equals(name)).toList();
        new ManifestApplier(west).delete(gone);
        applied.removeAll(gone);
    }

    private static Map<String, String> states(RunningFathomd fathomd) {
        var states = new TreeMap<String, String>();
        fathomd.json("/debug/clusterz")
                .forEach(cluster -> states.put(
                        cluster.path("id").asText(), cluster.path("syncStatus").asText()));
        return states;
    }

    private static JsonNode row(RunningFathomd fathomd, String id) {
        return StreamSupport.stream(fathomd.json("/debug/clusterz").spliterator(), false)
                .filter(cluster -> cluster.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String origin(RunningFathomd fathomd, String id) {
        return row(fathomd, id).path("secretName").asText();
    }

    /// Of the shared service, in order.
    private static List<String> vips(RunningFathomd fathomd) {
        var found = new ArrayList<String>();
        fathomd.json("/debug/ambientz").path("services").forEach(service -> {
            if (service.path("name").asText().equals("web")) {
                found.addAll(service.path("addresses").findValuesAsText("address"));
                if (found.isEmpty()) {
                    service.path("addresses")
                            .forEach(address -> found.add(address.asText().replaceAll(".*/", "")));
                }
            }
        });
        return found;
    }

    private static List<String> names(RunningFathomd fathomd) {
        var found = new ArrayList<String>();
        fathomd.json("/debug/ambientz")
                .path("services")
                .forEach(service -> found.add(service.path("name").asText()));
        return found;
    }

    private static List<String> problems(RunningFathomd fathomd) {
        var codes = new ArrayList<String>();
        fathomd.json("/debug/problemz")
                .forEach(problem -> codes.add(problem.path("code").asText()));
        return codes;
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100));
    }

    private static List<ManifestDocument> documents(String text) {
        return Arrays.stream(text.split("(?m)^---$"))
                .map(part -> ManifestDocument.parse(part).orElseThrow())
                .toList();
    }
}
