// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class FathomdTest {
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: shop, labels: {app: %s}}
            spec: {nodeName: node-1, serviceAccountName: web, containers: [{name: web}]}
            status:
              phase: Running
              podIP: %s
              conditions: [{type: Ready, status: "%s"}]
            """;
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: 10.96.0.10, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            """;
    private static final String WEB = "Kubernetes//Pod/shop/web";

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private Fathomd fathomd;

    @BeforeEach
    void start() throws IOException {
        write("web.yaml", POD.formatted("web", "web", "10.0.0.1", "True"));
        write("service.yaml", SERVICE);
        fathomd = Fathomd.start(config());
    }

    @AfterEach
    void stop() {
        fathomd.close();
        http.close();
    }

    @Test
    void whenStarted_thenReadyAndServing() throws Exception {
        assertThat(get("/ready").statusCode()).isEqualTo(200);
        assertThat(get("//version").body()).matches("[^-]+(-SNAPSHOT)?-\\w+-\\w+\n");
        var mesh = json("/debug/ambientz");
        assertThat(mesh.at("/workloads/0/uid").asText()).isEqualTo(WEB);
        assertThat(mesh.at("/workloads/0/addresses/0").asText()).isEqualTo("10.0.0.1");
        assertThat(mesh.at("/services/0/hostname").asText()).isEqualTo("web.shop.svc.cluster.local");
    }

    @Test
    void whenAFileChanges_thenOnlyWhatItConcernsIsSent() throws Exception {
        try (var client = TestClient.plaintext(fathomd.plaintextPort())) {
            client.accept(client.subscribe().next());

            write("web.yaml", POD.formatted("web", "web", "10.0.0.1", "False"));
            assertThat(names(client.next().getResourcesList())).containsExactly(WEB);

            write("more.yaml", POD.formatted("other", "other", "10.0.0.2", "True"));
            assertThat(names(client.next().getResourcesList())).containsExactly("Kubernetes//Pod/shop/other");

            Files.delete(folder.resolve("more.yaml"));
            assertThat(client.next().getRemovedResourcesList()).containsExactly("Kubernetes//Pod/shop/other");
        }
    }

    @Test
    void givenABrokenFile_thenOneProblemAndTheRestIsServed() throws Exception {
        write("broken.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: shop}\nspec: {ports: 7}\n");

        await().until(() -> !fathomd.problems().isEmpty());

        var problems = json("/debug/ambientz").path("problems");
        assertThat(problems).hasSize(1);
        assertThat(problems.get(0).path("file").asText()).endsWith("broken.yaml");
        assertThat(problems.get(0).path("line").asInt()).isEqualTo(4);
        assertThat(problems.get(0).path("object").asText()).isEqualTo("Service/shop/b");
        assertThat(problems.get(0).path("field").asText()).isEqualTo("spec.ports");
        assertThat(problems.get(0).path("fix").asText()).isNotEmpty();
        assertThat(json("/debug/ambientz").path("services")).hasSize(1);
        assertThat(fathomd.welcome()).contains("Problems:", "broken.yaml:4");
    }

    @Test
    void whenAClientAcceptsOrRefuses_thenSynczTells() throws Exception {
        try (var client = TestClient.plaintext(fathomd.plaintextPort())) {
            var first = client.subscribe().next();
            client.accept(first);
            await().until(() -> watch().path("status").asText().equals("SYNCED"));
            assertThat(json("/debug/syncz").at("/0/proxy").asText()).isEqualTo("ztunnel-a.istio-system");
            assertThat(json("/debug/adsz").path("totalClients").asInt()).isEqualTo(1);

            write("web.yaml", POD.formatted("web", "web", "10.0.0.9", "True"));
            client.refuse(client.next(), "I will not");
            await().until(() -> watch().path("status").asText().equals("ERROR"));
            assertThat(watch().path("lastError").asText()).isEqualTo("I will not");

            var metrics = get("/metrics").body();
            assertThat(metrics)
                    .contains("pilot_total_xds_rejects{type=\"wds\"} 1\n")
                    .contains("pilot_xds_pushes{type=\"wds\"} 2\n")
                    .contains("pilot_services 1\n")
                    .contains("pilot_xds{version=\"\"} 1\n")
                    .contains("pilot_proxy_convergence_time_count 1\n")
                    .contains("pilot_proxy_queue_time_count 1\n")
                    .containsPattern("pilot_debounce_time_count [1-9]")
                    .contains("pilot_k8s_reg_events{event=\"add\",type=\"Pods\"} 1\n")
                    .contains("pilot_k8s_reg_events{event=\"update\",type=\"Pods\"} 1\n");
        }
    }

    @Test
    void whenADumpIsAskedFor_thenUpstreamsAnswers() throws Exception {
        assertThat(get("/debug/config_dump").statusCode()).isEqualTo(400);
        assertThat(get("/debug/config_dump?proxyID=nobody").statusCode()).isEqualTo(404);
        try (var client = TestClient.plaintext(fathomd.plaintextPort())) {
            client.accept(client.subscribe().next());

            var dump = json("/debug/config_dump?proxyID=ztunnel-a");

            assertThat(dump.path("configs")).hasSize(2);
            assertThat(dump.at("/configs/0/@type").asText()).isEqualTo(TestClient.ADDRESS);
            assertThat(json("/debug/config_dump?proxyID=ztunnel-a&types=wads").path("configs"))
                    .isEmpty();
        }
    }

    @Test
    void whenManifestsAreListed_thenWithWhatWasRead() throws Exception {
        var configs = json("/debug/configz");

        assertThat(configs.findValuesAsText("kind")).contains("Pod", "Service");
        assertThat(configs)
                .anySatisfy(config ->
                        assertThat(config.at("/metadata/name").asText()).isEqualTo("web"));
        assertThat(json("/debug/registryz").at("/0/defaultAddress").asText()).isEqualTo("10.96.0.10");
    }

    @Test
    void whenClosed_thenClientsAreToldAndPortsAreFree() throws Exception {
        try (var client = TestClient.plaintext(fathomd.plaintextPort())) {
            client.accept(client.subscribe().next());
            int port = fathomd.plaintextPort();

            fathomd.close();

            assertThat(client.awaitEnd()).isTrue();
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(socket.isBound()).isTrue();
            }
        }
    }

    @Test
    void givenATakenPort_thenTheComplaintNamesIt() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var port = String.valueOf(taken.getLocalPort());
            for (var flag : List.of("--plaintext-port", "--tls-port", "--http-port")) {
                assertThatThrownBy(() -> Fathomd.start(config(flag, port)))
                        .isInstanceOfSatisfying(ProblemException.class, e -> {
                            assertThat(e.problem().message()).contains(port);
                            assertThat(e.problem().fix()).contains("another");
                        });
            }
        }
    }

    private FathomdConfig config(String... more) {
        var args = new ArrayList<>(List.of("--manifests", folder.toString(), "--listen-address", "127.0.0.1"));
        for (var flag : List.of("--plaintext-port", "--tls-port", "--http-port")) {
            if (!List.of(more).contains(flag)) {
                args.addAll(List.of(flag, "0"));
            }
        }
        args.addAll(List.of(more));
        return FathomdConfig.parse(args.toArray(String[]::new), Map.of());
    }

    private JsonNode watch() throws Exception {
        return json("/debug/syncz").path(0).path("resources").path(TestClient.ADDRESS);
    }

    private static List<String> names(List<Resource> resources) {
        return resources.stream().map(Resource::getName).toList();
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    private JsonNode json(String path) throws Exception {
        return JsonMapper.builder().build().readTree(get(path).body());
    }

    private HttpResponse<String> get(String path) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + fathomd.httpPort() + path);
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
}
