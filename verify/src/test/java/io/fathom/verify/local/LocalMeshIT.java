// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.testkit.TestCommand;
import io.fathom.verify.client.StalledClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Tag("slow")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalMeshIT {
    private static final Logger log = LoggerFactory.getLogger(LocalMeshIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern TIME = Pattern.compile("(\\w+) (\\d+)");

    /// Keeps one connection to the store busy until it breaks, tells when, and tries until it gets an answer again.
    private static final String STEADY_CLIENT = """
            import socket, time
            def now(): return int(time.time() * 1000)
            def ask(c):
                c.sendall(b"GET items\\n")
                if not c.recv(100): raise OSError("closed")
            def connect():
                c = socket.create_connection(("store.shop", 6380), timeout=2)
                c.settimeout(2)
                ask(c)
                return c
            c = connect()
            print("begun", now(), flush=True)
            try:
                while True:
                    ask(c)
                    time.sleep(0.002)
            except OSError:
                print("cut", now(), flush=True)
            while True:
                try:
                    connect()
                    break
                except OSError:
                    time.sleep(0.002)
            print("back", now(), flush=True)
            """;

    /// A new connection for each request until the file is gone, and what came of them.
    private static final String MANY_CONNECTIONS = """
            import os, sys, time, urllib.request
            begun, good, bad, gap, failing = time.time(), 0, 0, 0, None
            while os.path.exists(sys.argv[1]):
                try:
                    urllib.request.urlopen("http://catalog.shop/items", timeout=5).read()
                    good += 1
                    if failing: gap = max(gap, time.time() - failing)
                    failing = None
                    if good == 1: print("begun 0", flush=True)
                except OSError as e:
                    bad += 1
                    failing = failing or time.time()
                    print("#", e, flush=True)
                time.sleep(0.01)
            print("good %d bad %d gap %d" % (good, bad, gap * 1000), flush=True)
            """;

    /// Waits until a name resolves and uses it at once.
    private static final String EAGER_CLIENT = """
            import socket, sys, time
            print("begun 0", flush=True)
            while True:
                try:
                    ip = socket.gethostbyname(sys.argv[1])
                    break
                except OSError:
                    time.sleep(0.005)
            try:
                c = socket.create_connection((ip, 6380), timeout=5)
                c.sendall(b"GET items\\n")
                print("reached" if c.recv(100) else "closed", flush=True)
            except OSError as e:
                print(e, flush=True)
            """;

    @SuppressWarnings("NullAway.Init")
    private LocalMesh mesh;

    private double seconds;
    private String welcome = "";

    @BeforeAll
    void start() {
        mesh = LocalMesh.create();
        var begun = System.nanoTime();
        var result = mesh.start();
        seconds = (System.nanoTime() - begun) / 1e9;
        assertThat(result.code()).as(result.out()).isZero();
        assertThat(result.out())
                .contains(
                        "the first request over mutual TLS was answered", "bin/up --run-dir " + mesh.run() + " status");
        log.info("bin/up to the first mTLS request: {} s", "%.1f".formatted(seconds));
        welcome = result.out();
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    @Test
    void whenStarted_thenTheFirstRequestIsThereWithinAMinute() {
        assertThat(seconds).isLessThan(120); // the goal is 60 on a machine that does nothing else: docs/performance.md
        assertThat(mesh.up("status").out())
                .contains("fathomd", "ztunnel-node-2", "enabled")
                .doesNotContain("waiting");
        assertThat(mesh.exec("visitor", "curl", "-s", "http://storefront.shop/buy")
                        .out())
                .as("storefront, checkout, the outside service, cart and store")
                .contains("\"paid\"", "\"cart\"");
        assertThat(mesh.up("start").code()).as("an unknown command").isEqualTo(2);
        assertThat(mesh.exec("ztunnel-node-1", "curl", "-sm", "20", "http://localhost:15000/config_dump")
                        .out())
                .contains("storefront.shop.svc.cluster.local");
        assertThat(mesh.exec("fathom-cni-node-2", "ip", "-br", "addr").out()).contains("uplink");
        assertThat(mesh.start().out()).contains("runs already");
    }

    @Test
    void whenPodsTalk_thenNoPlainTextIsOnAnyWire() {
        assumeTrue(LocalMesh.isInstalled("tcpdump"), "tcpdump is not installed");
        try (var tap = new Wiretap(mesh)) {
            requests(20);
            tap.awaitEncrypted();
            assertThat(tap.plainText()).isEmpty();
        }
    }

    @Test
    void whenAPolicyIsEdited_thenAnOpenConnectionIsCut_andItsUndoingRestoresIt() {
        try (var client = mesh.begin("cart", "python3", "-c", STEADY_CLIENT)) {
            time(client, "begun");
            var cutAt = System.currentTimeMillis();
            mesh.edit("shop/policies.yaml", text -> text.replace("sa/cart]", "sa/nobody]"));
            var cut = time(client, "cut") - cutAt;
            var restoredAt = System.currentTimeMillis();
            mesh.edit("shop/policies.yaml", text -> text.replace("sa/nobody]", "sa/cart]"));
            var restored = time(client, "back") - restoredAt;

            log.info("policy edit to cut: {} ms, to restored: {} ms", cut, restored);
            assertThat(cut).isLessThan(5000); // the goal is 100 ms on a machine that does nothing else
            assertThat(restored).isLessThan(5000);
        }
    }

    @Test
    void givenStrictMutualTls_thenProbesOfTheNodePass_andPlainTextOfOthersDoesNot() {
        var pod = mesh.pods("catalog-v1").getFirst();
        var node = pod.path("node").asText();
        var url = "http://" + pod.path("ip").asText() + ":8080/healthz";

        assertThat(mesh.runIn(node, "curl", "-sm", "5", url).out()).contains("ok");
        assertThat(mesh.exec("rates", "curl", "-sm", "5", url).code())
                .as("from outside of the mesh")
                .isNotZero();
        assertThat(pod.path("ready").asBoolean()).isTrue();
    }

    @Test
    void givenTraffic_whenAgentsAndControlPlaneAreKilled_thenNoConnectionFails() {
        for (var program : List.of("fathom-cni-node-1", "fathom-cni-node-2", "fathomd")) {
            var outcome = killUnderTraffic(program);
            assertThat(outcome).as(program).contains(" bad 0 ");
        }
    }

    @Test
    void givenTraffic_whenANodeProxyIsKilled_thenNothingLeaksAndNewConnectionsWorkAgain() {
        assumeTrue(LocalMesh.isInstalled("tcpdump"), "tcpdump is not installed");
        var node = mesh.pods("visitor").getFirst().path("node").asText();
        try (var tap = new Wiretap(mesh)) {
            var outcome = killUnderTraffic("ztunnel-" + node);
            log.info("kill of the node proxy: {}", outcome);
            requests(5);
            tap.awaitEncrypted();
            assertThat(tap.plainText()).isEmpty();
        }
    }

    @Test
    void givenTwoThousandClientsThatStall_onAnyPort_thenTheProgramIsReadyAllTheSame() {
        for (var port : MeshPorts.of(mesh)) {
            var answers = StalledClients.besides(
                    command -> mesh.exec(port.where(), command.toArray(String[]::new)),
                    port.port(),
                    port.readyPort(),
                    port.path());
            log.info("beside stalled clients of {}: {}", port, answers);
        }
    }

    /// As a kubelet does it. The visitor has no probes.
    @Test
    void whenTheProcessOfAPodIsKilled_thenItIsStartedAgainAtOnceAndCounted() {
        for (var name : List.of("visitor", "checkout")) {
            var pod = mesh.pods(name).getFirst();
            mesh.kill(pod);
            log.info("{} is ready again after {} ms", name, untilRestarted(pod));
        }
        var waypoint = mesh.pods("waypoint").getFirst();
        mesh.killChild(waypoint);
        var gap = untilRestarted(waypoint);
        log.info("Envoy of a waypoint is ready again after {} ms", gap);
        assertThat(gap).isLessThan(8000); // the goal is 1.5 s on a machine that does nothing else
    }

    private long untilRestarted(JsonNode before) {
        var begun = System.nanoTime();
        Awaitility.await(before + " is started again")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> mesh.pods(before.path("name").asText()).stream()
                        .anyMatch(now -> now.path("ready").asBoolean()
                                && now.path("restarts").asInt()
                                        == before.path("restarts").asInt() + 1));
        return (System.nanoTime() - begun) / 1_000_000;
    }

    @Test
    void whenReplicasAreEdited_thenPodsComeAndGo() {
        mesh.edit("shop/catalog.yaml", text -> text.replace("replicas: 1", "replicas: 3"));
        Awaitility.await().atMost(PATIENCE).until(() -> ready("catalog-v2") == 3);
        mesh.edit("shop/catalog.yaml", text -> text.replace("replicas: 3", "replicas: 1"));
        Awaitility.await().atMost(PATIENCE).until(() -> mesh.pods("catalog-v2").size() == 1);
        assertThat(ready("catalog-v2")).isEqualTo(1);
    }

    @Test
    void givenWhatAClusterPlays_thenPodsNamesAndAddressesAreThere_alsoForWhomNoProxyCaptures() {
        mesh.add("cluster.yaml");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> ready("db-") == 2 && ready("client") == 1 && ready("pair") == 2);
        assertThat(mesh.pods("db-").stream().map(pod -> pod.path("name").asText()))
                .containsExactly("db-0", "db-1");
        assertThat(mesh.pods("once"))
                .singleElement()
                .matches(pod -> pod.path("phase").asText().equals("SUCCEEDED"));
        assertThat(mesh.up("fathomctl", "get", "problems").out()).doesNotContain("not-played-here");

        for (var client : List.of("client", "visitor")) {
            assertThat(get(client, "http://dbs.plain/")).as("a Service").matches("db-[01]\n");
            assertThat(get(client, "http://alias.plain/")).as("an ExternalName").matches("db-[01]\n");
            assertThat(get(client, "http://db-1.db.plain:8080/"))
                    .as("a pod of a StatefulSet")
                    .isEqualTo("db-1\n");
        }
        assertThat(get("client", "http://nobody.plain/")).as("without pods").isEqualTo("7\n");
        var ip = address("dbs.plain");
        assertThat(get("ztunnel-node-1", "http://" + ip + "/")).as("on a node").matches("db-[01]\n");
        var machine = LocalMesh.outside("sh", "-c", "for i in $(seq 20); do curl -sm 5 http://" + ip + "/; done");
        assertThat(machine.out()).contains("db-0\n", "db-1\n");
        var none = address("nobody.plain");
        assertThat(LocalMesh.outside("curl", "-sm", "5", "http://" + none + "/").code())
                .as("refused, on the machine")
                .isEqualTo(7);
        assertThat(LocalMesh.outside("ip", "route", "get", none).out()).contains(" dev fathom");
    }

    /// The store takes nothing but mutual TLS from the cart, so a proxy that does not know the Service yet is of no
    /// use.
    @Test
    void givenANewService_thenItIsReachableAsSoonAsItsNameResolves() {
        for (int i = 0; i < 3; i++) {
            var name = "new-store-" + i;
            try (var client = mesh.begin("cart", "python3", "-c", EAGER_CLIENT, name + ".shop.svc.cluster.local")) {
                time(client, "begun");
                mesh.write(name + ".yaml", """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: %s, namespace: shop}
                        spec: {selector: {app: store}, ports: [{name: tcp, port: 6380}]}
                        """.formatted(name));
                assertThat(client.line()).isEqualTo("reached");
            }
        }
    }

    private String address(String host) {
        return mesh.exec("client", "getent", "hosts", host).out().split(" ", -1)[0];
    }

    /// The page, or the exit code of curl.
    private String get(String pod, String url) {
        return mesh.exec(pod, "sh", "-c", "curl -sm 20 " + url + " || echo $?").out();
    }

    @Test
    void givenAWaypoint_thenOneOfTenRequestsGoesToTheSecondVersion_andTheIngressHasAnAddress() {
        var answers = mesh.exec(
                        "visitor",
                        "sh",
                        "-c",
                        "for i in $(seq 200); do curl -sm 20 http://catalog.shop/items; echo; done")
                .out();
        assertSplit(answers);
        assertThat(mesh.exec("waypoint", "curl", "-sm", "20", "http://localhost:15020/stats/prometheus")
                        .out())
                .contains("istio_agent_cert_expiry_seconds");
        assertThat(mesh.exec("ingress", "curl", "-sm", "20", "http://localhost:15021/healthz/ready")
                        .out())
                .contains("ready");
    }

    /// What the README says to try from outside.
    @Test
    void givenTheIngress_thenTheRequestsOfTheReadmeAreAnsweredAsItSays() throws IOException {
        var found = Pattern.compile("http://(198[.]19[.]\\d+[.]\\d+)/").matcher(welcome);
        assertThat(found.find()).as(welcome).isTrue();
        var ingress = "http://" + found.group(1);
        var token = Files.readString(LocalMesh.ROOT.resolve("samples/shop/regular.jwt"));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(curl(ingress + "/"))
                        .startsWith("HTTP/1.1 200")
                        .contains("\"catalog\""));
        assertThat(curl(ingress + "/buy")).startsWith("HTTP/1.1 403").doesNotContain("\"paid\"");
        assertThat(curl(ingress + "/buy", "-H", "authorization: Bearer " + token.strip()))
                .startsWith("HTTP/1.1 200")
                .contains("\"paid\"");
        assertThat(curl(ingress + "/buy", "-H", "authorization: Bearer " + token.strip() + "x"))
                .startsWith("HTTP/1.1 401");
        assertSplit(LocalMesh.outside("sh", "-c", "for i in $(seq 200); do curl -sm 20 " + ingress + "/; echo; done")
                .out());
    }

    private static String curl(String url, String... flags) {
        var line = new ArrayList<>(List.of("curl", "-sim", "20", url));
        line.addAll(List.of(flags));
        return LocalMesh.outside(line.toArray(String[]::new)).out();
    }

    /// One of ten has the second version, and all have one.
    private static void assertSplit(String answers) {
        var first = answers.lines().filter(line -> line.contains("\"v1\"")).count();
        var second = answers.lines().filter(line -> line.contains("\"v2\"")).count();
        assertThat(first + second).as(answers).isEqualTo(200);
        assertThat(second).isBetween(1L, 60L); // 20 on average; more than 60 or none comes once in a billion runs
    }

    private long ready(String prefix) {
        return mesh.pods(prefix).stream()
                .filter(pod -> pod.path("ready").asBoolean())
                .count();
    }

    private String killUnderTraffic(String program) {
        var sign = mesh.run().resolve("traffic-on");
        try {
            Files.writeString(sign, "");
            try (var client = mesh.begin("visitor", "python3", "-c", MANY_CONNECTIONS, sign.toString())) {
                time(client, "begun");
                var before = mesh.program(program).path("restarts").asInt();
                mesh.kill(program);
                Awaitility.await(program + " runs again").atMost(PATIENCE).until(() -> {
                    var now = mesh.program(program);
                    return now.path("restarts").asInt() > before
                            && now.path("pid").asLong() > 0;
                });
                Awaitility.await("the mesh works")
                        .atMost(PATIENCE)
                        .until(() -> mesh.exec("visitor", "curl", "-sm", "5", "http://storefront.shop/")
                                .out()
                                .contains("catalog"));
                Files.delete(sign);
                return client.result().out();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requests(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(mesh.exec("visitor", "curl", "-sm", "20", "http://storefront.shop/")
                            .out())
                    .contains("catalog");
        }
    }

    private static long time(TestCommand.Running client, String what) {
        for (var line = client.line(); !line.isEmpty(); line = client.line()) {
            var match = TIME.matcher(line);
            if (match.matches() && match.group(1).equals(what)) {
                return Long.parseLong(match.group(2));
            }
        }
        throw new AssertionError("the client ended before it was " + what);
    }
}
