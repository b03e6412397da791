// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Our node proxies on two nodes under upstream's istiod on a real API server: state and certificates come from there,
/// traffic is encrypted, and policies applied to the API server hold.
@Tag("slow")
@Tag("interop")
@Timeout(240)
class StockControlPlaneIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static MeshLab lab;
    private static LabPod client;
    private static LabPod stranger;
    private static RunningProxy near;
    private static RunningProxy far;
    private static WebServer web;

    @BeforeAll
    static void start() {
        lab = MeshLab.underIstiod();
        client = lab.pod("client", "node-a");
        var server = lab.pod("server", "node-b");
        stranger = lab.bystander("stranger");
        lab.write("web", """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: lab}
                spec: {clusterIP: 10.96.77.1, selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
                """);
        near = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
        far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
        web = WebServer.in(lab, server);
    }

    @AfterAll
    static void stop() throws Exception {
        for (var part : new AutoCloseable[] {web, near, far, lab}) {
            if (part != null) {
                part.close();
            }
        }
    }

    @Test
    void whenPodAndServiceAreCalled_thenTrafficIsEncryptedWithItsCertificates() {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(near.get(15000, "/config_dump")).contains("web.lab.svc.cluster.local"));
        assertThat(web.ask(client, "/hello")).isEqualTo("hello from server");
        assertThat(web.ask(client, "/who"))
                .as("the application sees its client")
                .isEqualTo(client.ip());
        assertThat(WebServer.ask(client, "10.96.77.1:80", "/")).isEqualTo("hello from server");
        var identity = "spiffe://cluster.local/ns/lab/sa/client";
        assertThat(near.get(15000, "/config_dump")).contains(identity, "\"state\":\"Available\"");
        assertThat(far.get(15020, "/metrics"))
                .containsPattern("istio_tcp_connections_opened_total\\{reporter=\"destination\".*source_principal=\""
                        + identity + "\".*mutual_tls");
    }

    @Test
    void whenADenialIsApplied_thenOpenAndNewConnectionsEnd_andItsRemovalRestoresThem() throws Exception {
        var open = web.listen(client);
        try {
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
            assertThat(open.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the open connection ends")
                    .isTrue();
            assertThat(open.exitValue()).isNotZero();
            assertThatThrownBy(() -> web.ask(client, "/")).hasMessageContaining("curl");
            assertThat(far.log()).contains("lab/nobody");
        } finally {
            open.destroyForcibly();
            lab.remove("deny");
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> web.ask(client, "/").equals("hello from server"));
    }

    @Test
    void whenStrictIsApplied_thenOnlyClientsOfTheMeshAreServed() {
        assertThat(web.ask(stranger, "/who")).as("with its own address").isEqualTo(stranger.ip());
        lab.write("strict", """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: strict, namespace: lab}
                spec: {mtls: {mode: STRICT}}
                """);
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> web.ask(stranger, "/")).hasMessageContaining("curl"));
            assertThat(web.ask(client, "/")).isEqualTo("hello from server");
        } finally {
            lab.remove("strict");
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> web.ask(stranger, "/").equals("hello from server"));
    }
}
