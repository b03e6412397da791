// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DiscoveryType;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DnsLookupFamily;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.xds.store.XdsType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a waypoint is told of ServiceEntries: it is their way out of the mesh.
class EntryWaypointTest {
    private static final String EGRESS = """
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
    private static final String ENTRY = """
            apiVersion: networking.istio.io/v1
            kind: ServiceEntry
            metadata: {name: outside, namespace: apps, labels: {istio.io/use-waypoint: waypoint}%s}
            spec:
              hosts: ["%s"]
              addresses: [240.240.0.1]
              location: MESH_EXTERNAL
              resolution: %s
              ports:
              - {number: 80, name: http, protocol: HTTP}
              - {number: 443, name: https, protocol: HTTPS}
              - {number: 8080, name: http-for-tls, protocol: HTTP, targetPort: 443}
            """;

    private final AtomicReference<@Nullable EnvoyTables> made = new AtomicReference<>();
    private final AmbientMesh mesh = new AmbientMesh(
            AmbientConfig.of(Map.of("CLUSTER_ID", "c1")),
            flow -> made.set(new EnvoyTables(flow, FormerWaypoints.Keeping.NOT_AT_ALL)));

    @BeforeEach
    void start() {
        apply(EGRESS);
    }

    private void apply(String yaml) {
        mesh.apply(Sketch.read(yaml).stream()
                .<ManifestChange>map(ManifestChange.Put::new)
                .toList());
    }

    private <M extends Message> Map<String, M> resources(XdsType type, Class<M> kind) {
        var result = new HashMap<String, M>();
        requireNonNull(made.get())
                .messages()
                .forEach(table -> mesh.cut().of(table).forEach((key, message) -> {
                    if (key.type().equals(type)) {
                        result.put(key.name(), kind.cast(message));
                    }
                }));
        return result;
    }

    private Cluster cluster(String name) {
        return requireNonNull(resources(XdsType.CLUSTER, Cluster.class).get(name), name);
    }

    private RouteConfiguration routes(String name) {
        return requireNonNull(
                resources(XdsType.ROUTES, RouteConfiguration.class).get(name), name);
    }

    /// The TLS that a cluster speaks, as far as it does.
    private static UpstreamTlsContext tls(Cluster cluster) throws InvalidProtocolBufferException {
        return cluster.getTransportSocket()
                .getTypedConfig()
                .unpack(InternalUpstreamTransport.class)
                .getTransportSocket()
                .getTypedConfig()
                .unpack(UpstreamTlsContext.class);
    }

    private static final String ROUTE_TO_TLS = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: upgraded, namespace: apps}
            spec:
              parentRefs: [{group: networking.istio.io, kind: ServiceEntry, name: outside, port: 80}]
              rules:
              - backendRefs: [{group: networking.istio.io, kind: Hostname, name: api.example.com, port: 443}]
            """;

    @Test
    void givenARouteToAPortForTls_thenItsOnlyClusterIsNamedAndSent() throws InvalidProtocolBufferException {
        apply(ENTRY.formatted("", "api.example.com", "DNS"));
        apply(ROUTE_TO_TLS);
        apply("""
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: origination, namespace: apps}
                spec: {host: api.example.com, trafficPolicy: {tls: {mode: SIMPLE, insecureSkipVerify: true}}}
                """);

        var named = routes("inbound-vip|80|http|api.example.com")
                .getVirtualHosts(0)
                .getRoutes(0)
                .getRoute()
                .getCluster();
        assertThat(named).isEqualTo("inbound-vip|443|tcp|api.example.com");
        var cluster = cluster(named);
        assertThat(tls(cluster).getSni()).isEmpty();
        assertThat(cluster.getTypedExtensionProtocolOptionsMap())
                .describedAs("requests say which name TLS asks for")
                .containsKey("envoy.extensions.upstreams.http.v3.HttpProtocolOptions");
    }

