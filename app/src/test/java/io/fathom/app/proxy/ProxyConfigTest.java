// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the planner of gateways writes into their pods is understood.
class ProxyConfigTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenThePodOfAWaypoint_thenItsNodeIsAsTheControlPlaneReadsIt() throws IOException {
        Files.writeString(folder.resolve("labels"), """
                gateway.istio.io/managed="istio.io-mesh-controller"
                gateway.networking.k8s.io/gateway-name="waypoint"
                strange="a \\"quoted\\" word\\nand \\u00e9"
                """);
        var config = ProxyConfig.parse(
                args("waypoint", "--serviceCluster", "waypoint.shop"),
                environment(Map.of("INSTANCE_IPS", "10.0.0.9,fd00::9")));
        assertThat(config.identity()).isEqualTo(new Identity("cluster.local", "shop", "waypoint"));
        assertThat(config.node().id()).isEqualTo("waypoint~10.0.0.9~waypoint-abc.shop~shop.svc.cluster.local");
        var node = Field.root(Json.parse("node", config.node().json()));
        assertThat(node.at("cluster").text()).isEqualTo("waypoint.shop");
        var metadata = node.at("metadata");
        assertThat(metadata.at("NAMESPACE").text()).isEqualTo("shop");
        assertThat(metadata.at("SERVICE_ACCOUNT").text()).isEqualTo("waypoint");
        assertThat(metadata.at("WORKLOAD_NAME").text()).isEqualTo("waypoint");
        assertThat(metadata.at("CLUSTER_ID").text()).isEqualTo("Kubernetes");
        assertThat(metadata.at("INSTANCE_IPS").text()).isEqualTo("10.0.0.9,fd00::9");
        assertThat(metadata.at("LABELS").textMap())
                .containsEntry("gateway.istio.io/managed", "istio.io-mesh-controller")
                .containsEntry("strange", "a \"quoted\" word\nand \u00e9")
                .containsEntry("added", "x");
        assertThat(metadata.at("PROXY_CONFIG").at("discoveryAddress").text()).isEqualTo("istiod.mesh.svc:15012");
        assertThat(config.control()).hasToString("istiod.mesh.svc:15012");
        assertThat(config.authority()).hasToString("istiod.mesh.svc:15012");
        assertThat(config.ports()).isEqualTo(new ProxyConfig.EnvoyPorts(15000, 15020, 15021, 15090));
        assertThat(config.envoy().concurrency()).contains("2");
        assertThat(config.drain()).isEqualTo(new ProxyConfig.Drain.After(Duration.ofSeconds(5)));
    }

    @Test
    void givenAnIngressGateway_thenItsClusterIsItsApp() throws IOException {
        Files.writeString(folder.resolve("labels"), "app=\"front\"\n");
        var config = ProxyConfig.parse(
                args("router", "--concurrency", "3"), environment(Map.of("EXIT_ON_ZERO_ACTIVE_CONNECTIONS", "true")));
        assertThat(config.node().id()).startsWith("router~");
        assertThat(Field.root(Json.parse("node", config.node().json()))
                        .at("cluster")
                        .text())
                .isEqualTo("front.shop");
        assertThat(config.envoy().concurrency()).contains("3");
        assertThat(config.drain()).isEqualTo(new ProxyConfig.Drain.WhenIdle(Duration.ofSeconds(5)));
    }

    @Test
    void thenEnvoyWritesAccessLogsWithinASecond() {
        assertThat(EnvoyProcess.command(ProxyConfig.parse(args("waypoint"), environment(Map.of()))))
                .containsSubsequence("--file-flush-interval-msec", "1000");
    }

    @Test
    void givenNonsense_thenAProblemThatNamesIt() {
        assertThatThrownBy(() -> ProxyConfig.parse(args("sidecar"), environment(Map.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("sidecar");
        assertThatThrownBy(() -> ProxyConfig.parse(args("waypoint", "--nothing"), environment(Map.of())))
                .hasMessageContaining("--nothing");
        assertThatThrownBy(() -> ProxyConfig.parse(args("waypoint"), environment(Map.of("PROXY_CONFIG", "{a: [}"))))
                .hasMessageContaining("PROXY_CONFIG");
        assertThatThrownBy(() -> ProxyConfig.parse(args("waypoint"), environment(Map.of("SECRET_TTL", "soon"))))
                .hasMessageContaining("SECRET_TTL");
    }

    @Test
    void givenNamesOfMetrics_thenOnlyOursAreRenamed() {
        assertThat(List.of(
                                "# TYPE envoy_istio_requests_total counter",
                                "envoy_istio_requests_total{a=\"envoy_istio_x\"} 1",
                                "envoy_istio_requests_total{destination_app=\"\",source_app=\"\",b=\"destination_x=\\\"\\\"\"} 1",
                                "envoy_server_state{} 0",
                                "# HELP envoy_istio_x")
                        .stream()
                        .map(EnvoyMetrics::renamed))
                .containsExactly(
                        "# TYPE istio_requests_total counter",
                        "istio_requests_total{a=\"envoy_istio_x\"} 1",
                        "istio_requests_total{destination_app=\"unknown\",source_app=\"\",b=\"destination_x=\\\"\\\"\"} 1",
                        "envoy_server_state{} 0",
                        "# HELP envoy_istio_x");
    }

    @Test
    void givenConnectionsBetweenListeners_thenDrainingDoesNotWaitForThem() {
        assertThat(EnvoyDrain.active(Map.of(
                        "listener.0.0.0.0_15008.downstream_cx_active", 2L,
                        "listener.0.0.0.0_15008.worker_0.downstream_cx_active", 2L,
                        "listener.envoy_internal_main_internal.downstream_cx_active", 5L,
                        "listener.admin.downstream_cx_active", 1L,
                        "http.connect_terminate.downstream_cx_active", 2L)))
                .isEqualTo(2);
    }

    private static String[] args(String... words) {
        var args = new String[words.length + 4];
        System.arraycopy(words, 0, args, 0, words.length);
        System.arraycopy(
                new String[] {"--domain", "shop.svc.cluster.local", "--proxyLogLevel", "warning"},
                0,
                args,
                words.length,
                4);
        return args;
    }

    private Map<String, String> environment(Map<String, String> more) {
        var environment = new HashMap<String, String>();
        environment.put("POD_NAME", "waypoint-abc");
        environment.put("POD_NAMESPACE", "shop");
        environment.put("SERVICE_ACCOUNT", "waypoint");
        environment.put("INSTANCE_IP", "10.0.0.9");
        environment.put("ISTIO_CPU_LIMIT", "2");
        environment.put("CA_ADDR", "istiod.mesh.svc:15012");
        environment.put("PROXY_CONFIG", "{\"discoveryAddress\":\"istiod.mesh.svc:15012\"}");
        environment.put("ISTIO_META_WORKLOAD_NAME", "waypoint");
        environment.put("ISTIO_META_CLUSTER_ID", "Kubernetes");
        environment.put("ISTIO_METAJSON_LABELS", "{\"added\":\"x\"}");
        environment.put("FATHOM_POD_INFO", folder.toString());
        environment.putAll(more);
        return environment;
    }
}
