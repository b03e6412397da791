// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes of a real API server lose the taint once their node agent is ready, and not before.
@Tag("slow")
@Timeout(180)
class UntaintIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String TAINT = "cni.istio.io/not-ready";

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    @AutoClose
    private static RunningFathomd fathomd;

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), KubeSettings.DEFAULT);
        for (var name : List.of("istio-system", "kube-system", "shop")) {
            apply("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}".formatted(name));
        }
        node("early");
        agent("kube-system", "early", "istio-cni-node", "True");
        fathomd = RunningFathomd.governing(
                cluster.kubeconfig(),
                Map.of("PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS", "true", "FATHOM_CNI_NAMESPACE", "kube-system"));
    }

    @Test
    void givenANodeFromBefore_thenItsTaintIsTakenOffAndOthersStay() {
        awaitUntainted("early");
        assertThat(client.get(KubeResource.CONFIG_MAPS, "istio-system", "istio-node-untaint"))
                .as("only the leader does it")
                .isPresent();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(fathomd.text("/metrics")).contains("Node/taints"));
    }

    @Test
    void givenNewNodes_thenOnlyThoseWithAnAgentThatIsReadyLoseTheTaint() {
        for (var name : List.of("bare", "starting", "other-pod", "other-namespace", "ready")) {
            node(name);
        }
        agent("kube-system", "starting", "istio-cni-node", "False");
        agent("kube-system", "other-pod", "something-else", "True");
        agent("shop", "other-namespace", "istio-cni-node", "True");
        agent("kube-system", "ready", "istio-cni-node", "True");
        awaitUntainted("ready");
        for (var name : List.of("bare", "starting", "other-pod", "other-namespace")) {
            assertThat(taints(name)).as(name).contains(TAINT, "example.org/other");
        }

        agent("kube-system", "starting", "istio-cni-node", "True");
        awaitUntainted("starting");
        assertThat(taints("bare")).contains(TAINT);
    }

    @Test
    void whenANodeIsTaintedAgain_thenTheTaintIsTakenOffAgain() {
        node("again");
        agent("kube-system", "again", "istio-cni-node", "True");
        awaitUntainted("again");
        node("again");
        awaitUntainted("again");
    }

    private static void awaitUntainted(String node) {
        await(node).atMost(LONG).until(() -> !taints(node).contains(TAINT));
        assertThat(taints(node)).contains("example.org/other");
    }

    private static List<String> taints(String node) {
        return client.get(KubeResource.NODES, "", node).orElseThrow().root().at("spec").at("taints").items().stream()
                .map(taint -> taint.at("key").text())
                .toList();
    }

    private static void node(String name) {
        apply("""
                apiVersion: v1
                kind: Node
                metadata: {name: %s}
                spec: {taints: [{key: %s, effect: NoSchedule}, {key: example.org/other, effect: NoSchedule}]}
                """.formatted(name, TAINT));
    }

    private static void agent(String namespace, String node, String app, String ready) {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: agent-%2$s, namespace: %1$s, labels: {k8s-app: %3$s}}
                spec: {nodeName: %2$s, hostNetwork: true, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: 10.0.0.1, conditions: [{type: Ready, status: "%4$s"}]}
                """.formatted(namespace, node, app, ready));
    }

    private static void apply(String yaml) {
        var content = ManifestDocument.parse(yaml).orElseThrow().content();
        cluster.client().apply(new ObjectMapper().valueToTree(content));
    }
}
