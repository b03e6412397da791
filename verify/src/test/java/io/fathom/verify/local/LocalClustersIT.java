// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.testkit.TestCommand.Result;
import io.fathom.verify.seeds.Excerpt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Two clusters of `bin/up`, linked by Gateways, with the shop spread over them: the visitor and the storefront are in
/// the first, cart, store and checkout in the second, and the catalog in both.
@Tag("slow")
@Tag("alone")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalClustersIT {
    private static final Logger log = LoggerFactory.getLogger(LocalClustersIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String FIRST = "cluster-1";
    private static final String SECOND = "cluster-2";

    /// A new connection for each request until the file is gone, and what came of them.
    private static final String MANY_REQUESTS = """
            while [ -e SIGN ]; do
              curl -s -o /dev/null -m 5 -w '%{http_code}\n' http://URL || true
              sleep 0.02
            done | sort | uniq -c""";

    /// Those of the Deployment of the first version.
    private static final String FIRST_LABELS = "(?m)^  labels: \\{app: catalog, version: v1}$";

    private static final String ELSEWHERE = "  annotations: {fathom.io/clusters: \"2\"}";

    @SuppressWarnings("NullAway.Init")
    private LocalMesh mesh;

    @BeforeAll
    void start() {
        mesh = LocalMesh.create();
        var result = mesh.start("--clusters", "2");
        assertThat(result.code()).as(result.out()).isZero();
        assertThat(result.out())
                .contains("links: 2 Gateways, all control planes hear each other")
                .contains("the first request over mutual TLS was answered");
        log.info("{}", result.out());
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    @Test
    void givenServicesOfOneCluster_thenTheOtherReachesThem_andOnlyTlsIsBetweenThem() {
        assumeTrue(LocalMesh.isInstalled("tcpdump"), "tcpdump is not installed");
        try (var there = new Wiretap(mesh, folder(FIRST), gateway(SECOND));
                var back = new Wiretap(mesh, folder(SECOND), gateway(FIRST))) {
            for (int i = 0; i < 10; i++) {
                assertThat(get("cluster-1/visitor", "storefront.shop/buy")).contains("\"paid\"", "\"cart\"");
                assertThat(get("cluster-1/visitor", "cart.shop/items")).contains("\"cart-");
                assertThat(get("cluster-2/checkout", "storefront.shop")).contains("\"storefront-");
            }
            there.awaitEncrypted();
            back.awaitEncrypted();
            assertThat(there.plainText()).isEmpty();
            assertThat(back.plainText()).isEmpty();
        }
        assertThat(mesh.log("cluster-2/ztunnel-node-1"))
                .as("the identity of a client in the other cluster")
                .contains("src.identity=\"spiffe://cluster.local/ns/shop/sa/storefront\" src.cluster=\"cluster-1\"");
        var pod = pods(SECOND, "cart").getFirst().path("ip").asText();
        assertThat(mesh.exec("cluster-1/visitor", "curl", "-sm", "3", "http://" + pod + ":8080/items")
                        .code())
                .as("a pod of the other cluster, directly")
                .isNotZero();
    }

    @Test
    void givenAPolicy_whenAClientOfTheOtherClusterIsNotInIt_thenItIsRefused() {
        assertThat(mesh.exec("cluster-1/visitor", "curl", "-sm", "5", "http://checkout.payments/pay")
                        .code())
                .isNotZero();
        assertThat(get("cluster-1/storefront", "checkout.payments/pay")).contains("\"paid\"");
    }

    @Test
    void whenLinkedAgain_thenNothingIsWritten_andUnlinkTakesBackWhatLinkWrote() throws IOException {
        var applied = folder(FIRST).resolve("applied/gateway_istio-eastwest_istio-remote-peer-cluster-2.yaml");
        var written = Files.getLastModifiedTime(applied);
        assertThat(multicluster("link").out()).contains("Nothing had to be written.", "'O=bin/up'");
        assertThat(Files.getLastModifiedTime(applied)).isEqualTo(written);

        assertThat(multicluster("unlink").out()).contains("istio-remote-peer-cluster-2", "removed");
        assertThat(applied).doesNotExist();
        var check = multicluster("check");
        assertThat(check.code()).isEqualTo(1);
        assertThat(check.out()).contains("ERROR [not-linked] cluster-1 -> cluster-2");
        assertThat(multicluster("check", "--precheck").code()).isZero();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> mesh.exec("cluster-1/visitor", "curl", "-sm", "5", "http://cart.shop/items")
                                .code()
                        != 0);

        var words = Excerpt.at("000:283")
                .text()
                .strip()
                .replace("istioctl", "fathomctl")
                .split(" ", -1);
        assertThat(mesh.up(words).out()).contains("created");
        awaitLinked();
    }

    @Test
    void whenAllPodsOfOneClusterGo_thenThoseOfTheOtherAnswer() throws IOException {
        var outcome = requestsWhile("catalog-v1.shop/items", () -> {
            mesh.edit("shop/catalog.yaml", text -> text.replaceFirst(FIRST_LABELS, "$0\n" + ELSEWHERE));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> pods(FIRST, "catalog-v1").isEmpty());
            var there = pods(SECOND, "catalog-v1").stream()
                    .map(pod -> pod.path("name").asText())
                    .toList();
            for (int i = 0; i < 5; i++) {
                assertThat(get("cluster-1/visitor", "catalog-v1.shop/items"))
                        .containsAnyOf(there.toArray(String[]::new));
            }
        });
        log.info("pods of one cluster go: {}", outcome);
        assertThat(outcome).contains(" 200").doesNotContain(" 503", " 000");
        mesh.edit("shop/catalog.yaml", text -> text.replace(ELSEWHERE + "\n", ""));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> pods(FIRST, "catalog-v1").stream()
                        .anyMatch(pod -> pod.path("ready").asBoolean()));
    }

    @Test
    void whenAGatewayIsKilled_thenAllIsWellOnceItIsBack() {
        var begun = System.nanoTime();
        var gateway = pods(SECOND, "istio-eastwest").getFirst();
        try (var kill = mesh.beginAt(
                folder(SECOND), "middle", "kill", "-KILL", gateway.path("pid").asText())) {
            assertThat(kill.result().code()).isZero();
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> pods(SECOND, "istio-eastwest")
                                .getFirst()
                                .path("restarts")
                                .asInt()
                        > gateway.path("restarts").asInt());
        awaitLinked();
        log.info("gateway back after {} ms", (System.nanoTime() - begun) / 1_000_000);
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            var report = new ObjectMapper()
                    .readTree(multicluster("check", "-o", "json").out());
            assertThat(report.path("ok").asBoolean()).as(report.toString()).isTrue();
            assertThat(report.path("links"))
                    .hasSize(2)
                    .allSatisfy(link -> assertThat(link.path("identity").asText())
                            .isEqualTo("spiffe://cluster.local/ns/istio-eastwest/sa/istio-eastwest"));
        });
    }

    /// Of a service without a waypoint, with pods on both sides.
    @Test
    void whenTheGatewayOfOneClusterIsGone_thenCallsGoElsewhere_andExposeBringsItBack() throws IOException {
        Files.delete(folder(SECOND).resolve("applied/gateway_istio-eastwest_istio-eastwest.yaml"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> pods(SECOND, "istio-eastwest").isEmpty());

        var answers = mesh.exec("cluster-1/visitor", "sh", "-c", """
                for i in $(seq 40); do
                  curl -s -o /dev/null -m 5 -w '%{http_code} ' http://catalog-v1.shop/items || true
                done""").out();
        assertThat(answers).contains("200").doesNotContain("000", "503");
        assertThat(multicluster("check").out())
                .contains("[cluster-without-gateway] cluster-2", "[gateway-unreachable]");

        assertThat(multicluster("expose").out()).contains("created");
        awaitLinked();
    }

    @Test
    void givenSeveralClusters_thenCommandsSayWhichOneTheyMean() {
        assertThat(mesh.up("status").out()).contains("Cluster cluster-1", "Cluster cluster-2");
        assertThat(mesh.up("--cluster", SECOND, "status").out()).doesNotContain("Cluster cluster-1");
        assertThat(mesh.up("logs").out()).contains("engine\n", "cluster-1/fathomd\n", "cluster-2/fathomd\n");
        assertThat(mesh.exec("cart", "hostname").out())
                .as("the one that has it")
                .startsWith("cart-");
        assertThat(mesh.exec("cluster-1/cart", "true").out()).contains("no pod or program cart in cluster-1");
        assertThat(mesh.up("--cluster", "nowhere", "status").out()).contains("name one of cluster-1 cluster-2");
        assertThat(mesh.up("--cluster", SECOND, "fathomctl", "remote-clusters").out())
                .contains("cluster-1")
                .contains("network-1");
        assertThat(mesh.up("fathomctl", "get", "problems").out()).contains("no problems");
        assertThat(multicluster("lnk").out()).contains("did you mean link?");
        assertThat(multicluster("link", "--contexts", "cluster-1,east").out())
                .contains("there is no cluster east", "bin/up runs cluster-1, cluster-2");
    }

    /// What its loop prints: how often each status was answered.
    private String requestsWhile(String url, Runnable work) throws IOException {
        var sign = mesh.run().resolve("traffic-on");
        Files.writeString(sign, "");
        try (var client = mesh.begin(
                "cluster-1/visitor",
                "sh",
                "-c",
                MANY_REQUESTS.replace("SIGN", sign.toString()).replace("URL", url))) {
            work.run();
            Files.delete(sign);
            return client.result().out();
        }
    }

    private void awaitLinked() {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(multicluster("check").code()).isZero());
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(get("cluster-1/visitor", "cart.shop/items")).contains("\"cart-"));
    }

    private Result multicluster(String... words) {
        var line = new ArrayList<>(List.of("fathomctl", "multicluster"));
        line.addAll(List.of(words));
        return mesh.up(line.toArray(String[]::new));
    }

    private Path folder(String cluster) {
        return mesh.run().resolve(cluster);
    }

    /// Where the others reach a cluster.
    private String gateway(String cluster) {
        try {
            var text = multicluster("expose", "-o", "json").out();
            for (var gateway : new ObjectMapper().readTree(text).path("gateways")) {
                if (gateway.path("cluster").asText().equals(cluster)) {
                    return gateway.path("address").asText();
                }
            }
            throw new AssertionError(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<JsonNode> pods(String cluster, String prefix) {
        var pods = new ArrayList<JsonNode>();
        LocalMesh.status(folder(cluster)).path("pods").forEach(pods::add);
        return pods.stream()
                .filter(pod -> pod.path("name").asText().startsWith(prefix))
                .toList();
    }

    private String get(String pod, String url) {
        return mesh.exec(pod, "curl", "-sm", "20", "http://" + url).out();
    }
}
