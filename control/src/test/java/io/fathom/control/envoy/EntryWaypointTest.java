package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.fathom.control.ambient.AmbientConfig;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.xds.XdsType;
import java.util.HashMap;
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
        return requireNonNull(resources(XdsType.ROUTES, RouteConfiguration.class).get(name), name);
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
}
