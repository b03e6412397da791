// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.revision.RevisionTags;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.Kubectl;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Several control planes on one real API server.
@Tag("slow")
class ReplicasIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Map<String, String> ENVIRONMENT = Map.of("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel");

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    private static Kubectl kubectl;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    private final List<RunningFathomd> running = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        kubectl = Kubectl.of(cluster);
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), KubeSettings.DEFAULT);
        apply("""
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: istio-system}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},
                 spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: web, namespace: shop},
                 spec: {selector: {matchLabels: {app: web}}, rules: [{from: [{source: {namespaces: [front]}}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: strict, namespace: shop},
                 spec: {mtls: {mode: STRICT}}}
                """);
        IntStream.range(0, 20).forEach(i -> pod("shop", "web-" + i, "web", i % 2 == 0 ? "node-a" : "node-b", i + 10));
        pod("istio-system", "ztunnel-a", "ztunnel", "node-a", 1);
        pod("istio-system", "ztunnel-b", "ztunnel", "node-b", 2);
        pod("shop", "only-b", "only-b", "node-b", 3);
    }

    @AfterEach
    void stop() {
        running.forEach(RunningFathomd::close);
    }

    @Test
    void whenThreeStartAtOnce_thenTheyHaveOneRootServeTheSameBytesAndOneWrites() throws Exception {
        var replicas = startTogether(3);
        var roots = replicas.stream().map(each -> each.text("/debug/root-cert")).distinct();
        assertThat(roots).as("one root").hasSize(1);

        try (var first = VersionedClient.connect(replicas.getFirst().plaintextPort())) {
            await().atMost(PATIENCE)
                    .until(() ->
                            first.addresses().size() >= 23 && first.policies().size() >= 2);
            for (var other : replicas.subList(1, 3)) {
                try (var fresh = VersionedClient.connect(other.plaintextPort())) {
                    await().atMost(PATIENCE).until(fresh::isAnswered);
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(fresh.held()).isEqualTo(first.held()));
                }
                try (var returning = VersionedClient.connect(other.plaintextPort(), first.held())) {
                    await().atMost(PATIENCE).until(returning::isAnswered);
                    assertThat(returning.take()).allSatisfy(delivery -> {
                        assertThat(delivery.names()).as("sent again").isEmpty();
                        assertThat(delivery.removed()).isEmpty();
                    });
                }
            }
        }

        await().atMost(PATIENCE).untilAsserted(() -> {
            var holder = kubectl.run(
                            "get",
                            "configmap",
                            "-n",
                            "istio-system",
                            "istio-namespace-controller-election",
                            "-o",
                            "jsonpath={.metadata.annotations}")
                    .output();
            assertThat(holder).contains("replica-");
            assertThat(rootOf("shop")).contains(replicas.getFirst().text("/debug/root-cert"));
        });
        assertThat(rootOf("kube-public")).isEmpty();
        client.create(KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", "fresh"))));
        await().atMost(PATIENCE).until(() -> rootOf("fresh").isPresent());
    }

    @Test
    void whenReplicasAreReplacedOneByOne_thenClientsMoveOnAndNothingIsSentTwice() throws Exception {
        var replicas = new ArrayList<>(startTogether(2));
        try (var front = new Front(replicas.getFirst().plaintextPort());
                var one = VersionedClient.connect(front.port());
                var two = VersionedClient.connect(front.port())) {
            await().atMost(PATIENCE).until(() -> one.addresses().size() >= 23 && two.isAnswered());
            one.take();
            two.take();
            for (var round = 0; round < 3; round++) {
                var old = replicas.removeFirst();
                var next = begin("next-" + round, Map.of());
                replicas.addLast(next);
                front.lead(replicas.getFirst().plaintextPort());
                var streams = one.streams() + two.streams();
                old.close();
                await().atMost(PATIENCE).until(() -> one.streams() + two.streams() >= streams + 2);
                await().atMost(PATIENCE).until(() -> one.isAnswered() && two.isAnswered());
                assertThat(one.take()).allSatisfy(ReplicasIT::isEmpty);
                assertThat(two.take()).allSatisfy(ReplicasIT::isEmpty);
            }
            assertThat(one.ends())
                    .as("told to go, not cut off")
                    .isNotEmpty()
                    .allSatisfy(end -> assertThat(end.getCode()).isEqualTo(Status.Code.UNAVAILABLE));

            pod("shop", "late", "web", "node-a", 99);
            await().atMost(PATIENCE).until(() -> one.addresses().containsKey("Kubernetes//Pod/shop/late"));
            assertThat(one.take().stream().flatMap(delivery -> delivery.names().stream()))
                    .as("the new pod alone")
                    .containsOnly("Kubernetes//Pod/shop/late");
        }
    }

    private static void isEmpty(VersionedClient.Delivery delivery) {
        assertThat(delivery.names()).as("sent again").isEmpty();
        assertThat(delivery.removed()).as("removed").isEmpty();
    }

    @Test
    void givenTokensOfTheApiServer_thenANodeProxyGetsCertificatesForItsOwnNodeOnly() throws Exception {
        var fathomd = begin("issuer", Map.of());
        var root = Files.writeString(temporary.resolve("root.pem"), fathomd.text("/debug/root-cert"));
        var onA = token("ztunnel-a");
        var onB = token("ztunnel-b");
        assertThat(AlternativeNames.of(order(fathomd, root, onA, "web"))).containsExactly(spiffe("web"));
        assertThat(AlternativeNames.of(order(fathomd, root, onB, "web"))).containsExactly(spiffe("web"));
        assertThat(AlternativeNames.of(order(fathomd, root, onB, "only-b"))).containsExactly(spiffe("only-b"));
        assertRefused(fathomd, root, onA, "only-b");
        assertRefused(fathomd, root, onA, "nobody");

        pod("shop", "moved", "only-b", "node-a", 50);
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(ProblemException.class)
                .untilAsserted(() -> assertThat(AlternativeNames.of(order(fathomd, root, onA, "only-b")))
                        .containsExactly(spiffe("only-b")));
        kubectl.run("delete", "pod", "-n", "shop", "moved", "--grace-period=0", "--force");
        await().atMost(PATIENCE).untilAsserted(() -> assertRefused(fathomd, root, onA, "only-b"));

        kubectl.run("delete", "pod", "-n", "istio-system", "ztunnel-a", "--grace-period=0", "--force");
        await().atMost(PATIENCE).untilAsserted(() -> assertRefused(fathomd, root, onA, "web"));
        pod("istio-system", "ztunnel-a", "ztunnel", "node-a", 1);
        assertRefused(fathomd, root, onA, "web");
    }

    @Test
    void givenTwoRevisions_thenEachServesItsOwnObjectsAndMeshConfig() {
        apply("""
                {apiVersion: v1, kind: ConfigMap, metadata: {name: istio-blue, namespace: istio-system},
                 data: {mesh: 'trustDomain: blue.example'}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy,
                 metadata: {name: blue-only, namespace: shop, labels: {istio.io/rev: blue}}, spec: {rules: [{}]}}
                """);
        var green = begin("green", Map.of());
        var blue = begin("blue", Map.of("REVISION", "blue"));
        try (var ofGreen = VersionedClient.connect(green.plaintextPort());
                var ofBlue = VersionedClient.connect(blue.plaintextPort())) {
            await().atMost(PATIENCE).until(() -> ofBlue.policies().containsKey("shop/blue-only"));
            await().atMost(PATIENCE).until(ofGreen::isAnswered);
            assertThat(ofGreen.policies()).doesNotContainKey("shop/blue-only");
            assertThat(ofBlue.addresses().keySet())
                    .isEqualTo(ofGreen.addresses().keySet());
            assertThat(ofBlue.addresses()).isNotEqualTo(ofGreen.addresses());

            kubectl.run(
                    "label", "authorizationpolicy", "-n", "shop", "blue-only", "istio.io/rev=default", "--overwrite");
            await().atMost(PATIENCE)
                    .until(() -> ofGreen.policies().containsKey("shop/blue-only")
                            && !ofBlue.policies().containsKey("shop/blue-only"));
        }
        assertThat(blue.text("/debug/root-cert")).as("one mesh").isEqualTo(green.text("/debug/root-cert"));
        kubectl.run("delete", "authorizationpolicy", "-n", "shop", "blue-only");
    }

    @Test
    void whenATagMovesFromOneRevisionToAnother_thenBothKnow() {
        try (var blue = RevisionTags.follow(client, "blue");
                var green = RevisionTags.follow(client, "default")) {
            assertThat(green.isOurs(Optional.empty())).isTrue();
            tag("prod", "blue");
            await().atMost(PATIENCE)
                    .until(() -> blue.isOurs(Optional.of("prod")) && !green.isOurs(Optional.of("prod")));
            assertThat(blue.isOurs(Optional.of("blue"))).as("its own name").isTrue();
            tag("prod", "default");
            await().atMost(PATIENCE)
                    .until(() -> green.isOurs(Optional.of("prod")) && !blue.isOurs(Optional.of("prod")));
            tag("default", "blue");
            await().atMost(PATIENCE).until(() -> blue.isOurs(Optional.empty()) && !green.isOurs(Optional.empty()));
            assertThat(green.defaultRevision()).isEqualTo("blue");
            client.delete(KubeResource.MUTATING_WEBHOOKS, "", "istio-revision-tag-default");
            await().atMost(PATIENCE).until(() -> green.defaultRevision().equals("default"));
        }
    }

    private static void tag(String name, String revision) {
        client.apply(
                KubeResource.MUTATING_WEBHOOKS,
                "",
                "istio-revision-tag-" + name,
                Json.of(Map.of(
                        "apiVersion",
                        KubeResource.MUTATING_WEBHOOKS.apiVersion(),
                        "kind",
                        "MutatingWebhookConfiguration",
                        "metadata",
                        Map.of(
                                "name",
                                "istio-revision-tag-" + name,
                                "labels",
                                Map.of("istio.io/tag", name, "istio.io/rev", revision)))),
                "verify");
    }

    @Test
    void givenStockIstioctl_whenItAsksOverXds_thenItListsClientsAndReadsPages() throws Exception {
        var istioctl = StockProgram.ISTIOCTL.require();
        var fathomd = begin("asked", Map.of());
        try (var proxy = VersionedClient.connect(fathomd.plaintextPort())) {
            await().atMost(PATIENCE).until(proxy::isAnswered);
            var status = run(istioctl, fathomd, "proxy-status");
            assertThat(status).contains("ztunnel-replicas.istio-system").contains("replica-asked");
            var pages = run(istioctl, fathomd, "x", "internal-debug", "syncz");
            assertThat(pages).contains("ztunnel-replicas.istio-system");
        }
    }

    /// The program as a kubelet ends it.
    @Test
    void whenToldToStop_thenItIsNotReadyFirstServesOnAndThenSendsClientsAway() throws Exception {
        var xds = Workspace.freePort();
        var health = Workspace.freePort();
        var command = List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                "io.fathom.app.fathomd.FathomdMain",
                "--kubeconfig",
                cluster.kubeconfig().toString(),
                "--plaintext-port",
                String.valueOf(xds),
                "--health-port",
                String.valueOf(health),
                "--tls-port",
                "0",
                "--http-port",
                "0",
                "--webhook-port",
                "0");
        var process = cluster.workspace()
                .start("fathomd", command, Map.of("POD_NAME", "replica-drained", "FATHOM_DRAIN_TIME", "10s"));
        try (var http = HttpClient.newHttpClient()) {
            await().atMost(PATIENCE).until(() -> readiness(http, health) == 200);
            try (var proxy = VersionedClient.connect(xds)) {
                await().atMost(PATIENCE).until(proxy::isAnswered);
                process.destroy();
                await().atMost(PATIENCE).until(() -> readiness(http, health) == 503);
                assertThat(proxy.ends()).as("still served").isEmpty();
                try (var late = VersionedClient.connect(xds)) {
                    await().atMost(PATIENCE).until(late::isAnswered);
                }
                await().atMost(PATIENCE).until(() -> !proxy.ends().isEmpty());
                var end = proxy.ends().getFirst();
                assertThat(end.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
                assertThat(end.getDescription()).contains("shutting down");
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /// 0 while nobody answers.
    private static int readiness(HttpClient http, int port) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready"))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private static String run(Path istioctl, RunningFathomd fathomd, String... command) throws Exception {
        var line = new ArrayList<>(List.of(istioctl.toString()));
        line.addAll(List.of(command));
        line.addAll(List.of(
                "--kubeconfig",
                cluster.kubeconfig().toString(),
                "--xds-address",
                "127.0.0.1:" + fathomd.tlsPort(),
                "--insecure"));
        var process = new ProcessBuilder(line).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private List<RunningFathomd> startTogether(int count) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var starts = IntStream.range(0, count)
                    .mapToObj(i -> threads.submit(() -> launch("together-" + i, Map.of())))
                    .toList();
            var replicas = new ArrayList<RunningFathomd>();
            for (var each : starts) {
                replicas.add(each.get());
            }
            running.addAll(replicas);
            return replicas;
        }
    }

    private RunningFathomd begin(String name, Map<String, String> more) {
        var fathomd = launch(name, more);
        running.add(fathomd);
        return fathomd;
    }

    private static RunningFathomd launch(String name, Map<String, String> more) {
        var environment = new HashMap<>(ENVIRONMENT);
        environment.put("POD_NAME", "replica-" + name);
        environment.putAll(more);
        return RunningFathomd.governing(cluster.kubeconfig(), environment);
    }

    private static Optional<String> rootOf(String namespace) {
        return client.get(KubeResource.CONFIG_MAPS, namespace, "istio-ca-root-cert")
                .map(object -> object.root().at("data").at("root-cert.pem").text());
    }

    private Path token(String pod) throws Exception {
        return Files.writeString(
                temporary.resolve(pod), cluster.client().podToken("istio-system", "ztunnel", pod, "istio-ca"));
    }

    private static X509Certificate order(RunningFathomd fathomd, Path root, Path token, String account) {
        var server = ServerConfig.parse("https://127.0.0.1:" + fathomd.tlsPort(), new ServerTrust.InFile(root))
                .withAlternativeName("istiod.istio-system.svc")
                .withToken(new BearerToken.InFile(token));
        try (var connection = new CertificateConnection(server, Duration.ofSeconds(30))) {
            var keys = KeyAlgorithm.P256.generate();
            var csr = RequestWriter.write(keys, List.of(spiffe(account)));
            var chain = connection.create(new CertificateOrder(csr, Duration.ofHours(1), Optional.of(spiffe(account))));
            return Pem.certificates(chain.getFirst()).getFirst();
        }
    }

    private static void assertRefused(RunningFathomd fathomd, Path root, Path token, String account) {
        assertThatThrownBy(() -> order(fathomd, root, token, account)).isInstanceOf(ProblemException.class);
    }

    private static String spiffe(String account) {
        return "spiffe://cluster.local/ns/shop/sa/" + account;
    }

    private static void apply(String yaml) {
        var result = kubectl.apply(yaml);
        assertThat(result.exit()).as(result.output()).isZero();
    }

    /// Running, as a kubelet would say.
    private static void pod(String namespace, String name, String account, String node, int number) {
        client.create(
                KubeResource.PODS,
                namespace,
                Json.of(Map.of(
                        "metadata",
                        Map.of("name", name, "labels", Map.of("app", account)),
                        "spec",
                        Map.of(
                                "nodeName",
                                node,
                                "serviceAccountName",
                                account,
                                "containers",
                                List.of(Map.of("name", "main", "image", "none"))))));
        var ip = "10.77.0." + number;
        client.patchStatus(
                KubeResource.PODS,
                namespace,
                name,
                Json.of(Map.of(
                        "status", Map.of("phase", "Running", "podIP", ip, "podIPs", List.of(Map.of("ip", ip))))));
    }
}
