// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.seeds.Excerpt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/// The commands of the seeds that need a Kubernetes, as printed: by a shell that finds stock kubectl and istioctl.
/// Names in angle brackets are filled in. What they ask about is made first and taken away at the end.
record SeedCommands(KubeMesh mesh) {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String BY_GATEWAY = "gateway.networking.k8s.io/gateway-name=";

    private static final String STAGE = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: bookinfo, labels: {istio.io/dataplane-mode: ambient}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-eastwest}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: reviews, namespace: bookinfo, labels: {istio.io/use-waypoint: reviews-waypoint}}
            spec: {selector: {app: reviews}, ports: [{name: http, port: 9080, targetPort: 8080}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: reviews, namespace: bookinfo, labels: {app: reviews}}
            spec:
              terminationGracePeriodSeconds: 0
              containers: [{name: main, image: "fathom-samples:1", command: [python3, rates.py]}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: reviews-waypoint, namespace: bookinfo}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: istio-system, annotations: {networking.istio.io/service-type: ClusterIP}}
            spec:
              gatewayClassName: istio
              listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: reviews, namespace: bookinfo}
            spec:
              parentRefs: [{name: edge, namespace: istio-system}]
              hostnames: [api.channel.io]
              rules: [{backendRefs: [{name: reviews, port: 9080}]}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: payments, namespace: default}
            spec: {selector: {app: payments}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: echo, namespace: default}
            spec: {selector: {app: echo}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: echo-v1, namespace: default}
            spec: {selector: {app: echo, version: v1}, ports: [{name: http, port: 80}]}
            """;

    Stream<DynamicTest> tests() {
        return Stream.of(
                        Stream.of(DynamicTest.dynamicTest("what the seeds talk about is there", this::prepare)),
                        Excerpt.tests(ClusterIT.class, this::check),
                        Stream.of(DynamicTest.dynamicTest("and goes again", this::clear)))
                .flatMap(tests -> tests);
    }

    private void prepare() {
        mesh.apply(STAGE);
        for (var gateway : new String[] {"bookinfo/reviews-waypoint", "istio-system/edge"}) {
            var at = gateway.split("/", 2);
            Awaitility.await(gateway)
                    .atMost(PATIENCE)
                    .until(() -> mesh.list("-n", at[0], "pods", "-l", BY_GATEWAY + at[1]).stream()
                            .anyMatch(pod ->
                                    pod.at("/status/containerStatuses/0/ready").asBoolean()));
        }
    }

    private void clear() {
        var _ = mesh.kubectl("delete", "gateway", "edge", "-n", "istio-system", "--wait=false");
        var _ = mesh.kubectl("delete", "namespace", "bookinfo", "istio-eastwest", "--wait=false");
        var _ = mesh.kubectl("delete", "gateway/my-waypoint", "httproute/echo", "--ignore-not-found", "--wait=false");
        var _ = mesh.kubectl("delete", "service", "payments", "echo", "echo-v1");
        Awaitility.await("the gateway's pod is gone")
                .atMost(PATIENCE)
                .until(() -> mesh.list("-n", "istio-system", "pods", "-l", BY_GATEWAY + "edge")
                        .isEmpty());
    }

    private Executable check(Excerpt excerpt) {
        var text = excerpt.text();
        return switch (excerpt.at()) {
            case "000:249" ->
                () -> assertThat(shell(text)).contains("reviews.bookinfo").doesNotContain("WADS", "Workload");
            case "000:327" -> () -> eastWest(text);
            case "000:345" -> () -> mesh.apply(text);
            case "000:398" ->
                () -> assertThat(shell(text))
                        .containsPattern("istio-eastwest +istio-eastwest")
                        .containsPattern("istio-remote-peer-cluster-b +istio-remote");
            case "000:438" -> () -> assertThat(shell(text)).contains("15008", "inbound-vip|9080|http|reviews");
            case "000:439" -> () -> assertThat(shell(text)).containsPattern("reviews\\.bookinfo\\S+ +9080 +http");
            case "000:440" -> () -> assertThat(shell(text)).contains("inbound-vip|9080|http|reviews");
            case "000:441" -> () -> assertThat(shell(text)).containsPattern("HEALTHY.*reviews");
            case "000:442" -> () -> assertThat(shell(text)).contains("default", "ROOTCA", "ACTIVE");
            case "000:444" ->
                () -> assertThat(KubeMesh.json(shell(text)).toString()).contains("ListenersConfigDump");
            case "000:449" -> () -> forwarded(text);
            case "000:452" -> () -> dump(shell(text));
            case "000:461" ->
                () -> forwarded(Excerpt.at("000:449").text().lines().findFirst().orElseThrow() + "\n" + text);
            case "000:465" -> () -> streams(shell(text));
            case "000:467" -> () -> assertThat(shell(text)).contains("ztunnel-", "reviews-waypoint-", "WADS,WDS");
            case "000:468" -> this::oneProxy;
            case "001:193" -> () -> mesh.apply(text);
            case "001:206" -> () -> labelled(text);
            case "001:252" -> () -> running(shell(text), "ztunnel-");
            case "001:253" -> () -> running(shell(text), "istio-cni-node-");
            case "001:254" ->
                () -> assertThat(shell(text))
                        .containsPattern("bookinfo .* ambient")
                        .contains("DATAPLANE-MODE");
            case "001:260" -> () -> assertThat(onNode(text)).containsPattern("^\\d+ .*ztunnel");
            case "001:265" ->
                () -> assertThat(onNode(text.lines().findFirst().orElseThrow()))
                        .containsPattern("^srw\\S* +1 root +root .* /var/run/ztunnel/ztunnel\\.sock");
            case "001:282" -> () -> insideThePod(text);
            case "001:305" ->
                () -> assertThat(shell(text.replace("<node-name>", node()))).containsPattern("bookinfo +reviews ");
            case "003:62" ->
                () -> assertThat(gateway(text)).containsPattern("0\\.0\\.0\\.0 +80 +ALL +Route: http\\.80");
            case "003:63" -> () -> assertThat(gateway(text)).containsPattern("http\\.80 +api\\.channel\\.io:80");
            case "003:64" ->
                () -> assertThat(gateway(text)).containsPattern("reviews\\.bookinfo\\S+ +9080 +- +outbound +EDS");
            case "003:65" ->
                () -> assertThat(gateway(text)).contains("outbound|9080||reviews.bookinfo.svc.cluster.local");
            case "004:74" -> () -> route(text);
            default -> throw new AssertionError("nothing checks " + excerpt);
        };
    }

    /// The definition of the Gateway API wants options or a certificate beside `Terminate`, whoever serves the class.
    private void eastWest(String manifest) {
        var refused = mesh.kubectlCommand("apply", "-f", "-").reading(manifest).run();
        assertThat(refused.out()).contains("certificateRefs or options must be specified");
        mesh.apply(manifest.replace(
                "tls: { mode: Terminate }",
                "tls: { mode: Terminate, options: { gateway.istio.io/tls-terminate-mode: ISTIO_MUTUAL } }"));
        Awaitility.await("accepted")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(condition(
                                mesh.get("-n", "istio-eastwest", "gateway", "istio-eastwest")
                                        .at("/status/conditions"),
                                "Accepted"))
                        .isEqualTo("True"));
    }

    private void labelled(String command) {
        assertThat(shell(command)).contains("service/payments labeled");
        Awaitility.await("bound")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(condition(
                                mesh.get("service", "payments").at("/status/conditions"), "istio.io/WaypointBound"))
                        .isEqualTo("True"));
    }

    /// The API server puts in a group that was not written.
    private void route(String manifest) {
        mesh.apply(manifest);
        Awaitility.await("accepted")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                condition(mesh.get("httproute", "echo").at("/status/parents/0/conditions"), "Accepted"))
                        .isEqualTo("True"));
    }

    private static String condition(JsonNode conditions, String type) {
        for (var condition : conditions) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path("status").asText();
            }
        }
        return "none of " + conditions;
    }

    private static void dump(String text) {
        assertThat(KubeMesh.json(text).path("workloads")).isNotEmpty();
    }

    /// The first line forwards until the second has its answer. The port on this side may be taken.
    private void forwarded(String lines) {
        var port = Integer.toString(freePort());
        var parts = lines.replace("15000:15000", port + ":15000")
                .replace("localhost:15000", "localhost:" + port)
                .split("\n", 2);
        var shown = shell("""
                %s >/dev/null & p=$!; trap 'kill $p' EXIT
                curl -so /dev/null --retry 30 --retry-delay 1 --retry-connrefused localhost:%s/
                %s""".formatted(parts[0], port, parts[1]));
        assertThat(shown)
                .contains("\"uid\"", "\"addresses\"", "\"identity\"", "spiffe://cluster.local/ns/bookinfo/sa/default");
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void streams(String lines) {
        assertThat(lines.lines())
                .isNotEmpty()
                .anyMatch(line -> line.contains("ADS stream begins")
                        && line.contains("ztunnel")
                        && line.contains("mode=delta")
                        && line.matches(".*first=WA?DS.*"))
                .anyMatch(line -> line.contains("waypoint") && line.contains("first=CDS"));
    }

    /// Stock istioctl takes `-i` for the namespace of the mesh; the id of a proxy goes without it.
    private void oneProxy() {
        var pod = pod("bookinfo", "reviews-waypoint");
        Awaitility.await("in step")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(shell("istioctl ps " + pod + ".bookinfo"))
                        .contains("Clusters Match", "Listeners Match", "Routes Match"));
    }

    /// The name that `crictl` takes is an expression. What follows in the seed shows that it is the process of the pod.
    private void insideThePod(String text) {
        var host = mesh.get("-n", "bookinfo", "pod", "reviews")
                .at("/spec/nodeName")
                .asText();
        var listeners = Excerpt.at("001:288").text().lines().findFirst().orElseThrow();
        var shown = mesh.on(
                        mesh.list("nodes").stream()
                                        .map(node -> node.at("/metadata/name").asText())
                                        .toList()
                                        .indexOf(host)
                                + 1,
                        "sh",
                        "-ec",
                        ("PATH=" + StockProgram.CRICTL.require().getParent() + ":$PATH\n"
                                        + text.replace("<pod-name>", "'^reviews$'") + "\n" + listeners)
                                .replace("sudo ", ""))
                .run()
                .expect(text);
        assertThat(shown).contains("127.0.0.1:15053", "*:15008", "*:15001", "*:15006");
    }

    private static void running(String table, String prefix) {
        assertThat(table.lines().filter(line -> line.startsWith(prefix)))
                .hasSize(2)
                .allMatch(line -> line.contains("Running"));
    }

    private String gateway(String command) {
        return shell(command.replace("<gateway-pod>", pod("istio-system", "edge")));
    }

    private String pod(String namespace, String gateway) {
        return mesh.list("-n", namespace, "pods", "-l", BY_GATEWAY + gateway)
                .getFirst()
                .at("/metadata/name")
                .asText();
    }

    private String node() {
        return mesh.list("nodes").getFirst().at("/metadata/name").asText();
    }

    private String shell(String command) {
        var tools = StockProgram.ISTIOCTL.require().getParent();
        return mesh.command("bash", "-ec", "export PATH=" + tools + ":$PATH\n" + command)
                .withoutErrors()
                .run()
                .expect(command);
    }

    private String onNode(String command) {
        return mesh.on(1, "sh", "-c", command.replace("sudo ", "")).run().expect(command);
    }
}
