// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Three clusters of `bin/up`: the first two on one network, the third behind its east-west gateway alone. A client in
/// the first one asks all the time, each service over a new connection, and every answer says which service of which
/// cluster it is of. Then pods, a gateway and a waypoint die, and come back.
///
/// - `everywhere` is in all clusters, and one that all share;
/// - `guarded` is so in the first and the third one; the third one has a waypoint in front of it;
/// - `private` is in all clusters, and each has its own.
@Tag("slow")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeClustersIT {
    private static final Logger log = LoggerFactory.getLogger(ThreeClustersIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration BOUND = Duration.ofSeconds(30); // ten times the aim for a gateway
    private static final Map<String, Set<String>> CLUSTERS_OF =
            Map.of("everywhere", Set.of("1", "2", "3"), "guarded", Set.of("1", "3"), "private", Set.of("1"));
    private static final String GLOBAL = "istio.io/global: \"true\"";

    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %1$s-%2$s, namespace: lab, annotations: {fathom.io/clusters: "%2$s"}}
            spec:
              replicas: %3$d
              selector: {matchLabels: {app: %1$s}}
              template:
                metadata: {labels: {app: %1$s}}
                spec:
                  containers:
                  - name: app
                    image: unused
                    command: [python3, %4$s]
                    env: [{name: SERVICE, value: %1$s}, {name: CLUSTER, value: "%2$s"}]
                    ports: [{name: http, containerPort: 8080}]
                    readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}
            ---
            """;

    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: %1$s, namespace: lab, labels: {%2$s}}
            spec: {selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
            ---
            """;

    private static final String WAYPOINT = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: guard, namespace: lab, labels: {istio.io/waypoint-for: service}}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            ---
            """;

    private static final String CLIENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: client, namespace: lab, annotations: {fathom.io/clusters: "1"}}
            spec:
              selector: {matchLabels: {app: client}}
              template:
                metadata: {labels: {app: client}}
                spec:
                  containers: [{name: client, image: unused, command: [python3, asker.py, everywhere, guarded, private]}]
            """;

    @SuppressWarnings("NullAway.Init")
    private LocalMesh mesh;

    /// From then on the waypoint is on the way.
    private long guardedSince;

    @BeforeAll
    void start() throws IOException {
        mesh = LocalMesh.createEmpty();
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: lab, labels: {istio.io/dataplane-mode: ambient}}
                ---
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: default, namespace: istio-system}
                spec: {mtls: {mode: STRICT}}
                ---
                """);
        for (var cluster : List.of("1", "2", "3")) {
            text.append(DEPLOYMENT.formatted("everywhere", cluster, 2, "answerer.py"));
            text.append(DEPLOYMENT.formatted("private", cluster, 1, "answerer.py"));
        }
        text.append(DEPLOYMENT.formatted("guarded", "1", 1, "answerer.py"));
        text.append(DEPLOYMENT.formatted("guarded", "3", 1, "answerer.py"));
        text.append(SERVICE.formatted("everywhere", GLOBAL));
        text.append(SERVICE.formatted("guarded", GLOBAL));
        text.append(SERVICE.formatted("private", ""));
        mesh.write("lab.yaml", text + CLIENT);
        mesh.add("answerer.py");
        mesh.add("asker.py");
        var result = mesh.start("--clusters", "3", "--flat", "2");
        assertThat(result.code()).as(result.out()).isZero();
        log.info("{}", result.out());
        // What the third cluster alone has.
        Files.writeString(
                folder("3").resolve("applied/lab.yaml"),
                WAYPOINT + SERVICE.formatted("guarded", GLOBAL + ", istio.io/use-waypoint: guard"));
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            var last = answers().of("guarded").from("3").last(20);
            assertThat(last.all())
                    .hasSize(20)
                    .allMatch(answer -> answer.given().orElseThrow().way().equals("waypoint"));
        });
        guardedSince = System.nanoTime();
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    @Test
    @Order(1)
    void whenAllIsWell_thenAllClustersAnswer() {
        awaitAnswers("everywhere", "1", "2", "3");
        awaitAnswers("guarded", "1", "3");
        // From pod to pod, not through a gateway.
        var address = pods("1", "client").getFirst().path("ip").asText();
        assertThat(mesh.log("cluster-2/ztunnel-node-1")).contains("src.addr=" + address + ":");
        assertThat(mesh.log("cluster-3/ztunnel-node-1")).doesNotContain("src.addr=" + address + ":");
    }

    @Test
    @Order(2)
    void whenAllPodsOfOneClusterDie_thenOthersAnswer_andTheyDoAgainOnceTheyAreBack() {
        mesh.remove("answerer.py"); // they are started again, and end at once
        var begun = System.nanoTime();
        assertThat(signal("1", "KILL", processes("1", "everywhere-", "guarded-")))
                .isZero();
        awaitMany(begun);
        report("all pods of a cluster", "1", begun);
        assertThat(answers().of("everywhere").last(20).from("1").all()).isEmpty();
        mesh.add("answerer.py");
        awaitAnswers("everywhere", "1");
        awaitAnswers("guarded", "1");
    }

    @Test
    @Order(3)
    void whenAGatewaySwallows_thenOthersAnswer_andItsClusterDoesAgain() {
        var envoy = children("3", "istio-eastwest-");
        var begun = System.nanoTime();
        assertThat(signal("3", "STOP", envoy)).isZero();
        try {
            awaitMany(begun);
        } finally {
            var _ = signal("3", "CONT", envoy);
        }
        report("a gateway", "3", begun);
        awaitAnswers("everywhere", "3");
        awaitAnswers("guarded", "3");
    }

    @Test
    @Order(4)
    void whenAWaypointDies_thenOthersAnswer_andItsClusterDoesAgain() {
        var begun = System.nanoTime();
        var all = new ArrayList<>(children("3", "guard-"));
        all.addAll(processes("3", "guard-"));
        assertThat(signal("3", "KILL", all)).isZero();
        awaitMany(begun);
        report("a waypoint", "3", begun);
        awaitAnswers("guarded", "3");
    }

    /// Of all answers so far.
    @AfterEach
    void thenNoAnswerWasWrong() {
        var given = answers().given();
        assertThat(given.all()).allSatisfy(answer -> {
            var who = answer.given().orElseThrow();
            assertThat(who.service()).isEqualTo(answer.asked());
            assertThat(who.cluster()).isIn(CLUSTERS_OF.getOrDefault(answer.asked(), Set.of()));
        });
        var guarded = given.of("guarded").from("3").since(guardedSince).all();
        assertThat(guarded)
                .as("around the waypoint")
                .allSatisfy(
                        answer -> assertThat(answer.given().orElseThrow().way()).isEqualTo("waypoint"));
        var own = answers().of("private").since(guardedSince);
        assertThat(own.failed())
                .as("nothing of it died")
                .isLessThanOrEqualTo(own.all().size() / 10);
    }

    /// @param cluster in which it died
    private void report(String what, String cluster, long begun) {
        for (var service : List.of("everywhere", "guarded")) {
            var answers = answers().of(service).since(begun);
            var elsewhere = answers.given()
                    .filter(answer -> !answer.given().orElseThrow().cluster().equals(cluster));
            log.info(
                    "{} died: {} answered from elsewhere after {} ms; nobody answered for at most {} ms; {} of {} failed",
                    what,
                    service,
                    Duration.ofNanos(elsewhere.all().getFirst().nanos() - begun).toMillis(),
                    answers.longestGap(begun).toMillis(),
                    answers.failed(),
                    answers.all().size());
            assertThat(answers.longestGap(begun)).as(service).isLessThan(BOUND);
        }
    }

    /// More than what was on its way.
    private void awaitMany(long begun) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Stream.of("everywhere", "guarded")
                        .allMatch(service ->
                                answers().of(service).since(begun).given().all().size() > 60));
    }

    private Path folder(String cluster) {
        return mesh.run().resolve("cluster-" + cluster);
    }

    private List<JsonNode> pods(String cluster, String prefix) {
        var pods = new ArrayList<JsonNode>();
        LocalMesh.status(folder(cluster)).path("pods").forEach(pods::add);
        return pods.stream()
                .filter(pod -> pod.path("name").asText().startsWith(prefix))
                .toList();
    }

    private List<String> processes(String cluster, String... prefixes) {
        return Stream.of(prefixes)
                .flatMap(prefix -> pods(cluster, prefix).stream())
                .map(pod -> pod.path("pid").asText())
                .toList();
    }

    /// What those have started.
    private List<String> children(String cluster, String prefix) {
        var parents = String.join(",", processes(cluster, prefix));
        try (var found = mesh.beginAt(folder(cluster), "middle", "pgrep", "-P", parents)) {
            return found.result().out().lines().map(String::strip).toList();
        }
    }

    private int signal(String cluster, String signal, List<String> processes) {
        var line = new ArrayList<>(List.of("kill", "-" + signal));
        line.addAll(processes);
        try (var kill = mesh.beginAt(folder(cluster), "middle", line.toArray(String[]::new))) {
            return kill.result().code();
        }
    }

    /// Of each of these clusters, from now on.
    private void awaitAnswers(String service, String... clusters) {
        var begun = System.nanoTime();
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            var answers = answers().of(service).since(begun);
            assertThat(clusters)
                    .allSatisfy(
                            cluster -> assertThat(answers.from(cluster).all()).isNotEmpty());
        });
    }

    /// All until now.
    private Answers answers() {
        try (var logs = Files.list(folder("1").resolve("logs"))) {
            var own = logs.filter(log -> log.getFileName().toString().contains("client"))
                    .findFirst()
                    .orElseThrow();
            return Answers.parse(Files.readString(own));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
