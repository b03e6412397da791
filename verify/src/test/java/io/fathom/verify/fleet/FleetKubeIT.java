// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// An agent on a real API server, in a fleet with one on a folder.
@Tag("slow")
@Tag("interop")
class FleetKubeIT {
    private static final String NAMESPACE = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-eastwest}
            """;
    private static final String OWN = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: istio-eastwest, namespace: istio-eastwest, labels: {topology.istio.io/network: net-west}}
            spec:
              gatewayClassName: istio-east-west
              addresses: [{type: IPAddress, value: 10.77.0.1}]
              listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate, certificateRefs: [{name: x}]}}]
            """;

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(200));
    }

    @Test
    void givenAnApiServer_thenGatewaysAreAppliedThere_comeBack_andGoWhenAClusterLeaves() {
        try (var kube = KubeApiServer.start(InstantSource.system());
                var fleet = new FleetProcesses()) {
            var kubectl = new ManifestApplier(kube);
            kubectl.apply(documents(NAMESPACE, OWN));
            fleet.startServer();
            fleet.write("east", "10.77.1.1", "");
            var _ = fleet.startAgent("east", "--token=" + fleet.token("east"));
            var _ = fleet.startAgentOn(kube.kubeconfig(), "west", "--token=" + fleet.token("west"));

            await().untilAsserted(() -> assertThat(names(kubectl))
                    .as("%s", fleet.log("west"))
                    .contains("istio-remote-peer-east", "istio-remote-peer-west"));
            await().untilAsserted(() -> assertThat(fleet.gateways("east")).contains("istio-remote-peer-west"));
            assertThat(get(kubectl, "istio-remote-peer-east"))
                    .contains("manager: fathom-fleet")
                    .contains("operation: Apply")
                    .contains("value: 10.77.1.1");

            kubectl.run("", "delete", "gateway", "-n", "istio-eastwest", "istio-remote-peer-east");
            await().untilAsserted(() -> assertThat(names(kubectl)).contains("istio-remote-peer-east"));

            fleet.write("east", "10.77.1.2", "");
            await().untilAsserted(() ->
                    assertThat(get(kubectl, "istio-remote-peer-east")).contains("10.77.1.2"));

            var _ = fleet.fathomctl("leave", "east");
            await().untilAsserted(() -> assertThat(names(kubectl))
                    .doesNotContain("istio-remote-peer-east")
                    .contains("istio-remote-peer-west"));
        }
    }

    @Test
    void givenAGatewayBehindNodePorts_thenItIsReachedThroughNodes_andALoadBalancerTakesOver() {
        try (var kube = KubeApiServer.start(InstantSource.system());
                var fleet = new FleetProcesses()) {
            var kubectl = new ManifestApplier(kube);
            kubectl.apply(documents(
                    NAMESPACE, OWN.replace("addresses: [{type: IPAddress, value: 10.77.0.1}]", ""), """
                    apiVersion: v1
                    kind: Service
                    metadata:
                      name: istio-eastwest
                      namespace: istio-eastwest
                      labels: {gateway.networking.k8s.io/gateway-name: istio-eastwest}
                    spec: {type: NodePort, ports: [{name: mesh, port: 15008, nodePort: 31008}]}
                    """, """
                    apiVersion: v1
                    kind: Node
                    metadata: {name: node-1}
                    """));
            kubectl.run("", "patch", "node", "node-1", "--subresource=status", "--type=merge", "-p", """
                    {"status": {"conditions": [{"type": "Ready", "status": "True"}],
                                "addresses": [{"type": "InternalIP", "address": "10.77.0.5"}]}}""");
            fleet.startServer();
            fleet.write("east", "10.77.1.1", "");
            var _ = fleet.startAgent("east", "--token=" + fleet.token("east"));
            var _ = fleet.startAgentOn(kube.kubeconfig(), "west", "--token=" + fleet.token("west"));

            await().untilAsserted(() -> assertThat(fleet.gateways("east"))
                    .as("%s", fleet.log("west"))
                    .contains("istio-remote-peer-west"));
            assertThat(fleet.gateway("east", "west"))
                    .content()
                    .contains("10.77.0.5")
                    .contains("31008");

            kubectl.run(
                    "",
                    "patch",
                    "gateway",
                    "-n",
                    "istio-eastwest",
                    "istio-eastwest",
                    "--subresource=status",
                    "--type=merge",
                    "-p",
                    "{\"status\": {\"addresses\": [{\"type\": \"IPAddress\", \"value\": \"10.77.0.9\"}]}}");
            await().untilAsserted(() -> assertThat(fleet.gateway("east", "west"))
                    .content()
                    .contains("10.77.0.9")
                    .contains("15008")
                    .doesNotContain("31008"));
        }
    }

    private static String names(ManifestApplier kubectl) {
        return kubectl.run("", "get", "gateways", "-n", "istio-eastwest", "-o", "name");
    }

    private static String get(ManifestApplier kubectl, String name) {
        return kubectl.run(
                "", "get", "gateway", "-n", "istio-eastwest", name, "-o", "yaml", "--show-managed-fields=true");
    }

    private static List<ManifestDocument> documents(String... texts) {
        return Arrays.stream(texts)
                .map(text -> ManifestDocument.parse(text).orElseThrow())
                .toList();
    }
}
