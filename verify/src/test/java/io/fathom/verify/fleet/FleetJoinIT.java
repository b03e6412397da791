// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.cli.Fathomctl;
import io.fathom.verify.deploy.ClusterRolesPlayer;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `fathomctl fleet init` and `fleet join` on a real API server: what the chart installs is ready at once, and the test
/// runs the agent that its Deployment would.
@Tag("slow")
@Tag("interop")
class FleetJoinIT {
    private static final Path CHARTS =
            Path.of("..", "deploy", "charts").toAbsolutePath().normalize();
    private static final String NAMESPACES = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: net-west}}
            """;
    private static final String CONTROL_PLANE = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: istiod, namespace: istio-system, labels: {app: istiod}}
            spec:
              selector: {matchLabels: {app: istiod}}
              template:
                metadata: {labels: {app: istiod}}
                spec: {containers: [{name: discovery, image: x, env: [{name: CLUSTER_ID, value: west}]}]}
            """;
    private static final String MESH = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data: {mesh: "trustDomain: west.example"}
            """;
    private static final List<String> GATEWAY = List.of("""
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-eastwest}
            """, """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: istio-eastwest, namespace: istio-eastwest, labels: {topology.istio.io/network: net-west}}
            spec:
              gatewayClassName: istio-east-west
              addresses: [{type: IPAddress, value: 10.77.0.1}]
              listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate, certificateRefs: [{name: x}]}}]
            """);

    private record Told(int code, String out, String err) {}

    private static Told run(KubeApiServer kube, String... words) {
        var environment = Map.of(
                "PATH", StockProgram.HELM.require().getParent() + ":/usr/bin:/bin",
                "HOME", kube.workspace().directory().toString(),
                "KUBECONFIG", kube.kubeconfig().toString(),
                "FATHOM_CHARTS", CHARTS.toString());
        var out = new StringWriter();
        var err = new StringWriter();
        var line = Stream.concat(Stream.of("fleet"), Stream.of(words)).toArray(String[]::new);
        var code = Fathomctl.run(line, environment, "test", new PrintWriter(out), new PrintWriter(err));
        return new Told(code, out.toString(), err.toString());
    }

    private static Optional<String> token(KubeClient client) {
        return client.get(KubeResource.SECRETS, "istio-system", "fathom-agent-token")
                .map(secret -> secret.root().at("data").at("token").text())
                .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
    }

    private static List<ManifestDocument> documents(Stream<String> texts) {
        return texts.map(text -> ManifestDocument.parse(text).orElseThrow()).toList();
    }

    @Test
    void givenAnApiServer_thenTheServerAndAnAgentAreInstalled_andTheClusterIsAMember() {
        StockProgram.HELM.require();
        try (var kube = KubeApiServer.start(InstantSource.system());
                var client = new KubeClient(KubeConfig.fromFile(kube.kubeconfig()), KubeSettings.DEFAULT);
                var _ = new ClusterRolesPlayer(client);
                var fleet = new FleetProcesses()) {
            var kubectl = new ManifestApplier(kube);
            kubectl.run("", "patch", "node", "node-1", "--subresource=status", "--type=merge", "-p", """
                    {"status": {"addresses": [{"type": "InternalIP", "address": "10.77.0.5"}]}}""");

            var init = run(kube, "init", "--set", "service.type=NodePort", "--set", "service.nodePort=30990");
            assertThat(init.err()).isEmpty();
            assertThat(init.out()).contains("Management server runs", "Agents reach it at 10.77.0.5:30990");
            assertThat(kubectl.run("", "get", "deployments", "-n", "fathom-fleet", "-o", "name"))
                    .contains("fathom-fleet");

            // what an agent needs is asked for, by name
            fleet.startServer();
            var join = new String[] {
                "join", "west", "--fleet", fleet.address(), "--server", "127.0.0.1:" + fleet.port(), "-o", "json"
            };
            assertThat(run(kube, "join", "west", "--fleet", fleet.address()).err())
                    .contains("--server HOST:9900");
            assertThat(run(kube, join).err()).contains("no namespace istio-system", "fathomctl install");
            kubectl.apply(documents(Stream.of(NAMESPACES, CONTROL_PLANE, MESH)));
            assertThat(run(
                                    kube,
                                    Arrays.stream(join)
                                            .map(word -> word.equals("west") ? "east" : word)
                                            .toArray(String[]::new))
                            .err())
                    .contains("calls its cluster west, not east");
            kubectl.apply(documents(GATEWAY.stream()));

            var joining = CompletableFuture.supplyAsync(() -> run(kube, join));
            var await = Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(200));
            await.until(() -> token(client).isPresent() || joining.isDone());
            assertThat(joining.isDone())
                    .as("%s", joining.getNow(new Told(0, "", "")))
                    .isFalse();
            var environment = kubectl.run("", "get", "deployment", "fathom-agent", "-n", "istio-system", "-o", "yaml");
            assertThat(environment).contains("value: net-west", "value: west.example", "127.0.0.1:" + fleet.port());
            var _ = fleet.startAgentOn(
                    kube.kubeconfig(), "west", "--token=" + token(client).orElseThrow(), "--trust-domain=west.example");

            var told = joining.join();
            assertThat(told.err()).as(fleet.log("west")).isEmpty();
            assertThat(told.out()).contains("\"connected\" : true", "istio-remote-peer-west");
            assertThat(run(kube, Arrays.copyOf(join, 6)).out())
                    .contains("it needs no token", "Gateways of the fleet: istio-remote-peer-west");
        }
    }
}
