// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.lang.Problem;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.Ids;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.xds.store.XdsType;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What users write about telemetry, extensions and patches, in what a waypoint is told.
class UserPartsTest {
    private static final String CHAIN = "inbound-vip|80|http|echo.apps.svc.cluster.local";
    private static final String SHOP = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: apps}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: echo, namespace: apps, labels: {istio.io/use-waypoint: waypoint}}
            spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: waypoint, namespace: apps}
            spec: {clusterIP: 10.0.0.2, clusterIPs: [10.0.0.2], ports: [{name: mesh, port: 15008}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: apps}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: Hostname, value: waypoint.apps.svc.cluster.local}]}
            """;

    private final ManualTimeline time = new ManualTimeline(Instant.parse("2026-01-01T00:00:00Z"));
    private final AtomicReference<@Nullable EnvoyTables> made = new AtomicReference<>();
    private final AmbientMesh mesh = new AmbientMesh(
            AmbientConfig.of(Map.of("CLUSTER_ID", "c1")),
            flow -> made.set(new EnvoyTables(flow, FormerWaypoints.Keeping.NOT_AT_ALL)));

    @BeforeEach
    void start() {
        apply(SHOP);
    }

    private void apply(String yaml) {
        mesh.apply(Sketch.read(yaml).stream()
                .<ManifestChange>map(ManifestChange.Put::new)
                .toList());
    }

    private EnvoyTables tables() {
        var tables = made.get();
        assertThat(tables).isNotNull();
        return java.util.Objects.requireNonNull(tables);
    }

    private <M extends Message> Map<String, M> resources(XdsType type, Class<M> kind) {
        var result = new HashMap<String, M>();
        tables().messages()
                .forEach(table -> mesh.cut().of(table).forEach((key, message) -> {
                    if (key.type().equals(type)) {
                        result.put(key.name(), kind.cast(message));
                    }
                }));
        return result;
    }

    private HttpConnectionManager manager() {
        var main = resources(XdsType.LISTENER, Listener.class).get("main_internal");
        assertThat(main).isNotNull();
        return java.util.Objects.requireNonNull(main).getFilterChainsList().stream()
                .filter(chain -> chain.getName().equals(CHAIN))
                .map(chain -> {
                    try {
                        return chain.getFilters(chain.getFiltersCount() - 1)
                                .getTypedConfig()
                                .unpack(HttpConnectionManager.class);
                    } catch (InvalidProtocolBufferException e) {
                        throw new AssertionError(e);
                    }
                })
                .findFirst()
                .orElseThrow();
    }

    private List<String> logs() {
        return manager().getAccessLogList().stream().map(log -> log.getName()).toList();
    }

    @Test
    void givenATelemetry_thenTheChainLogs() {
        assertThat(logs()).containsExactly("envoy.access_loggers.stats");
        apply("""
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: t, namespace: apps}
                spec: {targetRefs: [{kind: Service, name: echo}], accessLogging: [{providers: [{name: envoy}]}]}
                """);
        assertThat(logs()).containsExactly("envoy.access_loggers.file", "envoy.access_loggers.stats");
    }

    @Test
    void givenAnEnvoyFilter_thenListenersAndClustersAreChanged() {
        apply("""
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: f, namespace: apps}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                  configPatches:
                  - applyTo: HTTP_FILTER
                    match: {context: WAYPOINT, waypoint: {portNumber: 80}}
                    patch: {operation: INSERT_FIRST, value: {name: first}}
                  - applyTo: CLUSTER
                    match: {cluster: {service: echo.apps.svc.cluster.local}}
                    patch: {operation: MERGE, value: {connect_timeout: 77s}}
                  - applyTo: CLUSTER
                    patch: {operation: ADD, value: {name: more, type: STRICT_DNS}}
                """);
        assertThat(manager().getHttpFilters(0).getName()).isEqualTo("first");
        var clusters = resources(XdsType.CLUSTER, Cluster.class);
        assertThat(clusters).containsKey("more");
        assertThat(clusters.get(CHAIN))
                .satisfies(cluster ->
                        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(77));
        assertThat(mesh.cut().of(tables().problems()).isEmpty()).isTrue();
    }

    /// As upstream's own tests have it.
    @Test
    void givenAnEnvoyFilterForInboundTraffic_whenItNamesTheWaypoint_thenItIsApplied() {
        apply(INBOUND);
        assertThat(manager().getHttpFiltersList().stream().map(HttpFilter::getName))
                .endsWith("envoy.lua", "envoy.filters.http.router");
        assertThat(resources(XdsType.ROUTES, RouteConfiguration.class).get(CHAIN))
                .satisfies(table -> assertThat(table.getVirtualHosts(0).getRequestHeadersToAddCount())
                        .isEqualTo(1));
        assertThat(resources(XdsType.CLUSTER, Cluster.class).get(CHAIN))
                .satisfies(cluster ->
                        assertThat(cluster.getConnectTimeout().getSeconds()).isNotEqualTo(77));
        assertThat(Ids.problems(mesh.cut(), tables().problems(), Ids.of("c1", "EnvoyFilter/apps/inbound")))
                .extracting(Problem::message)
                .singleElement()
                .satisfies(message -> assertThat(message).contains("configPatches[2]", "sidecars"));

        apply(INBOUND.replace("name: waypoint}]", "name: other}]"));
        assertThat(manager().getHttpFiltersList().stream().map(HttpFilter::getName))
                .doesNotContain("envoy.lua");
    }

    private static final String INBOUND = """
            apiVersion: networking.istio.io/v1alpha3
            kind: EnvoyFilter
            metadata: {name: inbound, namespace: apps}
            spec:
              targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
              configPatches:
              - applyTo: HTTP_FILTER
                match:
                  context: SIDECAR_INBOUND
                  listener:
                    filterChain:
                      filter:
                        name: "envoy.filters.network.http_connection_manager"
                        subFilter: {name: "envoy.filters.http.router"}
                patch: {operation: INSERT_BEFORE, value: {name: envoy.lua}}
              - applyTo: VIRTUAL_HOST
                match: {context: SIDECAR_INBOUND}
                patch:
                  operation: MERGE
                  value: {request_headers_to_add: [{header: {key: x-vhost-inbound, value: "hello world"}}]}
              - applyTo: CLUSTER
                match: {context: SIDECAR_INBOUND, cluster: {}}
                patch: {operation: MERGE, value: {connect_timeout: 77s}}
            """;

    @Test
    void givenAnEnvoyFilterThatCannotBeApplied_thenItsObjectSaysSo() {
        apply("""
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: f, namespace: apps}
                spec:
                  configPatches:
                  - {applyTo: BOOTSTRAP, patch: {operation: MERGE, value: {}}}
                  - {applyTo: CLUSTER, patch: {operation: MERGE, value: {nonsense: 1}}}
                """);
        assertThat(Ids.problems(mesh.cut(), tables().problems(), Ids.of("c1", "EnvoyFilter/apps/f")))
                .extracting(Problem::message)
                .satisfiesExactly(
                        first -> assertThat(first).contains("configPatches[0]"),
                        second -> assertThat(second).contains("configPatches[1]"));
    }

    @Test
    void givenAPlugin_thenItsModuleIsFetched_andItsResourceArrives() {
        var fetched = new java.util.ArrayList<String>();
        var library = tables().rulebook()
                .users()
                .fetch(
                        source -> {
                            fetched.add(source.url());
                            return new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0};
                        },
                        time);
        apply("""
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: p, namespace: apps}
                spec: {targetRefs: [{kind: Service, name: echo}], url: registry.example/p, phase: AUTHN}
                """);
        var name = "extensions.istio.io/trafficextension/apps.p";
        assertThat(manager().getHttpFiltersList())
                .extracting(HttpFilter::getName)
                .contains(name);
        assertThat(resources(XdsType.EXTENSION, TypedExtensionConfig.class)).isEmpty();

        time.settle();
        assertThat(fetched).containsExactly("oci://registry.example/p");
        assertThat(resources(XdsType.EXTENSION, TypedExtensionConfig.class)).containsOnlyKeys(name);
        library.close();
    }
}
