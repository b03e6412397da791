// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.seeds.Excerpt;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `PEERING_AUTOMATIC_LOCAL_GATEWAY` on a real API server: the Gateway that stands for a cluster comes, follows, comes
/// back and goes with its east-west gateway, and is never taken for a peer.
@Tag("interop")
class SelfDescriptionIT {
    private static final String NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}\n";
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: istio-eastwest, namespace: istio-eastwest, labels: {topology.istio.io/network: net-a}}
            spec:
              gatewayClassName: istio-eastwest
              addresses: [{type: IPAddress, value: %s}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE, tls: {mode: Terminate, certificateRefs: [{name: x}]}}]
            """;
    private static final String NAME = "istio-remote-peer-cluster-a";

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(200));
    }

    @Test
    void givenAnEastWestGateway_thenItsClusterIsDescribed_andTheDescriptionFollowsIt() {
        try (var kube = KubeApiServer.start(InstantSource.system())) {
            var kubectl = new ManifestApplier(kube);
            kubectl.apply(documents(
                    NAMESPACE.formatted("istio-system"),
                    NAMESPACE.formatted("istio-eastwest"),
                    GATEWAY.formatted("10.4.5.6")));
            try (var fathomd = RunningFathomd.governing(kube.kubeconfig(), seedValues("cluster-a"))) {
                await().untilAsserted(() -> assertThat(get(kubectl))
                        .contains("gatewayClassName: istio-remote")
                        .contains("value: 10.4.5.6")
                        .contains("topology.istio.io/cluster: cluster-a", "topology.istio.io/network: net-a")
                        .contains("gateway.istio.io/service-account: istio-eastwest")
                        .contains("gateway.istio.io/trust-domain: cluster.local")
                        .contains("manager: fathomd", "operation: Apply"));
                assertThat(names(kubectl).lines())
                        .containsExactlyInAnyOrder(
                                "gateway.gateway.networking.k8s.io/istio-eastwest",
                                "gateway.gateway.networking.k8s.io/" + NAME);
                assertThat(fathomd.text("/debug/clusterz")).doesNotContain("Gateway");

                kubectl.run("", "delete", "gateway", "-n", "istio-eastwest", NAME);
                await().untilAsserted(() -> assertThat(names(kubectl)).contains(NAME));

                kubectl.apply(documents(GATEWAY.formatted("10.4.5.7")));
                await().untilAsserted(() -> assertThat(get(kubectl)).contains("value: 10.4.5.7"));

                kubectl.run("", "delete", "gateway", "-n", "istio-eastwest", "istio-eastwest");
                await().untilAsserted(() -> assertThat(names(kubectl)).doesNotContain(NAME));
            }
        }
    }

    /// The values of the seed, as the chart makes environment variables of them.
    private static Map<String, String> seedValues(String cluster) {
        var environment = new HashMap<>(Map.of("CLUSTER_ID", cluster));
        var text = Excerpt.at("000:381").text();
        Pattern.compile("^  ([A-Z_]+): \"(.*)\"$", Pattern.MULTILINE)
                .matcher(text)
                .results()
                .forEach(match -> environment.put(match.group(1), match.group(2)));
        assertThat(environment).hasSize(3);
        assertThat(text).contains("peering:\n    enabled: true");
        environment.put("ENABLE_PEERING_DISCOVERY", "true");
        return environment;
    }

    private static String names(ManifestApplier kubectl) {
        return kubectl.run("", "get", "gateways", "-n", "istio-eastwest", "-o", "name");
    }

    private static String get(ManifestApplier kubectl) {
        return names(kubectl).contains(NAME)
                ? kubectl.run(
                        "", "get", "gateway", "-n", "istio-eastwest", NAME, "-o", "yaml", "--show-managed-fields=true")
                : "";
    }

    private static List<ManifestDocument> documents(String... texts) {
        return Arrays.stream(texts)
                .map(text -> ManifestDocument.parse(text).orElseThrow())
                .toList();
    }
}
