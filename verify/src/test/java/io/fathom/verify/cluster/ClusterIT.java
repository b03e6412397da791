// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.testkit.TestCommand;
import io.fathom.verify.peers.StockProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Fathom on a real Kubernetes of two nodes, from nothing to its end. One cluster for all tests: starting it costs
/// most.
@Tag("slow")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init")
class ClusterIT {
    private static final Logger log = LoggerFactory.getLogger(ClusterIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern VISIT =
            Pattern.compile("src\\.identity=\"?spiffe://cluster\\.local/ns/visitors/sa/visitor\"?.*"
                    + "dst\\.identity=\"?spiffe://cluster\\.local/ns/shop/sa/storefront\"?");

    private static final String CHURN = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: churn, labels: {istio.io/dataplane-mode: ambient}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: churn, namespace: churn}
            spec:
              replicas: 0
              selector: {matchLabels: {app: churn}}
              template:
                metadata: {labels: {app: churn}}
                spec:
                  terminationGracePeriodSeconds: 0
                  containers: [{name: main, image: "localhost/pause:1", imagePullPolicy: Never}]
            """;

    private KubeMesh mesh;
    private Fortio fortio;

    @BeforeAll
    void start() {
        mesh = KubeMesh.create();
        fortio = new Fortio(mesh);
        var begun = System.nanoTime();
        var result = mesh.up("--kube", "--nodes", "2");
        log.info("bin/up --kube took {} s:\n{}", (System.nanoTime() - begun) / 1_000_000_000, result.out());
        assertThat(result.code()).as(result.out()).isZero();
        assertThat(result.out()).contains("mutual TLS", "KUBECONFIG");
        fortio.deploy();
        for (var namespace : List.of("shop", "payments")) {
            var _ = mesh.kubectl(
                    "-n", namespace, "wait", "--for=condition=Available", "deployment", "--all", "--timeout=180s");
        }
        await("all of the shop is open, the rare version of the catalog, too")
                .until(() -> IntStream.range(0, 20).allMatch(_ -> visitor().contains("catalog")));
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(500));
    }

    // --- traffic ---------------------------------------------------------------------------------------------------

    @Test
    @Order(1)
    void givenTheShop_thenBothNodeProxiesNameBothIdentities_andNobodyOnTheWireReadsAnything() {
        try (var tap = new Tap(mesh)) {
            visit(5);
            tap.awaitEncrypted();
            assertThat(tap.plainText()).isEmpty();
        }
        assertThat(mesh.kubectl("-n", "istio-system", "logs", "-l", "app=ztunnel", "--tail=-1"))
                .containsPattern(VISIT);
    }

    @Test
    @Order(2)
    void whenAPolicyIsEditedWithKubectl_thenItHolds_andItsUndoingLiftsIt() {
        editThereAndBack();
    }

    private void editThereAndBack() {
        assertThat(visitor()).contains("\"cart\"");
        allowStore("cluster.local/ns/shop/sa/nobody");
        await("the store refuses").until(() -> visitor().contains("error"));
        allowStore("cluster.local/ns/shop/sa/cart");
        await("the store answers").until(() -> visitor().contains("\"cart\""));
    }

    private void allowStore(String principal) {
        var patch = "[{\"op\":\"replace\",\"path\":\"/spec/rules/0/from/0/source/principals/0\",\"value\":\""
                + principal + "\"}]";
        var _ = mesh.kubectl("-n", "shop", "patch", "authorizationpolicy", "store-clients", "--type=json", "-p", patch);
    }

    @Test
    @Order(3)
    void givenStrictMutualTls_thenProbesOfTheKubeletPass_andPlainTextOfOthersDoesNot() {
        var pod = mesh.list("-n", "shop", "pods", "-l", "app=catalog").getFirst();
        var url = "http://" + pod.at("/status/podIP").asText() + ":8080/healthz";

        await("all pods of the shop are ready")
                .untilAsserted(() -> assertThat(mesh.list("-n", "shop", "pods"))
                        .filteredOn(it ->
                                !it.at("/status/containerStatuses/0/ready").asBoolean())
                        .extracting(it -> it.at("/metadata/name").asText() + " " + it.at("/status"))
                        .isEmpty());
        assertThat(mesh.on(node(pod), "curl", "-sm", "10", url).run().out()).contains("ok");
        assertThat(mesh.attempt("-n", "outside", "exec", "deploy/rates", "--", "curl", "-sm", "5", url)
                        .code())
                .as("from outside of the mesh")
                .isNotZero();
    }

    // --- capture ---------------------------------------------------------------------------------------------------

    @Test
    @Order(4)
    void whenAPodIsCreated_thenThePluginCapturesItBeforeItRuns() {
        var before = pluginCalls();
        mesh.apply(pod("plugged", "shop"));
        var _ = mesh.kubectl("-n", "shop", "wait", "--for=condition=Ready", "pod/plugged", "--timeout=60s");

        assertThat(redirection("shop", "plugged")).isEqualTo("enabled");
        assertThat(pluginCalls()).isGreaterThan(before);
        assertThat(mesh.kubectl("-n", "shop", "exec", "plugged", "--", "curl", "-sm", "10", "http://storefront.shop/"))
                .contains("catalog");
        var _ = mesh.kubectl("-n", "shop", "delete", "pod", "plugged", "--wait=false");
    }

    @Test
    @Order(5)
    void givenAPodThatRuns_whenItsNamespaceJoinsAndLeaves_thenSoDoesThePod() {
        var _ = mesh.kubectl("create", "namespace", "early");
        mesh.apply(pod("early", "early"));
        var _ = mesh.kubectl("-n", "early", "wait", "--for=condition=Ready", "pod/early", "--timeout=60s");
        assertThat(redirection("early", "early")).isEmpty();

        var _ = mesh.kubectl("label", "namespace", "early", "istio.io/dataplane-mode=ambient");
        await("captured").until(() -> redirection("early", "early").equals("enabled"));
        await("speaks mutual TLS")
                .until(() -> mesh.attempt(
                                "-n", "early", "exec", "early", "--", "curl", "-sm", "5", "http://storefront.shop/")
                        .out()
                        .contains("catalog"));

        var _ = mesh.kubectl("label", "namespace", "early", "istio.io/dataplane-mode-");
        await("free again").until(() -> redirection("early", "early").isEmpty());
        var _ = mesh.kubectl("delete", "namespace", "early", "--wait=false");
    }

    @Test
    @Order(6)
    void whenFiftyPodsComeAndGo_thenNothingOfThemIsLeft() {
        var before = IntStream.of(1, 2).mapToObj(this::traces).toList();
        mesh.apply(CHURN);
        for (var wave = 0; wave < 5; wave++) {
            var _ = mesh.kubectl("-n", "churn", "scale", "deployment/churn", "--replicas=10");
            var _ = mesh.kubectl("-n", "churn", "rollout", "status", "deployment/churn", "--timeout=240s");
            assertThat(mesh.list("-n", "churn", "pods"))
                    .hasSize(10)
                    .allMatch(pod -> redirection(pod).equals("enabled"));
            var _ = mesh.kubectl("-n", "churn", "scale", "deployment/churn", "--replicas=0");
            var _ = mesh.kubectl("-n", "churn", "wait", "--for=delete", "pod", "-l", "app=churn", "--timeout=120s");
        }
        await("nothing is left").untilAsserted(() -> {
            for (var node : List.of(1, 2)) {
                // Less is fine: pods of other tests may have been on their way out.
                assertThat(traces(node)).matches(now -> now.isAtMost(before.get(node - 1)), "as " + before);
            }
        });
        var _ = mesh.kubectl("delete", "namespace", "churn", "--wait=false");
        assertCaptureIsClean();
    }

    /// What pods leave on a node: entries for probes, network namespaces, pods of the node proxy.
    record Traces(long probes, long namespaces, long proxied) {
        boolean isAtMost(Traces other) {
            return probes <= other.probes && namespaces <= other.namespaces && proxied <= other.proxied;
        }
    }

    private Traces traces(int node) {
        return new Traces(
                lines(mesh.on(node, "ipset", "list", "istio-inpod-probes-v4"), "comment"),
                lines(mesh.on(node, "ls", "/run/netns"), "cni-"),
                metric(node, "ztunnel.args", 15020, "workload_manager_active_proxy_count"));
    }

    private static long lines(TestCommand command, String word) {
        return command.run()
                .expect(command)
                .lines()
                .filter(line -> line.contains(word))
                .count();
    }

    private long metric(int node, String program, int port, String name) {
        return mesh.inside(node, program, "curl", "-sm", "10", "http://localhost:" + port + "/metrics")
                .run()
                .expect("metrics of " + program)
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private long pluginCalls() {
        return metric(1, "fathom_cni.args", 15014, "istio_cni_plugin_requests_total")
                + metric(2, "fathom_cni.args", 15014, "istio_cni_plugin_requests_total");
    }

    private void assertCaptureIsClean() {
        for (var node : List.of(1, 2)) {
            await("capture on node " + node).untilAsserted(() -> {
                var text = mesh.inside(node, "fathom_cni.args", "curl", "-sm", "20", "http://localhost:15014/capture")
                        .run()
                        .expect("/capture");
                var page = KubeMesh.json(text);
                assertThat(page.path("pods"))
                        .isNotEmpty()
                        .allSatisfy(pod -> assertThat(pod.path("findings"))
                                .as(pod.toString())
                                .isEmpty());
            });
        }
    }

    // --- restarts --------------------------------------------------------------------------------------------------

    @Test
    @Order(7)
    void givenTraffic_whenNodeAgentsAreReplaced_thenNoRequestFails() {
        try (var load = fortio.begin("fresh", "-keepalive=false")) {
            restart("daemonset/istio-cni-node");
            var outcome = load.outcome();
            log.info("node agents replaced, new connections: {}", outcome);
            assertThat(outcome.bad()).as(outcome.toString()).isZero();
            assertThat(outcome.all()).isGreaterThan(100);
        }
        assertCaptureIsClean();
    }

    @Test
    @Order(8)
    void givenTraffic_whenTheControlPlaneIsReplaced_thenNoRequestFails_andChangesArriveAgain() {
        try (var kept = fortio.begin("kept");
                var fresh = fortio.begin("fresh", "-keepalive=false")) {
            restart("deployment/istiod");
            editThereAndBack();
            for (var load : List.of(kept, fresh)) {
                var outcome = load.outcome();
                log.info("control plane replaced: {}", outcome);
                assertThat(outcome.bad()).as(outcome.toString()).isZero();
                assertThat(outcome.all()).isGreaterThan(100);
            }
        }
    }

    @Test
    @Order(9)
    void givenTraffic_whenNodeProxiesAreReplaced_thenNoNewConnectionIsRefused_andOldOnesAreDrained() {
        try (var endless = mesh.kubectlCommand(
                                "-n", "visitors", "exec", "deployment/visitor", "--", "python3", "-uc", ENDLESS)
                        .begin();
                var kept = fortio.begin("kept");
                var fresh = fortio.begin("fresh", "-keepalive=false")) {
            assertThat(endless.line()).isEqualTo("open");
            var begun = System.nanoTime();
            var cut = new CompletableFuture<String>();
            // not on the common pool, which on a small machine has one thread for everybody
            Thread.ofVirtual()
                    .start(() -> cut.complete(endless.line() + " " + (System.nanoTime() - begun) / 1_000_000));
            restart("daemonset/ztunnel");
            var end = cut.orTimeout(90, TimeUnit.SECONDS).join();
            log.info("a connection that never ends, and after how many ms: {}", end);
            assertThat(end).startsWith("cut ");
            assertThat(Long.parseLong(end.substring(4)))
                    .as("it had time to end by itself")
                    .isGreaterThan(20_000);
            var keptOutcome = kept.outcome();
            var freshOutcome = fresh.outcome();
            log.info("node proxies replaced: kept connections {}, new ones {}", keptOutcome, freshOutcome);
            assertThat(freshOutcome.bad()).as(freshOutcome.toString()).isZero();
            assertThat(keptOutcome.bad()).as(keptOutcome.toString()).isLessThanOrEqualTo(8);
        }
        assertCaptureIsClean();
    }

    /// A connection on which nobody says anything.
    private static final String ENDLESS = """
            import socket
            connection = socket.create_connection(("server.load", 8078))
            print("open")
            try:
                connection.recv(1)
            except OSError:
                pass
            print("cut")
            """;

    private void restart(String what) {
        var begun = System.nanoTime();
        var _ = mesh.kubectl("-n", "istio-system", "rollout", "restart", what);
        var _ = mesh.kubectl("-n", "istio-system", "rollout", "status", what, "--timeout=240s");
        log.info("{} replaced in {} s", what, (System.nanoTime() - begun) / 1_000_000_000);
    }

    // --- tools -----------------------------------------------------------------------------------------------------

    @Test
    @Order(10)
    void whenStockIstioctlAsks_thenItGetsItsAnswers() {
        var istioctl = StockProgram.ISTIOCTL.require().toString();

        assertThat(mesh.command(istioctl, "version").run().expect("version"))
                .contains("control plane version", "data plane");
        assertThat(mesh.command(istioctl, "ztunnel-config", "workload").run().expect("ztunnel-config"))
                .containsPattern("shop +storefront-.*HBONE")
                .containsPattern("outside +rates-.*TCP");
        assertThat(mesh.command(istioctl, "ztunnel-config", "all").run().expect("ztunnel-config all"))
                .contains("storefront", "spiffe://cluster.local/ns/shop/sa/");
        var node = mesh.list("nodes").getFirst().at("/metadata/name").asText();
        assertThat(mesh.command(istioctl, "ztunnel-config", "workload", "--node", node)
                        .run()
                        .expect("ztunnel-config workload --node"))
                .contains("shop");
        assertThat(mesh.command(istioctl, "proxy-status").run().expect("proxy-status"))
                .contains("ztunnel-", "waypoint-");
        assertThat(mesh.command(istioctl, "x", "internal-debug", "syncz").run().expect("internal-debug"))
                .contains("waypoint-");

        for (var part : List.of("listeners", "clusters", "routes", "endpoints", "secret", "all")) {
            assertThat(mesh.command(istioctl, "proxy-config", part, "deploy/waypoint", "-n", "shop")
                            .run()
                            .expect("proxy-config " + part))
                    .isNotEmpty();
            var json = mesh.command(istioctl, "proxy-config", part, "deploy/waypoint", "-n", "shop", "-o", "json")
                    .run()
                    .expect("proxy-config -o json " + part);
            assertThat(KubeMesh.json(json)).as(part).isNotEmpty();
        }
        var waypoint = mesh.list("-n", "shop", "pods", "-l", "gateway.networking.k8s.io/gateway-name=waypoint")
                .getFirst()
                .at("/metadata/name")
                .asText();
        await("both sides have the same")
                .untilAsserted(() -> assertThat(mesh.command(istioctl, "proxy-status", waypoint + ".shop")
                                .run()
                                .expect("proxy-status of a waypoint"))
                        .contains("Clusters Match", "Listeners Match", "Routes Match"));
    }

    @TestFactory
    @Order(10)
    Stream<DynamicTest> whenTheCommandsOfTheSeedsAreTyped_thenTheyAnswerAsPrinted() {
        return new SeedCommands(mesh).tests();
    }

    @Test
    @Order(10)
    void givenTheChartOfGateways_thenAnIstioGatewaySelectsItAndItServes() {
        var helm = StockProgram.HELM.require().toString();
        var chart = KubeMesh.ROOT.resolve("deploy/charts/fathom-gateway").toString();
        var _ = mesh.command(
                        helm,
                        "install",
                        "istio-edge",
                        chart,
                        "--namespace",
                        "edge",
                        "--create-namespace",
                        "--set",
                        "service.type=ClusterIP,global.istioNamespace=istio-system",
                        "--wait",
                        "--timeout",
                        "180s")
                .run()
                .expect("helm install");
        mesh.apply("""
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: edge, namespace: edge}
                spec:
                  selector: {istio: edge}
                  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: [shop.example]}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: shop, namespace: edge}
                spec:
                  hosts: [shop.example]
                  gateways: [edge]
                  http: [{route: [{destination: {host: storefront.shop.svc.cluster.local, port: {number: 80}}}]}]
                """);
        await("it serves")
                .untilAsserted(() -> assertThat(mesh.attempt(
                                        "-n",
                                        "visitors",
                                        "exec",
                                        "deploy/visitor",
                                        "--",
                                        "curl",
                                        "-sm",
                                        "10",
                                        "-H",
                                        "Host: shop.example",
                                        "http://istio-edge.edge/")
                                .out())
                        .contains("catalog"));
        var _ = mesh.command(helm, "uninstall", "istio-edge", "--namespace", "edge", "--wait")
                .run()
                .expect("helm uninstall");
        var _ = mesh.kubectl("delete", "namespace", "edge");
    }

    @Test
    @Order(10)
    void whenFathomctlVerifies_thenAllIsWell() {
        assertThat(mesh.up("fathomctl", "verify").expect("fathomctl verify")).isNotEmpty();
        assertThat(mesh.up("fathomctl", "get", "services").expect("fathomctl get"))
                .contains("storefront");
        assertThat(mesh.up("status").expect("bin/up status")).contains("istiod-", "ztunnel-", "visitor-");
    }

    @Test
    @Order(11)
    void givenAStockNodeProxyOnOneNode_thenBothSidesUnderstandEachOther() {
        var program = System.getenv("ZTUNNEL_BIN");
        assumeTrue(program != null, "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        try (var stock = new StockProxy(mesh, Path.of(program))) {
            await("pages come through both").until(() -> visitor().contains("catalog"));
            visit(10);
            var _ = mesh.kubectl(
                    "-n", "load", "exec", "client", "--", "/fortio", "load", "-n", "20", "http://server.load:8080/");
            await("it names both identities")
                    .untilAsserted(() -> assertThat(stock.log())
                            .containsPattern("src\\.identity=\"spiffe://.*dst\\.identity=\"spiffe://.*inbound")
                            .containsPattern("src\\.identity=\"spiffe://.*dst\\.identity=\"spiffe://.*outbound"));
        }
        await("ours serves again").until(() -> visitor().contains("catalog"));
    }

    // --- out and in again --------------------------------------------------------------------------------------------

    @Test
    @Order(12)
    void givenPodsThatStartedWithoutFathom_whenItIsInstalled_thenTheyAreCaptured() {
        var _ = mesh.up("fathomctl", "uninstall", "--purge", "--skip-confirmation")
                .expect("fathomctl uninstall");
        await("node agents and node proxies are gone")
                .until(() -> mesh.list("-n", "istio-system", "pods").isEmpty());
        for (var node : List.of(1, 2)) {
            assertThat(mesh.on(node, "ls", "/opt/cni/bin").run().out()).doesNotContain("istio-cni");
            assertThat(mesh.on(node, "cat", "/etc/cni/net.d/10-fathom.conflist")
                            .run()
                            .out())
                    .contains("bridge", "portmap")
                    .doesNotContain("istio-cni");
            assertThat(mesh.on(node, "iptables-save").run().out()).doesNotContain("ISTIO");
            assertThat(mesh.on(node, "ipset", "list", "-n").run().out()).doesNotContain("istio");
        }
        mesh.apply("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: before, labels: {istio.io/dataplane-mode: ambient}}
                """);
        mesh.apply(pod("before", "before"));
        var _ = mesh.kubectl("-n", "before", "wait", "--for=condition=Ready", "pod/before", "--timeout=60s");

        var _ = mesh.up("fathomctl", "install", "--skip-confirmation", "--set", "values.global.networkPolicy=true")
                .expect("fathomctl install");
        await("captured").until(() -> redirection("before", "before").equals("enabled"));
        // Also what is behind the waypoint, which ran all the time and has to get a certificate of the new root.
        await("speaks mutual TLS")
                .atMost(Duration.ofMinutes(4)) // a kubelet takes its time until pods see the new root
                .until(() -> mesh.attempt(
                                "-n", "before", "exec", "before", "--", "curl", "-sm", "5", "http://storefront.shop/")
                        .out()
                        .contains("\"catalog\""));
    }

    @Test
    @Order(13)
    void givenNetworkPoliciesThatAreEnforced_thenTheMeshWorks_andOtherPortsAreShut() {
        assertThat(new EnforcedPolicies(mesh, "istio-system").enforce())
                .containsExactlyInAnyOrder("istiod", "istio-cni-node", "ztunnel");
        var istiod = mesh.list("-n", "istio-system", "pods", "-l", "app=istiod").getFirst();
        var address = istiod.at("/status/podIP").asText();
        var other = 3 - node(istiod);

        assertThat(status(other, address + ":15014/version")).isEqualTo("200");
        assertThat(status(other, address + ":8080/ready"))
                .as("nobody's business")
                .isEqualTo("000");
        await("the webhook answers")
                .until(() -> mesh.kubectlCommand("apply", "-f", "-")
                        .reading("""
                        apiVersion: security.istio.io/v1
                        kind: AuthorizationPolicy
                        metadata: {name: bad, namespace: before}
                        spec: {rules: [{from: [{source: {ipBlocks: [nonsense]}}]}]}
                        """)
                        .run()
                        .out()
                        .contains("denied the request"));
        mesh.apply(pod("late", "before"));
        var _ = mesh.kubectl("-n", "before", "wait", "--for=condition=Ready", "pod/late", "--timeout=60s");
        assertThat(redirection("before", "late")).isEqualTo("enabled");
        await("speaks mutual TLS")
                .until(() -> mesh.attempt(
                                "-n",
                                "before",
                                "exec",
                                "late",
                                "--",
                                "curl",
                                "-sm",
                                "5",
                                "http://storefront.shop/healthz")
                        .out()
                        .contains("ok"));
    }

    private String status(int node, String url) {
        return mesh.on(node, "curl", "-sm", "5", "-o", "/dev/null", "-w", "%{http_code}", "http://" + url)
                .run()
                .out()
                .strip();
    }

    // --- the end ---------------------------------------------------------------------------------------------------

    @Test
    @Order(20)
    void whenTakenDown_thenNothingIsLeft() {
        var number = mesh.number();
        var state = mesh.state();
        assertThat(mesh.up("down").expect("bin/up down")).contains("nothing is left");

        assertThat(state).doesNotExist();
        assertThat(Machine.now(number)).isEqualTo(Machine.EMPTY);
    }

    // --- helpers ---------------------------------------------------------------------------------------------------

    private static String pod(String name, String namespace) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: %s}
                spec:
                  terminationGracePeriodSeconds: 0
                  containers: [{name: main, image: "fathom-samples:1", command: [python3, rates.py]}]
                """.formatted(name, namespace);
    }

    private String redirection(String namespace, String name) {
        return redirection(mesh.get("-n", namespace, "pod", name));
    }

    private static String redirection(JsonNode pod) {
        return pod.at("/metadata/annotations")
                .path("ambient.istio.io/redirection")
                .asText();
    }

    private static int node(JsonNode pod) {
        var name = pod.at("/spec/nodeName").asText();
        return Integer.parseInt(name.substring(name.length() - 1));
    }

    private String visitor() {
        return mesh.attempt(
                        "-n",
                        "visitors",
                        "exec",
                        "deploy/visitor",
                        "--",
                        "curl",
                        "-sm",
                        "10",
                        "http://storefront.shop/")
                .out();
    }

    private void visit(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(visitor()).contains("catalog");
        }
    }
}
