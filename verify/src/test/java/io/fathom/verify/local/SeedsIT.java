// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.seeds.Excerpt;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/// What the seeds say to do on a node, done on one of a local mesh, and their manifests with real traffic. Commands are
/// run as printed, without `sudo` and with the process ids of this mesh. Those that need a Kubernetes are in
/// `ClusterIT`.
@Tag("slow")
@Tag("interop")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SeedsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String ANY = "(?:\\*|0\\.0\\.0\\.0|\\[::\\]):";

    @SuppressWarnings("NullAway.Init")
    private LocalMesh mesh;

    @BeforeAll
    void start() {
        mesh = LocalMesh.create();
        mesh.add("seeds.yaml");
        mesh.write("waypoint.yaml", Excerpt.at("001:193").text());
        var result = mesh.start();
        assertThat(result.code()).as(result.out()).isZero();
        Awaitility.await("all of it runs")
                .atMost(PATIENCE)
                .until(() -> Stream.of("my-waypoint", "echo-first", "echo-second", "caller")
                        .allMatch(name -> pod(name).path("ready").asBoolean()));
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> excerpts() {
        return Excerpt.tests(SeedsIT.class, this::check);
    }

    private Executable check(Excerpt excerpt) {
        return switch (excerpt.at()) {
            case "000:454" -> () -> adminPages(excerpt);
            case "000:461" -> () -> workloads(excerpt);
            case "001:193" -> this::waypoint;
            case "001:232", "004:74" -> () -> route(excerpt);
            case "001:260" -> () -> processes(excerpt);
            case "001:270" -> () -> ownListeners(excerpt);
            case "001:288" -> () -> podListeners(excerpt);
            case "001:299" -> () -> chains(excerpt);
            case "003:307" -> () -> rules(excerpt);
            default -> throw new AssertionError("nothing checks " + excerpt);
        };
    }

    // --- pages -------------------------------------------------------------------------------------------------------

    private void adminPages(Excerpt excerpt) {
        assertThat(excerpt.text()).contains("/config_dump?level=warn", "/metrics", "/stats/prometheus");
        assertThat(page("/config_dump")).contains("\"workloads\"", "\"services\"", "\"policies\"");
        Awaitility.await("nothing is out of order").atMost(PATIENCE).untilAsserted(() -> {
            var warnings = JSON.readTree(page("/config_dump?level=warn"));
            assertThat(warnings.path("workloads").isMissingNode()).isTrue();
            assertThat(warnings.path("certificates")).isEmpty();
            assertThat(warnings.path("workloadState")).isEmpty();
        });
        assertThat(page("/stats/prometheus")).contains("istio_tcp_connections_opened_total");
        assertThat(page("/metrics")).contains("istio_xds_message_total");
        mesh.kill("fathomd");
        Awaitility.await("the end of the stream is counted")
                .atMost(PATIENCE)
                .until(() -> page("/metrics").contains("istio_xds_connection_terminations_total"));
    }

    private String page(String path) {
        return mesh.exec("ztunnel-node-1", "curl", "-s", "localhost:15000" + path)
                .out();
    }

    private void workloads(Excerpt excerpt) throws IOException {
        var result = mesh.exec("ztunnel-node-1", "sh", "-c", excerpt.text());
        assertThat(result.code()).as(result.out()).isZero();
        var found = new ArrayList<JsonNode>();
        JSON.readerFor(JsonNode.class).<JsonNode>readValues(result.out()).forEachRemaining(found::add);
        assertThat(found)
                .filteredOn(it -> it.path("uid").asText().endsWith("//Pod/default/echo-first"))
                .singleElement()
                .satisfies(it -> {
                    assertThat(it.at("/addresses/0").asText())
                            .isEqualTo(pod("echo-first").path("ip").asText());
                    assertThat(it.path("identity").asText()).isEqualTo("spiffe://cluster.local/ns/default/sa/default");
                    assertThat(it.path("services").toString())
                            .contains(
                                    "default/echo.default.svc.cluster.local",
                                    "default/echo-v1.default.svc.cluster.local");
                });
    }

    // --- manifests ---------------------------------------------------------------------------------------------------

    private void waypoint() {
        Awaitility.await("requests to payments go through an Envoy")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(curl("payments", "-i")).containsIgnoringCase("server: istio-envoy"));
        assertThat(curl("echo-v1", "-i")).contains("first").doesNotContainIgnoringCase("istio-envoy");
    }

    private void route(Excerpt excerpt) {
        var each = Stream.generate(() -> curl("echo", "-s").strip()).limit(12);
        assertThat(each).as("without a route").contains("first", "second");

        mesh.write("route.yaml", excerpt.text());
        Awaitility.await("all requests go to echo-v1")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                Stream.generate(() -> curl("echo", "-s").strip())
                                        .limit(24))
                        .containsOnly("first"));

        mesh.write("route.yaml", "");
        Awaitility.await("the route is gone")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                Stream.generate(() -> curl("echo", "-s").strip())
                                        .limit(12))
                        .contains("second"));
    }

    private String curl(String service, String flags) {
        return mesh.exec("caller", "curl", flags, "-sm", "10", "http://" + service + ".default/")
                .out();
    }

    // --- processes and sockets ---------------------------------------------------------------------------------------

    private void processes(Excerpt excerpt) {
        for (var name : List.of("ztunnel", "fathomd", "fathom-cni")) {
            var shown = onNode(excerpt.text().replace("ztunnel", name));
            var program = name.equals("fathomd") ? name : name + "-node-1";
            assertThat(shown)
                    .containsPattern("(?m)^" + mesh.program(program).path("pid").asText() + " .*");
        }
    }

    private void ownListeners(Excerpt excerpt) {
        var pid = ztunnel("node-1");
        var shown = onNode(command(excerpt).replace("19286", pid));
        var owner = ".*\\(\"ztunnel\",pid=" + pid + ",";
        assertThat(shown)
                .containsPattern("127\\.0\\.0\\.1:15000 " + owner)
                .containsPattern(ANY + "15020 " + owner)
                .containsPattern(ANY + "15021 " + owner)
                .doesNotContain(":15001 ", ":15006 ");
    }

    private void podListeners(Excerpt excerpt) {
        var pod = pod("echo-first");
        var pid = ztunnel(pod.path("node").asText());
        var shown = onNode(command(excerpt).replace("$APP_PID", pod.path("pid").asText()));
        var owner = ".*\\(\"ztunnel\",pid=" + pid + ",fd=\\d+\\)";
        assertThat(shown)
                .containsPattern("127\\.0\\.0\\.1:15053 " + owner)
                .containsPattern(ANY + "15008 " + owner)
                .containsPattern(ANY + "15001 " + owner)
                .containsPattern(ANY + "15006 " + owner)
                .containsPattern(ANY + "8080 .*\\(\"python3\",");
    }

    private void chains(Excerpt excerpt) {
        var shown = onNode(
                excerpt.text().replace("$APP_PID", pod("echo-first").path("pid").asText()));
        assertThat(shown).contains("ISTIO_PRERT", "ISTIO_OUTPUT", "--to-ports 15001", "--to-ports 15006", "15008");
    }

    /// Those and, where DNS is captured, a few more.
    private void rules(Excerpt excerpt) {
        var saved = onNode("nsenter -t " + pod("echo-first").path("pid").asText() + " -n iptables-save");
        var wanted = excerpt.text()
                .lines()
                .filter(line -> line.startsWith("-A "))
                .map(SeedsIT::plain)
                .toList();
        assertThat(saved.lines().map(SeedsIT::plain)).containsAll(wanted);
    }

    /// Tools differ in what they add to a rule that says the same without.
    private static String plain(String rule) {
        return rule.replace(" -m tcp", "").replace("/32", "");
    }

    private static String command(Excerpt excerpt) {
        return excerpt.text().lines().findFirst().orElseThrow();
    }

    /// The tests run as root, and not every machine has sudo.
    private String onNode(String command) {
        var result = mesh.runIn("node-1", "sh", "-c", command.replace("sudo ", ""));
        assertThat(result.code()).as(result.out()).isZero();
        return result.out();
    }

    private String ztunnel(String node) {
        return mesh.program("ztunnel-" + node).path("pid").asText();
    }

    private JsonNode pod(String prefix) {
        return mesh.pods(prefix).stream().findFirst().orElseGet(JSON::createObjectNode);
    }
}
