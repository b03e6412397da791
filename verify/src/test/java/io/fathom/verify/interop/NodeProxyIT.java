// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Our node proxies on two nodes under our control plane: what operators rely on, with real namespaces, rules, servers
/// and clients.
@Tag("slow")
class NodeProxyIT {
    private static MeshLab lab;
    private static LabPod client;
    private static LabPod stranger;
    private static RunningProxy near;
    private static RunningProxy far;
    private static WebServer web;

    @BeforeAll
    static void start() {
        lab = new MeshLab();
        client = lab.pod("client", "node-a");
        var server = lab.pod("server", "node-b");
        stranger = lab.bystander("stranger");
        near = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
        far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
        web = WebServer.in(lab, server);
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

    @Test
    void givenAService_whenItsAddressIsCalled_thenAnEndpointAnswers() {
        lab.write("web", """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: lab}
                spec: {clusterIP: 10.96.77.1, selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
                """);
        Awaitility.await()
                .untilAsserted(() -> assertThat(near.get(15000, "/config_dump"))
                        .contains("web.lab.svc.cluster.local", "10.96.77.1"));
        assertThat(WebServer.ask(client, "10.96.77.1:80", "/")).isEqualTo("hello from server");
    }

    /// Seed 000, day 2: metrics on the admin port, a dump of what is out of order, addresses and identities by name.
    @Test
    void whenTheAdminPortIsAskedAsInTheSeed_thenItAnswers() {
        assertThat(near.get(15000, "/metrics")).contains("istio_build");
        assertThat(near.get(15000, "/stats/prometheus")).contains("istio_build");
        assertThat(near.get(15000, "/config_dump"))
                .contains("\"addresses\"", "\"identity\"", "spiffe://cluster.local/ns/lab/sa/");
        assertThat(near.get(15000, "/config_dump?level=warn"))
                .contains("\"certificates\"", "\"workloadState\"", "\"xdsVersions\"")
                .doesNotContain("\"Up\"", "\"Available\"", "\"workloads\"");
    }

    @Test
    void givenANodeProxyThatIsAWorkloadItself_whenItsMetricsAreScraped_thenTheyComeOverHbone() {
        var address = lab.enrolProxy("node-b") + ":15020";
        Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
            assertThat(WebServer.ask(client, address, "/metrics")).contains("istio_build");
            assertThat(far.log())
                    .as("with the identity of who asks, which only a tunnel gives")
                    .containsPattern(
                            "src.identity=\"spiffe://cluster.local/ns/lab/sa/client\".*dst.hbone_addr=" + address);
        });
    }

    @Test
    void givenAPolicyThatDenies_thenNewConnectionsAreRefusedAndOpenOnesCut() throws Exception {
        var open = web.listen(client);
        assertThat(open.getInputStream().read()).as("it flows").isEqualTo('.');
        lab.write("deny", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: nobody, namespace: lab}
                spec:
                  selector: {matchLabels: {app: server}}
                  action: DENY
                  rules: [{from: [{source: {principals: [cluster.local/ns/lab/sa/client]}}]}]
                """);
        try {
            assertThat(open.waitFor(10, TimeUnit.SECONDS))
                    .as("the open connection ends")
                    .isTrue();
            assertThat(open.exitValue()).isNotZero();
            assertThatThrownBy(() -> web.ask(client, "/")).hasMessageContaining("curl");
            assertThat(far.log()).contains("lab/nobody");
        } finally {
            open.destroyForcibly();
            lab.remove("deny");
        }
        Awaitility.await().ignoreExceptions().until(() -> web.ask(client, "/").equals("hello from server"));
    }

    @Test
    void givenAClientOutsideTheMesh_thenOnlyStrictPodsRefuseIt() {
        assertThat(web.ask(stranger, "/who")).as("with its own address").isEqualTo(stranger.ip());
        lab.write("strict", """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: strict, namespace: lab}
                spec: {mtls: {mode: STRICT}}
                """);
        try {
            Awaitility.await()
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> web.ask(stranger, "/")).hasMessageContaining("curl"));
            assertThat(web.ask(client, "/")).isEqualTo("hello from server");
        } finally {
            lab.remove("strict");
        }
        Awaitility.await().ignoreExceptions().until(() -> web.ask(stranger, "/").equals("hello from server"));
    }

    @Test
    void whenAProxyIsReplaced_thenNoConnectionIsRefusedAndOpenOnesGoOn() throws Exception {
        var patient = Map.of("CONNECTION_TERMINATION_DEADLINE", "10s");
        try (var calls = new SteadyCalls(client, web.url("/"))) {
            var first = lab.successor("node-a", ProxyProgram.ours(), patient);
            near.close();
            near = first;
            var open = web.listen(client); // through the first one, as nobody else is there
            assertThat(open.getInputStream().read()).isEqualTo('.');
            var second = lab.successor("node-a", ProxyProgram.ours(), patient);
            var closing = Thread.ofPlatform().start(first::close);
            var seen = calls.made();
            Awaitility.await().until(() -> calls.made() > seen + 20);
            assertThat(open.isAlive())
                    .as("an open connection outlives the listeners")
                    .isTrue();
            assertThat(open.getInputStream().read()).isEqualTo('.');
            open.destroyForcibly();
            closing.join();
            assertThat(first.exitCode()).as("exit code after SIGTERM").isZero();
            near = second;
            assertThat(calls.failures()).isEmpty();
        }
    }

    @Test
    void whenAskedToQuit_thenItEndsInTime() throws IOException, InterruptedException {
        var other = lab.successor("node-b", ProxyProgram.ours(), Map.of());
        other.post(15000, "/quitquitquit");
        assertThat(other.awaitEnd(Duration.ofSeconds(10))).isTrue();
        assertThat(web.ask(client, "/")).isEqualTo("hello from server");
    }
}
