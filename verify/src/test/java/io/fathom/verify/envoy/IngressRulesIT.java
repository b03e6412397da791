// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What users write about gateways besides routes: logs, metrics and spans, extensions, patches and policies.
@Tag("slow")
@Tag("interop")
class IngressRulesIT {
    private static final Queue<String> SPANS = new ConcurrentLinkedQueue<>();

    private static IngressLab lab;
    private static LabEnvoy envoy;
    private static OutsideClient client;

    @BeforeAll
    static void start() throws Exception {
        lab = new IngressLab();
        lab.gateway("name: http, port: 80, protocol: HTTP", "name: tcp, port: 9000, protocol: TCP");
        lab.service("shop", "meshed", 1, "{}", "{name: http, port: 80, targetPort: 8080}");
        lab.meshed("meshed-1", "server", "{app: meshed}");
        lab.write("routes", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: meshed, namespace: shop}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: http}]
                  rules: [{backendRefs: [{name: meshed, port: 80}]}]
                ---
                apiVersion: gateway.networking.k8s.io/v1alpha2
                kind: TCPRoute
                metadata: {name: raw, namespace: shop}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: tcp}]
                  rules: [{backendRefs: [{name: meshed, port: 80}]}]
                """);
        collector();
        lab.meshConfig("""
                pathNormalization: {normalization: DECODE_AND_MERGE_SLASHES}
                extensionProviders:
                - {name: collector, zipkin: {service: collector.outside.svc.cluster.local, port: 9411}}
                """);
        lab.write("telemetry", """
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: everybody, namespace: istio-system}
                spec: {accessLogging: [{providers: [{name: envoy}]}]}
                ---
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: gw, namespace: edge}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: gw}]
                  tracing: [{providers: [{name: collector}], randomSamplingPercentage: 100}]
                """);
        lab.write("extension", """
                apiVersion: extensions.istio.io/v1alpha1
                kind: TrafficExtension
                metadata: {name: stamp, namespace: edge}
                spec:
                  selector: {matchLabels: {istio: edge}}
                  lua:
                    inlineCode: |
                      function envoy_on_response(handle)
                        handle:headers():add("x-stamped", "here")
                      end
                """);
        lab.write("patches", """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: everybody, namespace: istio-system}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: GatewayClass, name: istio}]
                  configPatches:
                  - applyTo: VIRTUAL_HOST
                    match: {context: GATEWAY, routeConfiguration: {name: http.80}}
                    patch:
                      operation: MERGE
                      value: {response_headers_to_add: [{header: {key: x-host, value: patched}}]}
                  - applyTo: CLUSTER
                    match: {cluster: {service: meshed.shop.svc.cluster.local}}
                    patch: {operation: MERGE, value: {connect_timeout: 77s}}
                ---
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: gw, namespace: edge}
                spec:
                  workloadSelector: {labels: {istio: edge}}
                  configPatches:
                  - applyTo: HTTP_FILTER
                    match:
                      context: GATEWAY
                      listener:
                        portNumber: 80
                        filterChain:
                          filter:
                            name: envoy.filters.network.http_connection_manager
                            subFilter: {name: envoy.filters.http.router}
                    patch:
                      operation: INSERT_BEFORE
                      value:
                        name: patch
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
                          mutations:
                            response_mutations: [{append: {header: {key: x-filter, value: patched}}}]
                """);
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: no-admin, namespace: edge}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: gw}]
                  action: DENY
                  rules:
                  - to: [{operation: {hosts: [admin.example], ports: ["80"]}}]
                  - to: [{operation: {paths: [/secret/room], ports: ["80"]}}]
                """);
        envoy = lab.start().ready();
        client = lab.client();
        soon().untilAsserted(() -> assertThat(client.get(80, "shop.example")).contains("x-pod: meshed-1"));
    }

    /// Takes spans.
    private static void collector() throws Exception {
        var ip = lab.address();
        var server = HttpServer.create(new InetSocketAddress(ip, 9411), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                SPANS.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(202, -1);
            }
        });
        server.start();
        lab.keep(() -> server.stop(0));
        lab.service("outside", "collector", 2, "{}", "{name: http, port: 9411}");
        lab.writePod("outside", "collector-1", ip, "server", "{app: collector}", "{}", "True");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    @Test
    void givenTelemetryForTheMesh_thenRequestsAndConnectionsAreLogged() {
        soon().untilAsserted(() -> assertThat(client.say(9000, "hello")).contains("meshed-1:hello"));
        soon().untilAsserted(() -> assertThat(envoy.log())
                .containsPattern("\"GET / HTTP/1.1\" 200 .*outbound\\|80\\|\\|meshed.shop.svc.cluster.local")
                .containsPattern("\"- - -\" 0 .*outbound\\|80\\|\\|meshed.shop.svc.cluster.local"));
    }

    @Test
    void givenRequests_thenMetricsSpeakOfTheGatewayAndOfThePod() {
        soon().untilAsserted(() -> assertThat(client.say(9000, "hello")).contains("meshed-1:hello"));
        soon().untilAsserted(() -> assertThat(envoy.admin("/stats/prometheus").lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("envoy_istio_requests_total")
                        .contains(
                                "reporter=\"source\"",
                                "source_workload=\"gw\"",
                                "source_workload_namespace=\"edge\"",
                                "destination_workload=\"meshed-1\"",
                                "destination_service=\"meshed.shop.svc.cluster.local\"",
                                "destination_service_name=\"meshed\"",
                                "destination_service_namespace=\"shop\"",
                                "destination_principal=\"spiffe://cluster.local/ns/shop/sa/server\"",
                                "request_protocol=\"http\"",
                                "response_code=\"200\""))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("envoy_istio_tcp_connections_opened_total")
                        .contains("reporter=\"source\"", "destination_service_name=\"meshed\"")));
    }

    @Test
    void givenTracingForTheGateway_thenSpansAreSent() {
        assertThat(client.get(80, "shop.example")).contains("x-b3-traceid");
        soon().untilAsserted(() -> assertThat(SPANS)
                .anySatisfy(span -> assertThat(span)
                        .contains("gw.edge")
                        .contains("istio.canonical_service")
                        .contains("outbound|80||meshed.shop.svc.cluster.local")));
    }

    @Test
    void givenAnExtensionThatSelectsTheGatewaysPods_thenItRuns() {
        soon().untilAsserted(() -> assertThat(client.get(80, "shop.example")).contains("x-stamped: here"));
    }

    /// Case 95: the object is told, and what else there is for the listener works.
    @Test
    void givenAScriptThatIsTooLarge_thenItIsToldAndItsNeighbourRuns() {
        lab.write("scripts", script("neighbour", "") + script("large", "-- " + "x".repeat(64 * 1024)));
        soon().untilAsserted(() ->
                assertThat(client.get(80, "shop.example")).contains("x-stamped: here", "x-script: neighbour"));
        assertThat(client.get(80, "shop.example")).startsWith("HTTP/1.1 200").doesNotContain("x-script: large");
        soon().untilAsserted(() -> assertThat(lab.fathomd().text("/debug/problemz"))
                .contains("TrafficExtension/edge/large")
                .contains("spec.lua.inlineCode")
                .contains("65536"));
        lab.remove("scripts");
        soon().untilAsserted(() -> assertThat(client.get(80, "shop.example")).doesNotContain("x-script"));
    }

    private static String script(String name, String more) {
        return """
                apiVersion: extensions.istio.io/v1alpha1
                kind: TrafficExtension
                metadata: {name: %1$s, namespace: edge}
                spec:
                  selector: {matchLabels: {istio: edge}}
                  lua:
                    inlineCode: |
                      function envoy_on_response(handle)
                        handle:headers():add("x-script", "%1$s")
                      end
                      %2$s
                ---
                """.formatted(name, more);
    }

    @Test
    void givenPatches_thenListenersRoutesAndClustersAreChanged() {
        soon().untilAsserted(() ->
                assertThat(client.get(80, "shop.example")).contains("x-filter: patched", "x-host: patched"));
        assertThat(envoy.admin("/config_dump?resource=dynamic_active_clusters"))
                .contains("\"connect_timeout\": \"77s\"");
    }

    @Test
    void givenAPolicyForTheGateway_thenItIsEnforced() {
        soon().untilAsserted(() -> assertThat(client.get(80, "admin.example")).startsWith("HTTP/1.1 403"));
        assertThat(client.get(80, "shop.example")).startsWith("HTTP/1.1 200");
    }

    @Test
    void givenPathsThatAreWrittenInOtherWays_whenTheMeshNormalizesThem_thenThePolicyIsEnforced() {
        for (var path : new String[] {"/secret/room", "//secret//room", "/secret%2Froom", "/x/../secret/room"}) {
            soon().untilAsserted(() ->
                    assertThat(client.get(80, "shop.example", path)).as(path).startsWith("HTTP/1.1 403"));
        }
    }

    @Test
    void givenAll_thenNothingWasRefused() {
        assertThat(envoy.stat("listener_manager.lds.update_rejected")).isZero();
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isZero();
        assertThat(lab.fathomd().text("/debug/ambientz")).doesNotContain("envoy-refused");
    }
}
