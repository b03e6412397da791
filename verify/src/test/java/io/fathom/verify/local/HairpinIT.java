// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

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

/// Pods that are called directly, in plain text, by a pod outside of the mesh: one that wants such calls to go through
/// its waypoint, a stock Envoy under our control plane, and one that does not. And pods behind waypoints that must not
/// be bypassed: one for all traffic, one for services only.
@Tag("slow")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HairpinIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String MANIFESTS = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: hair, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: comb}}
            ---
            apiVersion: security.istio.io/v1
            kind: PeerAuthentication
            metadata: {name: default, namespace: hair}
            spec: {mtls: {mode: PERMISSIVE}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: comb, namespace: hair, labels: {istio.io/waypoint-for: all}}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            ---
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: server, namespace: hair}
            """;

    private static final String SERVER = """
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %1$s, namespace: %2$s, labels: {app: %1$s}}
            spec:
              replicas: 1
              selector: {matchLabels: {app: %1$s}}
              template:
                metadata: {labels: {app: %1$s}, annotations: {%3$s}}
                spec:
                  serviceAccountName: server
                  containers:
                  - name: server
                    image: fathom-samples:1
                    command: [python3, -m, http.server, "8080"]
                    ports: [{name: http, containerPort: 8080}]
                    readinessProbe: {httpGet: {path: /, port: http}, periodSeconds: 2, timeoutSeconds: 3}
            """;

    private static final String DOOR = """
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: door, namespace: gate}
            spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: front, namespace: gate}
            spec: {parentRefs: [{name: door}], rules: [{backendRefs: [{name: front, port: 8080}]}]}
            """;

    /// Waits until a name resolves and uses it at once.
    private static final String EAGER_CLIENT = """
            import http.client, socket, sys, time
            print("begun", flush=True)
            for _ in range(20000):
                try:
                    ip = socket.gethostbyname(sys.argv[1])
                    break
                except OSError:
                    time.sleep(0.002)
            try:
                c = http.client.HTTPConnection(ip, 8080, timeout=10)
                c.request("HEAD", "/", headers={"host": sys.argv[1]})
                print("sent", flush=True)
                r = c.getresponse()
                print(r.status, r.headers["server"], flush=True)
            except Exception as e:
                print(repr(e), flush=True)
            """;

    @SuppressWarnings("NullAway.Init")
    private LocalMesh mesh;

    private String asking = "";
    private String direct = "";

    @BeforeAll
    void start() {
        mesh = LocalMesh.create();
        mesh.write(
                "hair.yaml",
                MANIFESTS
                        + SERVER.formatted("asking", "hair", "fathom.io/hairpin: \"true\"")
                        + SERVER.formatted("direct", "hair", ""));
        mesh.write("gate.yaml", gated("gate", "all", "true") + DOOR);
        mesh.write("hedge.yaml", gated("hedge", "service", "true"));
        var result = mesh.start();
        assertThat(result.code()).as(result.out()).isZero();
        asking = mesh.pods("asking").getFirst().path("ip").asText();
        direct = mesh.pods("direct").getFirst().path("ip").asText();
        Awaitility.await("the waypoint serves")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(status(asking, "/")).isEqualTo("200"));
    }

    /// A namespace whose pods take calls through the waypoint only, and a Service that leads around it.
    private static String gated(String name, String traffic, String required) {
        return """
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: %1$s, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: %1$s}}
            ---
            apiVersion: security.istio.io/v1
            kind: PeerAuthentication
            metadata: {name: default, namespace: %1$s}
            spec: {mtls: {mode: PERMISSIVE}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: %1$s
              namespace: %1$s
              labels: {istio.io/waypoint-for: %2$s}
              annotations: {fathom.io/require-waypoint: "%3$s"}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            ---
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: server, namespace: %1$s}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: front, namespace: %1$s}
            spec: {selector: {app: %1$s-server}, ports: [{name: http, port: 8080}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: around, namespace: %1$s, labels: {istio.io/use-waypoint: none}}
            spec: {selector: {app: %1$s-server}, ports: [{name: http, port: 8080}]}
            """.formatted(name, traffic, required) + SERVER.formatted(name + "-server", name, "");
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    /// What a pod outside of the mesh is answered; `000` if its connection is closed.
    private String status(String ip, String path) {
        return code("rates", ip, path);
    }

    private String code(String from, String ip, String path) {
        return mesh.exec(
                        from,
                        "curl",
                        "-sm",
                        "10",
                        "-o",
                        "/dev/null",
                        "-w",
                        "%{http_code}",
                        "http://" + ip + ":8080" + path)
                .out()
                .strip();
    }

    private String headers(String ip) {
        return mesh.exec("rates", "curl", "-sIm", "10", "http://" + ip + ":8080/")
                .out();
    }

    /// Policies for the waypoint, as YAML of their rules; none without any.
    private void policies(String... specs) {
        var texts = new ArrayList<String>();
        for (var spec : specs) {
            texts.add("""
                    apiVersion: security.istio.io/v1
                    kind: AuthorizationPolicy
                    metadata: {name: p%d, namespace: hair}
                    spec: {targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: comb}], %s}
                    """.formatted(texts.size(), spec));
        }
        mesh.write("hair-policies.yaml", String.join("---\n", texts));
    }

    private void awaitStatus(String ip, String path, String wanted) {
        Awaitility.await(path + " of " + ip)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(status(ip, path)).isEqualTo(wanted));
    }

    @Test
    void givenARuleForPaths_whenPodsAreCalledDirectly_thenItHoldsForTheOneThatAsks() {
        policies("action: DENY, rules: [{to: [{operation: {paths: [\"/admin*\"]}}]}]");

        awaitStatus(asking, "/admin", "403");
        assertThat(status(asking, "/")).isEqualTo("200");
        assertThat(status(direct, "/admin")).as("answered by the application").isEqualTo("404");
        assertThat(headers(asking)).containsIgnoringCase("server: istio-envoy");
        assertThat(headers(direct)).doesNotContainIgnoringCase("istio-envoy");
        assertLine(asking);
    }

    private void assertLine(String ip) {
        var node = mesh.pods("asking").getFirst().path("node").asText();
        var waypoint = mesh.pods("comb").getFirst().path("ip").asText();
        assertThat(mesh.log("ztunnel-" + node).lines())
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "dst.addr=" + waypoint + ":15008 dst.hbone_addr=" + ip + ":8080",
                                "direction=\"inbound\""));
    }

    @Test
    void givenRulesForIdentities_thenAClientInPlainTextIsNobody_notThePodItself() {
        for (var allowed :
                List.of("principals: [cluster.local/ns/hair/sa/server]", "principals: [\"*\"]", "namespaces: [hair]")) {
            policies("action: ALLOW, rules: [{from: [{source: {%s}}]}]".formatted(allowed));
            awaitStatus(asking, "/", "403");
            assertThat(code("direct", asking, "/"))
                    .as("a pod with that identity, " + allowed)
                    .isEqualTo("200");
        }
        policies("action: DENY, rules: [{from: [{source: {notPrincipals: [\"*\"]}}]}]");
        awaitStatus(asking, "/", "403");
        assertThat(code("direct", asking, "/")).isEqualTo("200");
    }

    @Test
    void givenRulesForAddresses_thenTheClientsOwnCounts() {
        var client = mesh.pods("rates").getFirst().path("ip").asText();
        policies("action: DENY, rules: [{from: [{source: {ipBlocks: [%s]}}]}]".formatted(client));
        awaitStatus(asking, "/", "403");
        policies("action: DENY, rules: [{from: [{source: {ipBlocks: [%s]}}]}]".formatted(asking));
        awaitStatus(asking, "/", "200");
        policies("action: ALLOW, rules: [{from: [{source: {ipBlocks: [%s]}}]}]".formatted(asking));
        awaitStatus(asking, "/", "403");
        policies("action: ALLOW, rules: [{from: [{source: {ipBlocks: [%s]}}]}]".formatted(client));
        awaitStatus(asking, "/", "200");
    }

    @Test
    void givenLayerFourPolicies_thenTheWaypointHasToBeAllowed_andStrictStaysStrict() {
        policies();
        mesh.write("hair-l4.yaml", allowing("comb"));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(status(direct, "/")).isEqualTo("000"));
        awaitStatus(asking, "/", "200");
        mesh.write("hair-l4.yaml", allowing("server"));
        awaitStatus(asking, "/", "000");
        mesh.write("hair-l4.yaml", """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: strict, namespace: hair}
                spec: {selector: {matchLabels: {app: asking}}, mtls: {mode: STRICT}}
                """);
        awaitStatus(direct, "/", "200");
        assertThat(status(asking, "/")).isEqualTo("000");
        mesh.write("hair-l4.yaml", "");
        awaitStatus(asking, "/", "200");
    }

    private static String allowing(String account) {
        return """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: l4, namespace: hair}
                spec:
                  action: ALLOW
                  rules: [{from: [{source: {principals: [cluster.local/ns/hair/sa/%s]}}]}]
                """.formatted(account);
    }

    @Test
    void givenAProbeOfTheNode_thenItReachesTheApplicationDirectly() {
        var pod = mesh.pods("asking").getFirst();
        assertThat(mesh.runIn(
                                pod.path("node").asText(),
                                "curl",
                                "-sm",
                                "5",
                                "-o",
                                "/dev/null",
                                "-w",
                                "%{http_code}",
                                "http://" + asking + ":8080/admin")
                        .out()
                        .strip())
                .as("the kubelet's probes are not captured")
                .isEqualTo("404");
        assertThat(pod.path("ready").asBoolean()).isTrue();
    }

    private String ip(String pod) {
        return mesh.pods(pod).getFirst().path("ip").asText();
    }

    private void awaitCode(String from, String host, String wanted) {
        Awaitility.await(host + " from " + from)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(code(from, host, "/")).isEqualTo(wanted));
    }

    private String refusals(String pod) {
        return mesh.log("ztunnel-" + mesh.pods(pod).getFirst().path("node").asText());
    }

    @Test
    void givenTheWaypointIsRequired_thenAllWaysLeadThroughItOrNowhere() {
        var pod = ip("gate-server");
        awaitCode("rates", pod, "200");
        assertThat(headers(pod)).as("plain text").containsIgnoringCase("server: istio-envoy");
        for (var host : List.of("front.gate.svc.cluster.local", pod)) {
            awaitCode("direct", host, "200");
            assertThat(mesh.exec("direct", "curl", "-sIm", "10", "http://" + host + ":8080/")
                            .out())
                    .as("of the mesh, to " + host)
                    .containsIgnoringCase("server: istio-envoy");
        }
        assertThat(code("direct", "around.gate.svc.cluster.local", "/"))
                .as("a tunnel that comes around the waypoint")
                .isEqualTo("000");
        assertThat(refusals("gate-server"))
                .contains("gate/fathom_require_waypoint_gate_gate: calls must come through waypoint gate/gate");
        Awaitility.await("an ingress gateway, without the label")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(mesh.exec(
                                        "rates",
                                        "curl",
                                        "-sm",
                                        "10",
                                        "-o",
                                        "/dev/null",
                                        "-w",
                                        "%{http_code}",
                                        "http://" + ip("door") + "/")
                                .out())
                        .isEqualTo("200"));
        assertThat(mesh.up("fathomctl", "get", "problems").out())
                .contains("refuses those to gate/around.gate.svc.cluster.local")
                .doesNotContain("pods behind Gateway gate/gate");

        mesh.write("gate.yaml", gated("gate", "all", "false") + DOOR);
        awaitCode("direct", "around.gate.svc.cluster.local", "200");
        mesh.write("gate.yaml", gated("gate", "all", "true") + DOOR);
        awaitCode("direct", "around.gate.svc.cluster.local", "000");
    }

    @Test
    void givenTheRequiredWaypointIsForServicesOnly_thenPodsCannotBeCalledThemselves() {
        var pod = ip("hedge-server");
        awaitCode("direct", "front.hedge.svc.cluster.local", "200");
        assertThat(code("rates", pod, "/")).as("plain text").isEqualTo("000");
        assertThat(code("direct", pod, "/")).as("of the mesh").isEqualTo("000");
        assertThat(refusals("hedge-server")).contains("calls must come through waypoint hedge/hedge");
        assertThat(mesh.up("fathomctl", "get", "problems").out())
                .contains("pods behind Gateway hedge/hedge take calls through it only; plain text to them is refused");
        assertThat(mesh.pods("hedge-server").getFirst().path("ready").asBoolean())
                .as("probes reach it")
                .isTrue();
    }

    /// The waypoint's Envoy stands still while the Service is made, so it certainly hears of it after the client.
    /// Pods take calls through the waypoint only: a name that leads to them is of no use.
    @Test
    void givenANewServiceBehindAWaypoint_thenItIsReachableAsSoonAsItsNameResolves() {
        awaitCode("direct", "front.hedge.svc.cluster.local", "200");
        var waypoint = mesh.pods("hedge-").stream()
                .filter(pod -> !pod.path("name").asText().startsWith("hedge-server"))
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 4; i++) {
            var name = "new-" + i;
            try (var client = mesh.begin("direct", "python3", "-c", EAGER_CLIENT, name + ".hedge.svc.cluster.local")) {
                assertThat(client.line()).isEqualTo("begun");
                mesh.signalChild(waypoint, "STOP");
                mesh.write(name + ".yaml", """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: %s, namespace: hedge}
                        spec: {selector: {app: hedge-server}, ports: [{name: http, port: 8080}]}
                        """.formatted(name));
                assertThat(client.line()).isEqualTo("sent");
                mesh.signalChild(waypoint, "CONT");
                assertThat(client.line()).isEqualTo("200 istio-envoy");
            }
        }
    }
}