    @Test
    void givenARouteToAPortForTls_whenABackendTlsPolicySaysHow_thenItsClusterDoes()
            throws InvalidProtocolBufferException {
        apply(ENTRY.formatted("", "api.example.com", "DNS"));
        apply(ROUTE_TO_TLS);
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: BackendTLSPolicy
                metadata: {name: origination, namespace: apps}
                spec:
                  targetRefs: [{group: networking.istio.io, kind: ServiceEntry, name: outside, sectionName: https}]
                  validation: {hostname: proven.example.com, wellKnownCACertificates: System}
                """);
        assertThat(tls(cluster("inbound-vip|443|tcp|api.example.com")).getSni()).isEqualTo("proven.example.com");
    }

    /// The filters of a chain of the waypoint, by name.
    private Map<String, Any> filters(String chain) {
        var main = requireNonNull(resources(XdsType.LISTENER, Listener.class).get("main_internal"));
        var result = new LinkedHashMap<String, Any>();
        main.getFilterChainsList().stream()
                .filter(found -> found.getName().equals(chain))
                .flatMap(found -> found.getFiltersList().stream())
                .forEach(filter -> result.put(filter.getName(), filter.getTypedConfig()));
        return result;
    }

    @Test
    void givenDynamicDns_thenHostsOfRequestsAreLookedUpAndNoOthersLetThrough() throws InvalidProtocolBufferException {
        apply(ENTRY.formatted("", "*.example.com", "DYNAMIC_DNS"));
        var name = "inbound-vip|80|http|*.example.com";

        assertThat(routes(name).getVirtualHosts(0).getDomainsList())
                .containsExactly("*.example.com", "*.example.com:80");
        assertThat(routes(name).getVirtualHosts(0).getRoutes(0).getRoute().getCluster())
                .isEqualTo(name);
        var cluster = cluster(name).getClusterType().getTypedConfig().unpack(ClusterConfig.class);
        var manager = requireNonNull(filters(name).get("envoy.filters.network.http_connection_manager"))
                .unpack(HttpConnectionManager.class);
        var lookup = manager.getHttpFiltersList().stream()
                .filter(filter -> filter.getName().equals("envoy.filters.http.dynamic_forward_proxy"))
                .findFirst()
                .orElseThrow()
                .getTypedConfig()
                .unpack(FilterConfig.class);
        assertThat(lookup.getDnsCacheConfig())
                .describedAs("filter and cluster share what they know")
                .isEqualTo(cluster.getDnsCacheConfig());
        assertThat(filters("inbound-vip|443|tcp|*.example.com"))
                .describedAs("server names are looked up after those of others were sorted out")
                .containsOnlyKeys(
                        "envoy.filters.network.rbac",
                        "envoy.filters.network.sni_dynamic_forward_proxy",
                        "envoy.filters.network.tcp_proxy");
        assertThat(cluster("inbound-vip|443|tcp|*.example.com").getClusterType().getName())
                .isEqualTo("envoy.clusters.dynamic_forward_proxy");
    }

    @Test
    void givenDynamicDns_whenARouteIsForIt_thenItCounts() {
        apply(ENTRY.formatted("", "*.example.com", "DYNAMIC_DNS"));
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: gone, namespace: apps}
                spec:
                  parentRefs: [{group: networking.istio.io, kind: ServiceEntry, name: outside, port: 80}]
                  rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: other.example}}]}]
                """);
        assertThat(routes("inbound-vip|80|http|*.example.com")
                        .getVirtualHosts(0)
                        .getRoutes(0)
                        .getRedirect()
                        .getHostRedirect())
                .isEqualTo("other.example");
    }

    @Test
    void givenAddressesThatRace_thenOneNameIsAskedForAllOfThem() {
        var name = "inbound-vip|80|http|api.example.com";
        apply(ENTRY.formatted("", "api.example.com", "DNS"));
        assertThat(cluster(name).getType()).isEqualTo(DiscoveryType.STRICT_DNS);

        apply(ENTRY.formatted(
                ", annotations: {istio.io/connect-strategy: RACE_FIRST_TCP_CONNECT}", "api.example.com", "DNS"));
        assertThat(cluster(name).getType()).isEqualTo(DiscoveryType.LOGICAL_DNS);
        assertThat(cluster(name).getDnsLookupFamily()).isEqualTo(DnsLookupFamily.ALL);
    }
}
