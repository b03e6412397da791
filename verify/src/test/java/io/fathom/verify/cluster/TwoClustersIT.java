// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.testkit.TestCommand;
import io.fathom.tools.query.FathomdClient;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.peers.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Two real Kubernetes with Fathom from its charts: linked by hand, then by a fleet whose management server runs in one
/// of them. One pair for all tests: starting it costs most.
@Tag("slow")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init")
class TwoClustersIT {
    private static final Logger log = LoggerFactory.getLogger(TwoClustersIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String CONTEXTS = "west,east";

    /// As docs/many-clusters.md has it.
    private static final String AUTHORITIES = """
            set -e
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/O=Example/CN=Root" \\
              -keyout root-key.pem -out root-cert.pem
            for cluster in west east; do
              mkdir $cluster-ca && cp root-cert.pem $cluster-ca/
              openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/O=Example/CN=$cluster" \\
                -keyout $cluster-ca/ca-key.pem -out $cluster.csr
              printf 'basicConstraints=critical,CA:TRUE\\nkeyUsage=critical,keyCertSign,cRLSign\\n' |
                openssl x509 -req -in $cluster.csr -CA root-cert.pem -CAkey root-key.pem -CAcreateserial -days 730 \\
                  -extfile /dev/stdin -out $cluster-ca/ca-cert.pem
              cat $cluster-ca/ca-cert.pem root-cert.pem > $cluster-ca/cert-chain.pem
            done
            """;

    private static final String RATES = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: rates, namespace: shop, labels: {istio.io/global: "true"}}
            spec: {selector: {app: rates}, ports: [{name: http, port: 80, targetPort: 8080}]}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: rates, namespace: shop}
            spec:
              selector: {matchLabels: {app: rates}}
              template:
                metadata: {labels: {app: rates}}
                spec:
                  containers:
                    - name: main
                      image: fathom-samples:1
                      command: [python3, rates.py]
                      readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
            """;
    private static final String VISITOR = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: visitor, namespace: shop}
            spec:
              terminationGracePeriodSeconds: 0
              containers: [{name: main, image: "fathom-samples:1", command: [python3, rates.py]}]
            """;

    private KubePair pair;

    @BeforeAll
    void start() {
        var begun = System.nanoTime();
        pair = KubePair.start();
        log.info("two clusters with images took {} ms", since(begun));
        TestCommand.of(List.of("bash", "-c", "cd " + pair.home() + "\n" + AUTHORITIES), Map.of())
                .run()
                .expect("openssl");
        var definitions = StockProgram.requireDefinitions().toString();
        pair.each(name -> {
            authority(name);
            return pair.fathomctl(
                    "install",
                    "-y",
                    "--context",
                    name,
                    "--crds",
                    definitions,
                    "--set",
                    "values.global.multiCluster.clusterName=" + name,
                    "--set",
                    "values.global.network=net-" + name,
                    "--set",
                    "values.platforms.peering.enabled=true",
                    "--set",
                    "values.pilot.env.DISABLE_LEGACY_MULTICLUSTER=true");
        });
        log.info("and Fathom in both: {} ms", since(begun));
        pair.apply("east", RATES);
        pair.apply("west", VISITOR);
    }

    private void authority(String name) {
        var folder = pair.home().resolve(name + "-ca").toString();
        var _ = pair.kubectl(name, "create", "namespace", "istio-system");
        var _ = pair.kubectl(name, "label", "namespace", "istio-system", "topology.istio.io/network=net-" + name);
        var _ = pair.kubectl(
                name, "create", "secret", "generic", "cacerts", "-n", "istio-system", "--from-file=" + folder);
    }

    @AfterAll
    void stop() {
        if (pair != null) {
            pair.close();
        }
    }

    private static long since(long begun) {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    /// Whether a pod of west gets an answer of a service that only east has.
    private boolean visit() {
        return pair.kubectlCommand(
                        "west",
                        "-n",
                        "shop",
                        "exec",
                        "visitor",
                        "--",
                        "curl",
                        "-sm",
                        "2",
                        "http://rates.shop.mesh.internal/healthz")
                .run()
                .out()
                .contains("ok");
    }

    private List<String> gateways(String name) {
        return pair.kubectl(name, "get", "gateways", "-n", "istio-eastwest", "-o", "name")
                .lines()
                .map(line -> line.substring(line.indexOf('/') + 1))
                .toList();
    }

    private static String other(String name) {
        return name.equals("west") ? "east" : "west";
    }

    private List<String> controlPlanes(String name) {
        return pair.kubectl(name, "get", "pods", "-n", "istio-system", "-l", "app=istiod", "-o", "name")
                .lines()
                .toList();
    }

    /// A debug page of a control plane, which loopback alone gets.
    private String page(String name, String pod, String path) {
        try (var forward = pair.kubectlCommand(name, "-n", "istio-system", "port-forward", pod, ":15014")
                .begin()) {
            var line = forward.line(); // Forwarding from 127.0.0.1:PORT -> 15014
            assertThat(line).contains("127.0.0.1:");
            var port = line.replaceAll(".*127\\.0\\.0\\.1:(\\d+).*", "$1");
            return FathomdClient.of("127.0.0.1:" + port).text(path);
        }
    }

    /// What a control plane knows of the other cluster.
    private JsonNode known(String name, String pod) {
        return StreamSupport.stream(
                        KubeMesh.json(page(name, pod, "/debug/clusterz")).spliterator(), false)
                .filter(row -> row.path("id").asText().equals(other(name)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(pod + " of " + name + " does not know " + other(name)));
    }

    /// Whether a control plane, or somebody who says so, of the other cluster has a stream to one here.
    private boolean isAsked(String name) {
        return controlPlanes(name).stream()
                .anyMatch(pod -> page(name, pod, "/debug/connections").contains("fathomd-" + other(name)));
    }

    /// Every control plane hears of the other cluster from the fleet, and none asks there.
    private void assertTheFleetSpeaks(String name) {
        var pods = controlPlanes(name);
        assertThat(pods).isNotEmpty();
        for (var pod : pods) {
            var known = known(name, pod);
            assertThat(known.path("secretName").asText()).as("%s", known).isEqualTo("Fleet");
            assertThat(known.path("syncStatus").asText()).as("%s", known).isEqualTo("synced");
            assertThat(known.has("code")).as("%s", known).isFalse();
            assertThat(page(name, pod, "/debug/problemz")).doesNotContain("fleet-", "peer-unreachable");
        }
        assertThat(isAsked(name)).as("%s is asked by the other's", name).isFalse();
    }

    private void awaitService(String name, String namespace, String service) {
        await(service)
                .until(() -> pair.kubectlCommand(name, "get", "service", "-n", namespace, service)
                                .run()
                                .code()
                        == 0);
    }

    // --- by hand ---------------------------------------------------------------------------------------------------

    @Test
    @Order(1)
    void givenTwoClusters_whenTheyAreLinked_thenOneCallsTheOther() {
        try (var expose = pair.fathomctlCommand("multicluster", "expose", "--contexts", CONTEXTS)
                .begin()) {
            for (var name : KubePair.NAMES) {
                awaitService(name, "istio-eastwest", "istio-eastwest");
                pair.balance(name, "istio-eastwest", "istio-eastwest", pair.address(name, 1));
            }
            assertThat(expose.result().expect("multicluster expose")).contains("created");
        }
        pair.each(name ->
                pair.kubectl(name, "-n", "shop", "wait", "--for=condition=Ready", "pod", "--all", "--timeout=120s"));
        assertThat(visit()).as("not linked yet").isFalse();

        assertThat(pair.fathomctl("multicluster", "link", "--contexts", CONTEXTS))
                .contains("istio-remote-peer-east", "istio-remote-peer-west");

        await("a request from one to the other").until(this::visit);
        assertThat(pair.fathomctl("multicluster", "check", "--contexts", CONTEXTS))
                .containsPattern("west +- +ok");
        assertThat(pair.kubectl("east", "-n", "istio-system", "logs", "daemonset/ztunnel"))
                .containsPattern("src.cluster=\"west\".*dst.cluster=\"east\"");
        await("without a fleet they ask each other").ignoreExceptions().until(() -> isAsked("east"));
    }

    @Test
    @Order(2)
    void givenStockIstiodInOneOfThem_thenItTakesTheGatewayThatWeWrote() {
        pair.apply("east", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: stock}
                """);
        try (var workspace = new Workspace()) {
            startStock(workspace);
            var written = pair.get("east", "gateway", "-n", "istio-eastwest", "istio-remote-peer-west");
            var labels = (ObjectNode) written.at("/metadata/labels").deepCopy();
            pair.apply("east", """
                    {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
                     "metadata": {"name": "istio-remote-peer-west", "namespace": "stock", "labels": %s}, "spec": %s}
                    """.formatted(labels.put("istio.io/rev", "stock"), written.path("spec")));
            await("stock istiod programs it").untilAsserted(() -> {
                var status = pair.get("east", "gateway", "-n", "stock", "istio-remote-peer-west")
                        .path("status");
                assertThat(status.at("/addresses/0/value").asText())
                        .as("%s", status)
                        .isEqualTo(pair.address("west", 1));
                assertThat(status.path("conditions")).anySatisfy(condition -> {
                    assertThat(condition.path("type").asText()).isEqualTo("Programmed");
                    assertThat(condition.path("status").asText()).isEqualTo("True");
                });
            });
        } finally {
            var _ = pair.kubectl("east", "delete", "namespace", "stock", "--wait=false");
        }
    }

    private void startStock(Workspace workspace) {
        var local = "127.0.0.1:";
        workspace.start(
                "istiod",
                List.of(
                        StockProgram.ISTIOD.require().toString(),
                        "discovery",
                        "--kubeconfig=" + eastAlone(),
                        "--clusterID=east",
                        "--grpcAddr=" + local + Workspace.freePort(),
                        "--httpAddr=" + local + Workspace.freePort(),
                        "--httpsAddr=" + local + Workspace.freePort(),
                        "--monitoringAddr=" + local + Workspace.freePort(),
                        "--secureGRPCAddr=",
                        "--ctrlz_port=0"),
                Map.of(
                        "POD_NAMESPACE", "stock",
                        "POD_NAME", "istiod-stock",
                        "REVISION", "stock",
                        "ENABLE_LEADER_ELECTION", "false",
                        "AMBIENT_ENABLE_MULTI_NETWORK", "true",
                        "PILOT_ENABLE_AMBIENT", "true",
                        "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER", "true",
                        "INJECT_ENABLED", "false",
                        "VALIDATION_WEBHOOK_CONFIG_NAME", ""));
    }

    /// Stock istiod wants a kubeconfig of one cluster.
    private Path eastAlone() {
        return pair.home().resolve("east");
    }

    @Test
    @Order(3)
    void whenTheyAreUnlinked_thenTheWayIsGone() {
        assertThat(pair.fathomctl("multicluster", "unlink", "--contexts", CONTEXTS))
                .contains("removed");

        await("nobody there").until(() -> !visit());
        assertThat(gateways("west")).containsExactly("istio-eastwest");
    }

    // --- by a fleet ------------------------------------------------------------------------------------------------

    @Test
    @Order(4)
    void givenAManagementServerInOneOfThem_whenBothJoin_thenOneCallsTheOther() {
        try (var install = helmCommand(
                        "fathom-fleet", "fathom-fleet", "--kube-context", "west", "--wait", "--timeout=120s")
                .begin()) {
            awaitService("west", "fathom-fleet", "fathom-fleet");
            pair.balance("west", "fathom-fleet", "fathom-fleet", server());
            install.result().expect("helm install fathom-fleet");
        }
        try (var forward = forward()) {
            assertThat(forward.line()).contains("Forwarding");
            var begun = System.nanoTime();
            pair.each(name -> name.equals("west") ? join(name) : joinWithOneCommand(name));
            var installed = since(begun);
            await("a request from one to the other").until(this::visit);
            log.info(
                    "joining took {} ms for both agents, the first request came through after {} ms",
                    installed,
                    since(begun));
            assertThat(pair.fathomctl("fleet", "status")).contains("west", "east");
        }
        var all = List.of("istio-eastwest", "istio-remote-peer-east", "istio-remote-peer-west");
        await("each has a Gateway for each").untilAsserted(() -> {
            assertThat(gateways("west")).containsExactlyInAnyOrderElementsOf(all);
            assertThat(gateways("east")).containsExactlyInAnyOrderElementsOf(all);
        });
        assertThat(pair.kubectl("west", "get", "fleetclusters", "-n", "fathom-fleet"))
                .containsPattern("west +MEMBER +net-west")
                .containsPattern("east +MEMBER +net-east");
        for (var name : KubePair.NAMES) {
            await("the fleet speaks in " + name).ignoreExceptions().untilAsserted(() -> assertTheFleetSpeaks(name));
        }
        assertThat(visit()).isTrue();
    }

    private String server() {
        return pair.address("west", 3);
    }

    private TestCommand.Running forward() {
        return pair.kubectlCommand("west", "-n", "fathom-fleet", "port-forward", "deployment/fathom-fleet", "9901:9901")
                .begin();
    }

    private TestCommand helmCommand(String chart, String namespace, String... flags) {
        var line = new ArrayList<>(List.of(
                "install",
                chart,
                KubeMesh.ROOT.resolve("deploy/charts/" + chart).toString(),
                "-n",
                namespace));
        line.add("--create-namespace");
        line.addAll(List.of(flags));
        return pair.command(StockProgram.HELM.require().toString(), line.toArray(String[]::new));
    }

    private String join(String name) {
        var token = KubeMesh.json(pair.fathomctl("fleet", "token", name, "-o", "json"))
                .path("token")
                .asText();
        return helmCommand(
                        "fathom-agent",
                        "istio-system",
                        "--kube-context",
                        name,
                        "--set",
                        "global.clusterID=" + name + ",global.network=net-" + name,
                        "--set",
                        "servers={" + server() + ":9900}",
                        "--set",
                        "token=" + token)
                .run()
                .expect("helm install fathom-agent");
    }

    private String joinWithOneCommand(String name) {
        var told = pair.fathomctl("fleet", "join", name, "--context", name, "--server-context", "west");
        assertThat(told)
                .contains(name + " is a member, and its agent is connected")
                .contains("Gateways of the fleet: ", "istio-remote-peer-" + name);
        return told;
    }

    @Test
    @Order(5)
    void givenTwoReplicasOfAControlPlane_thenTheAgentTellsBoth_andOneThatIsReplaced() {
        scale(2);
        await("both are told").ignoreExceptions().untilAsserted(() -> {
            assertThat(controlPlanes("west")).hasSize(2);
            assertTheFleetSpeaks("west");
        });

        var old = controlPlanes("west");
        var _ = pair.kubectl("west", "-n", "istio-system", "delete", "--wait=false", old.getFirst());
        await("the new one is told").ignoreExceptions().untilAsserted(() -> {
            assertThat(controlPlanes("west")).hasSize(2).doesNotContain(old.getFirst());
            assertTheFleetSpeaks("west");
        });
        assertThat(visit()).isTrue();
        scale(1);
    }

    private void scale(int replicas) {
        var _ = pair.kubectl("west", "-n", "istio-system", "scale", "deployment/istiod", "--replicas=" + replicas);
        var _ = pair.kubectl("west", "-n", "istio-system", "rollout", "status", "deployment/istiod", "--timeout=120s");
    }

    @Test
    @Order(6)
    void whenServerAndAgentAreReplaced_thenTheyGoOnAsMembers() {
        var _ = pair.kubectl("west", "-n", "fathom-fleet", "rollout", "restart", "deployment/fathom-fleet");
        for (var name : KubePair.NAMES) {
            var _ = pair.kubectl(name, "-n", "istio-system", "rollout", "restart", "deployment/fathom-agent");
        }
        for (var name : KubePair.NAMES) {
            var _ = pair.kubectl(
                    name, "-n", "istio-system", "rollout", "status", "deployment/fathom-agent", "--timeout=120s");
        }
        await("both are connected").untilAsserted(() -> {
            for (var name : KubePair.NAMES) {
                assertThat(pair.kubectl(name, "-n", "istio-system", "logs", "deployment/fathom-agent"))
                        .contains("connected")
                        .doesNotContain("joined fleet");
            }
        });
        assertThat(visit()).isTrue();
    }

    @Test
    @Order(7)
    void whenAGatewayGetsAnotherAddress_thenCallsGoThere() {
        var old = pair.address("east", 1);
        var begun = System.nanoTime();
        pair.balance("east", "istio-eastwest", "istio-eastwest", pair.address("east", 2));
        pair.drop("east", old);

        await("the Gateway in west has the new address")
                .untilAsserted(
                        () -> assertThat(pair.get("west", "gateway", "-n", "istio-eastwest", "istio-remote-peer-east")
                                        .at("/spec/addresses/0/value")
                                        .asText())
                                .isEqualTo(pair.address("east", 2)));
        log.info("the Gateway had the new address after {} ms", since(begun));
        await("calls go there").until(this::visit);
        log.info("traffic was on the new address after {} ms", since(begun));
    }

    @Test
    @Order(8)
    void whenAClusterLeaves_thenItsGatewaysGoEverywhere_andTheWayIsGone() {
        try (var forward = forward()) {
            assertThat(forward.line()).contains("Forwarding");
            assertThat(pair.fathomctl("fleet", "leave", "east")).contains("has left");
        }
        await("only its own are left").untilAsserted(() -> {
            assertThat(gateways("east")).containsExactly("istio-eastwest");
            assertThat(gateways("west")).containsExactlyInAnyOrder("istio-eastwest", "istio-remote-peer-west");
        });
        await("nobody there").until(() -> !visit());
    }
}
