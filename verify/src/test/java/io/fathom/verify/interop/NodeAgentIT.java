// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningAgent;
import io.fathom.verify.lab.RunningProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Our node agents and node proxies as programs on two nodes: pods that nobody touched are captured, and stay so.
@Tag("slow")
class NodeAgentIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PODS = 100;
    private static final Logger log = LoggerFactory.getLogger(NodeAgentIT.class);

    private static MeshLab lab;
    private static LabPod client;
    private static LabPod server;
    private static RunningProxy near;
    private static RunningProxy far;
    private static WebServer web;

    @BeforeAll
    static void start() {
        lab = MeshLab.withAgents();
        client = lab.pod("client", "node-a");
        server = lab.pod("server", "node-b");
        near = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
        far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
        web = WebServer.in(lab, server);
        awaitCaptured("node-a", client);
        awaitCaptured("node-b", server);
    }

    @AfterAll
    static void stop() {
        for (var part : new AutoCloseable[] {web, near, far, lab}) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void awaitCaptured(String node, LabPod pod) {
        var agent = lab.agent(node);
        Awaitility.await(pod.name())
                .atMost(LONG)
                .untilAsserted(
                        () -> assertThat(agent.state(pod)).as(agent.log()).isEqualTo("captured"));
    }

    private static double metric(RunningAgent agent, String name) {
        return metric(agent, name, "");
    }

    private static double metric(RunningAgent agent, String name, String label) {
        return agent.metrics()
                .lines()
                .filter(line -> line.startsWith(name) && line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void givenPodsThatNobodyTouched_thenTheirTrafficIsEncrypted() {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> web.ask(client, "/hello").equals("hello from server"));
        assertThat(web.ask(client, "/who"))
                .as("the application sees its client")
                .isEqualTo(client.ip());
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(near.get(15020, "/metrics"))
                        .containsPattern("istio_tcp_connections_opened_total\\{reporter=\"source\".*mutual_tls"));
        assertThat(metric(lab.agent("node-a"), "ztunnel_connected")).isEqualTo(1);
    }

    @Test
    void whenTheAgentIsKilledUnderTraffic_thenNothingIsLostAndTheNextOneFindsEverything() {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> web.ask(client, "/hello").equals("hello from server"));
        try (var calls = new SteadyCalls(client, web.url("/"))) {
            lab.agent("node-a").kill();
            lab.agent("node-b").kill();
            var without = calls.made();
            Awaitility.await().atMost(LONG).until(() -> calls.made() > without + 10);
            awaitCaptured("node-a", client);
            awaitCaptured("node-b", server);
            var with = calls.made();
            Awaitility.await().atMost(LONG).until(() -> calls.made() > with + 10);
            assertThat(calls.failures()).isEmpty();
        }
        var agent = lab.agent("node-a");
        assertThat(metric(agent, "ztunnel_connected")).isEqualTo(1);
        assertThat(agent.probes()).isEqualTo(1);
        assertThat(metric(agent, "istio_cni_repair_pods_repaired_total", "type=\"rules\""))
                .isZero();
    }

    /// What the proxy had accepted when it was killed is lost. Whoever connects later waits for the next one.
    @Test
    void whenTheNodeProxyIsKilledUnderTraffic_thenNobodyIsRefusedAndNothingLeaks() {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> web.ask(client, "/hello").equals("hello from server"));
        client.namespace().run("iptables", "-A", "OUTPUT", "-d", server.ip(), "-p", "tcp", "--dport", "8080");
        try (var calls = new NewConnections(lab, client, web.url("/hello"))) {
            calls.awaitAnswers(20);
            near.kill();
            near = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
            calls.awaitAnswers(20);
            var outcome = calls.end();
            log.info("kill of the node proxy: {}", outcome);
            assertThat(outcome.refused()).isZero();
            assertThat(outcome.lost()).as("accepted before the kill").isLessThanOrEqualTo(5);
            assertThat(outcome.answered()).isGreaterThan(40);
        }
        assertThat(client.namespace().run("iptables", "-nvxL", "OUTPUT"))
                .as("packets that left without mutual TLS")
                .containsPattern("(?m)^ +0 +0 .*dpt:8080");
        client.namespace().run("iptables", "-D", "OUTPUT", "-d", server.ip(), "-p", "tcp", "--dport", "8080");
    }

    @Test
    void whenSomebodyFlushesThePodsRules_thenTheyComeBack() {
        var agent = lab.agent("node-a");
        client.namespace().run("iptables", "-t", "nat", "-F");
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(client.namespace().run("iptables-save", "-t", "nat"))
                        .contains("--to-ports 15001"));
        Awaitility.await()
                .atMost(LONG)
                .until(() -> metric(agent, "istio_cni_repair_pods_repaired_total", "type=\"rules\"") > 0);
        awaitCaptured("node-a", client);
    }

    @Test
    void whenAHundredPodsComeAndGo_thenNothingIsLeft() {
        var agent = lab.agent("node-a");
        for (var i = 0; i < 3; i++) {
            comeAndGo(agent, "warm-" + i); // what is made once and kept
        }
        awaitEnds(agent);
        var agentFiles = agent.descriptors();
        var proxyFiles = RunningAgent.descriptors(near.pid());
        var namespaces = namespaces();
        for (var i = 0; i < PODS; i++) {
            comeAndGo(agent, "p" + i);
        }
        awaitEnds(agent);
        var room = PODS / 5; // of connections that come and go besides
        Awaitility.await().atMost(LONG).until(() -> agent.descriptors() < agentFiles + room);
        Awaitility.await().atMost(LONG).until(() -> RunningAgent.descriptors(near.pid()) < proxyFiles + room);
        assertThat(namespaces()).isEqualTo(namespaces);
        assertThat(metric(agent, "istio_cni_plugin_requests_total", "response_code=\"200\""))
                .isGreaterThanOrEqualTo(PODS);
    }

    private static void comeAndGo(RunningAgent agent, String name) {
        var pod = lab.startingPod(name, "node-a", 200);
        try {
            assertThat(agent.add(pod)).as(agent.log()).isEqualTo("200");
            assertThat(pod.namespace().run("ss", "-ltn")).contains(":15001", ":15006", ":15008");
        } finally {
            lab.end(pod);
        }
    }

    private static void awaitEnds(RunningAgent agent) {
        Awaitility.await().atMost(LONG).until(() -> agent.capture().at("/pods").size() == 1);
        Awaitility.await().atMost(LONG).until(() -> agent.probes() == 1);
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(near.get(15020, "/metrics"))
                        .containsPattern("workload_manager_active_proxy_count 1"));
    }

    private static long namespaces() {
        return TestNamespace.execute(List.of("ip", "netns", "list"))
                .lines()
                .filter(line ->
                        line.startsWith("fathom-" + ProcessHandle.current().pid() + "-"))
                .count();
    }

    @Test
    void givenNoNodeProxy_whenAPodIsToStart_thenItIsRefusedUntilThereIsOne() {
        var agent = lab.agent("node-c");
        var pod = lab.startingPod("alone", "node-c", 201);
        try {
            assertThat(agent.add(pod)).isEqualTo("500");
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(agent.state(pod)).isEqualTo("unserved"));
            assertThatThrownBy(() -> web.ask(pod, "/"))
                    .as("it is closed meanwhile")
                    .hasMessageContaining("curl");
            try (var _ = lab.proxy("node-c", ProxyProgram.ours(), Map.of())) {
                awaitCaptured("node-c", pod);
                assertThat(agent.add(pod)).isEqualTo("200");
            }
        } finally {
            lab.end(pod);
        }
    }

    @Test
    @Tag("interop")
    void givenAStockNodeProxy_thenItServesWhatOurAgentCaptures() {
        var stock = ProxyProgram.stock();
        assumeTrue(stock.isPresent(), "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        var agent = lab.agent("node-d");
        try (var proxy = lab.proxy("node-d", stock.orElseThrow(), Map.of())) {
            var pod = lab.startingPod("stock", "node-d", 202);
            try {
                assertThat(agent.add(pod)).as(agent.log()).isEqualTo("200");
                assertThat(pod.namespace().run("ss", "-ltn")).contains(":15001", ":15006", ":15008");
                assertThat(proxy.get(15000, "/config_dump")).contains("\"name\": \"stock\"");
            } finally {
                lab.end(pod);
            }
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> agent.capture().at("/pods").isEmpty());
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(proxy.get(15020, "/metrics"))
                            .containsPattern("workload_manager_active_proxy_count 0"));
        }
    }
}
