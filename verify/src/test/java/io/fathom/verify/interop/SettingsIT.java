// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Settings of our node proxy whose effect shows only in pods.
@Tag("slow")
@Timeout(120)
class SettingsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void givenACompliancePolicyOnBothNodes_thenTrafficFlows_andAStrangerToItIsRefused() {
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            var pqc = Map.of("COMPLIANCE_POLICY", "pqc", "AUTHZ_POLICY_INFO_LOGGING", "true");
            try (var destination = lab.proxy("node-b", ProxyProgram.ours(), pqc);
                    var web = WebServer.in(lab, server)) {
                try (var _ = lab.proxy("node-a", ProxyProgram.ours(), pqc)) {
                    assertThat(web.ask(client, "/who")).isEqualTo(client.ip());
                }
                assertThat(destination.log())
                        .contains("allowed: no allow policies exist", "spiffe://cluster.local/ns/lab/sa/client");
                try (var other = lab.proxy("node-a", ProxyProgram.ours(), Map.of("COMPLIANCE_POLICY", "fips-140-2"))) {
                    assertThatThrownBy(() -> web.ask(client, "/who")).hasMessageContaining("curl");
                    assertThat(other.get(15020, "/metrics")).contains("response_flags=\"TLS_FAILURE\"");
                }
            }
        }
    }

    @Test
    void givenDnsOnly_thenNamesAreAnsweredThereAndTrafficIsLeftAlone() {
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            lab.write("web", """
                    apiVersion: v1
                    kind: Service
                    metadata: {name: web, namespace: lab}
                    spec: {clusterIP: 10.96.77.1, selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
                    """);
            var settings = Map.of(
                    "ENABLE_PROXY",
                    "false",
                    "ISTIO_META_DNS_CAPTURE",
                    "true",
                    "ISTIO_META_DNS_PROXY_ADDR",
                    "127.0.0.1:5353");
            try (var proxy = lab.proxy("node-a", ProxyProgram.ours(), settings)) {
                var listening = client.namespace().run("ss", "-Hlntu");
                assertThat(listening.lines()).hasSize(2).allMatch(line -> line.matches(".*127\\.0\\.0\\.1]?:5353 .*"));
                Awaitility.await()
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(client.namespace()
                                        .run("dig", "+short", "+tries=1", "@127.0.0.1", "-p", "5353", "web.lab.svc"))
                                .isEqualToIgnoringWhitespace("10.96.77.1"));
                assertThat(proxy.get(15021, "/healthz/ready")).startsWith("ready");
            }
        }
    }

    @Test
    void case105_whenMetricsAreAskedForPacked_thenTheyAreTheSame() {
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-a");
            try (var proxy = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
                    var web = WebServer.in(lab, server)) {
                assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                var plain = proxy.get(15020, "/metrics");
                assertThat(proxy.getPacked(15020, "/metrics").lines().filter(SettingsIT::isTraffic))
                        .hasSizeGreaterThanOrEqualTo(4)
                        .containsExactlyElementsOf(
                                plain.lines().filter(SettingsIT::isTraffic).toList());
            }
        }
    }

    private static boolean isTraffic(String line) {
        return line.startsWith("istio_tcp_connections_opened") || line.startsWith("istio_tcp_received");
    }
}
