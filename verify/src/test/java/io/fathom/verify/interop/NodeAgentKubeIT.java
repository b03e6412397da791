// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeKind;
import io.fathom.wire.zds.ZdsClient;
import io.fathom.wire.zds.ZdsRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Our node agent under a real API server: it hears of pods and namespaces there, and annotates pods there.
@Tag("slow")
@Tag("interop")
class NodeAgentKubeIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANNOTATION = "ambient.istio.io/redirection";

    private static ObjectNode object(String json) throws IOException {
        return (ObjectNode) JSON.readTree(json);
    }

    private static ObjectNode namespace(String labels) throws IOException {
        return object("""
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{%s}}}""".formatted(labels));
    }

    private static ObjectNode pod(String status) throws IOException {
        return object("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},
                 "spec":{"nodeName":"n1","containers":[{"name":"main","image":"none"}]}%s}""".formatted(status));
    }

    private static String noted(KubeApiServer kube) {
        return kube.client().list(KubeKind.POD).stream()
                .map(found -> found.path("metadata").path("annotations").path(ANNOTATION))
                .filter(JsonNode::isTextual)
                .map(JsonNode::asText)
                .findFirst()
                .orElse("");
    }

    private static void awaitNoted(KubeApiServer kube, String want) {
        Awaitility.await(want)
                .atMost(LONG)
                .untilAsserted(() -> assertThat(noted(kube))
                        .as(kube.workspace().tail("agent"))
                        .isEqualTo(want));
    }

    @Test
    void givenAnApiServer_whenPodsAndLabelsChange_thenTheAgentFollowsAndAnnotates() throws Exception {
        try (var kube = KubeApiServer.start(InstantSource.system());
                var node = TestNamespace.create();
                var inside = TestNamespace.create()) {
            var folder = kube.workspace().directory();
            var namespaces = Files.createDirectories(folder.resolve("namespaces"));
            // The host's rules go where the agent finds process 1: into a namespace instead of this machine's.
            var host = Files.createDirectories(folder.resolve("host/proc/1/ns"));
            Files.createSymbolicLink(host.resolve("net"), node.path());
            kube.client().apply(namespace("\"istio.io/dataplane-mode\":\"ambient\""));
            var uid = kube.client().apply(pod("")).at("/metadata/uid").asText();
            Files.createSymbolicLink(namespaces.resolve(uid), inside.path());
            var socket = folder.resolve("ztunnel.sock");
            var agent = start(kube, folder, namespaces, socket);
            Awaitility.await("the agent").atMost(LONG).until(() -> Files.exists(socket));
            kube.client()
                    .apply(pod(",\"status\":{\"phase\":\"Running\",\"podIP\":\"198.18.99.2\","
                            + "\"podIPs\":[{\"ip\":\"198.18.99.2\"}]}"));
            awaitNoted(kube, "pending");
            assertThat(inside.run("iptables-save", "-t", "nat")).contains("--to-ports 15001");
            var heard = new ConcurrentLinkedQueue<String>();
            try (var proxy = ZdsClient.connect(socket)) {
                Thread.ofPlatform().daemon().start(() -> acceptAll(proxy, heard));
                awaitNoted(kube, "enabled");
                assertThat(heard).contains("add " + uid);
                kube.client().apply(namespace(""));
                awaitNoted(kube, "");
                assertThat(inside.run("iptables-save", "-t", "nat")).doesNotContain("15001");
                Awaitility.await().atMost(LONG).until(() -> heard.contains("delete " + uid));
            }
            agent.destroy();
            assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(agent.exitValue()).as("exit code after SIGTERM").isZero();
        }
    }

    private static void acceptAll(ZdsClient proxy, Queue<String> heard) {
        try {
            for (var next = proxy.next(); next.isPresent(); next = proxy.next()) {
                switch (next.get()) {
                    case ZdsRequest.Add add -> {
                        add.namespace().close();
                        heard.add("add " + add.pod().uid());
                    }
                    case ZdsRequest.Delete delete -> heard.add("delete " + delete.uid());
                    case ZdsRequest.Keep keep -> heard.add("keep " + keep.uid());
                    case ZdsRequest.SnapshotSent _ -> heard.add("snapshot");
                }
                proxy.accept();
            }
        } catch (ProblemException e) {
            heard.add("end: " + e.getMessage());
        }
    }

    private static Process start(KubeApiServer kube, Path folder, Path namespaces, Path socket) {
        var command = List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.fathom.app.cni.CniMain");
        var settings = Map.ofEntries(
                Map.entry("KUBECONFIG", kube.kubeconfig().toString()),
                Map.entry("NODE_NAME", "n1"),
                Map.entry("FATHOM_NETNS_DIR", namespaces.toString()),
                Map.entry("FATHOM_HOST_ROOT", folder.resolve("host").toString()),
                Map.entry("CNI_AGENT_RUN_DIR", folder.resolve("run").toString()),
                Map.entry("ZTUNNEL_UDS_ADDRESS", socket.toString()),
                Map.entry("MONITORING_PORT", "0"),
                Map.entry("FATHOM_HEALTH_PORT", "0"),
                Map.entry("FATHOM_LISTEN_ADDRESS", "127.0.0.1"));
        return kube.workspace().start("agent", command, settings);
    }
}
