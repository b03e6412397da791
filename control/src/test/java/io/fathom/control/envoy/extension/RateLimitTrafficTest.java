// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.fathom.control.envoy.Plain;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rate limits as people write them: EnvoyFilters, which a stock Envoy takes and obeys.
@Tag("slow")
class RateLimitTrafficTest {
    private static final String FILTERS = """
            apiVersion: networking.istio.io/v1alpha3
            kind: EnvoyFilter
            metadata: {name: local, namespace: edge}
            spec:
              targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: gateway}]
              configPatches:
              - applyTo: HTTP_FILTER
                match:
                  context: GATEWAY
                  listener:
                    name: local
                    filterChain: {filter: {name: envoy.filters.network.http_connection_manager}}
                patch:
                  operation: INSERT_BEFORE
                  value:
                    name: envoy.filters.http.local_ratelimit
                    typed_config:
                      "@type": type.googleapis.com/udpa.type.v1.TypedStruct
                      type_url: type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
                      value:
                        stat_prefix: limit
                        token_bucket: {max_tokens: 2, tokens_per_fill: 2, fill_interval: 3600s}
                        filter_enabled: {default_value: {numerator: 100}}
                        filter_enforced: {default_value: {numerator: 100}}
            ---
            apiVersion: networking.istio.io/v1alpha3
            kind: EnvoyFilter
            metadata: {name: global, namespace: edge}
            spec:
              workloadSelector: {labels: {app: gateway}}
              configPatches:
              - applyTo: HTTP_FILTER
                match:
                  listener:
                    name: global
                    filterChain:
                      filter: {name: envoy.filters.network.http_connection_manager, subFilter: {name: envoy.filters.http.router}}
                patch:
                  operation: INSERT_BEFORE
                  value:
                    name: envoy.filters.http.ratelimit
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
                      domain: edge
                      failure_mode_deny: true
                      timeout: 5s
                      rate_limit_service:
                        grpc_service: {envoy_grpc: {cluster_name: limits}}
                        transport_api_version: V3
              - applyTo: CLUSTER
                patch:
                  operation: ADD
                  value:
                    name: limits
                    type: STATIC
                    connect_timeout: 1s
                    load_assignment:
                      cluster_name: limits
                      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 1}}}}]}]
              - applyTo: VIRTUAL_HOST
                match: {routeConfiguration: {name: global}}
                patch:
                  operation: MERGE
                  value: {rate_limits: [{actions: [{request_headers: {header_name: ":path", descriptor_key: PATH}}]}]}
            """;

    @TempDir
    Path folder;

    @Test
    void givenALocalLimit_thenTheThirdRequestIsRefused_andAGlobalOneAsksItsService() throws Exception {
        var backend = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        backend.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        backend.start();
        var filters = EnvoyFilters.of(
                "istio-system",
                Sketch.proxies(ProxyRole.INGRESS, "edge", "gateway"),
                Sketch.read(EnvoyFilterManifest.class, FILTERS));
        var resources = StaticResources.newBuilder()
                .addClusters(Plain.cluster("up", backend.getAddress().getPort(), ""))
                .addAllClusters(filters.addedClusters());
        for (var name : List.of("local", "global")) {
            var manager = HttpConnectionManager.newBuilder()
                    .setStatPrefix(name)
                    .setRouteConfig(Plain.routes(name, Plain.route("/", "up")))
                    .addHttpFilters(Plain.router())
                    .build();
            resources.addListeners(filters.listener(Plain.listener(name, Plain.manager(manager)))
                    .orElseThrow());
        }
        try (var envoy = StockEnvoy.start(
                        folder,
                        Bootstrap.newBuilder().setStaticResources(resources).build());
                var client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()) {
            var codes = new ArrayList<Integer>();
            for (var name : List.of("local", "local", "local", "global")) {
                var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + envoy.port(name) + "/"));
                codes.add(
                        client.send(request.build(), BodyHandlers.discarding()).statusCode());
            }
            // Nobody listens where the global limits are asked for, and failing means refusing here.
            assertThat(codes).containsExactly(200, 200, 429, 500);
        } finally {
            backend.stop(0);
        }
    }
}
