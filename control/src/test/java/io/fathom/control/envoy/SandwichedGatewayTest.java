// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An ingress gateway whose pods are captured: its node proxy ends the tunnels that lead to it, and begins those that
/// it needs.
@SuppressWarnings("NullAway.Init")
class SandwichedGatewayTest {
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: gw, namespace: shop, labels: {istio.io/dataplane-mode: ambient}}
            spec:
              gatewayClassName: istio
              listeners:
              - {name: http, port: 80, protocol: HTTP}
              - {name: tunnels, port: 15008, protocol: TCP}
            status: {addresses: [%s]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: gw-istio, namespace: shop}
            spec:
              clusterIP: 10.0.0.9
              selector: {gateway.networking.k8s.io/gateway-name: gw}
              ports: [{name: http, port: 80}, {name: tunnels, port: 15008}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: web, namespace: shop}
            spec:
              parentRefs: [{name: gw}]
              rules: [{backendRefs: [{name: web, port: 80}]}]
            """;
    private static final String IN_MESH = "{type: Hostname, value: gw-istio.shop.svc.cluster.local}";
    private static final String LOAD_BALANCER = "{type: IPAddress, value: 192.0.2.1}";
    private static final String WAYPOINT = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: shop}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: Hostname, value: waypoint.shop.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: waypoint, namespace: shop}
            spec: {clusterIP: 10.0.0.8, ports: [{name: mesh, port: 15008}]}
            """;
    private static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {%s}}
            spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            """;
    private static final String CAPTURED = "{ambient.istio.io/redirection: enabled}";

    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    private EnvoyMesh envoys;
    private AmbientMesh mesh;

    @BeforeEach
    void start() {
        var made = new AtomicReference<@Nullable EnvoyMesh>();
        mesh = new AmbientMesh(
                AmbientConfig.defaults(), flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH))));
        envoys = requireNonNull(made.get());
        var _ = mesh.subscribe(envoys);
        apply(pod("web-1", "{app: web}", "10.1.0.1", CAPTURED), WEB.formatted(""));
    }

    private static String pod(String name, String labels, String ip, String annotations) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: shop, labels: %s, annotations: %s}
                spec: {nodeName: node, serviceAccountName: %s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %s, conditions: [{type: Ready, status: "True"}]}
                """.formatted(name, labels, annotations, name, ip);
    }

    private static String proxy(String annotations) {
        return pod("gw-1", "{gateway.networking.k8s.io/gateway-name: gw}", "10.1.0.9", annotations);
    }

    private void apply(String... manifests) {
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test.yaml", String.join("---\n", manifests), Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
    }

    private Map<String, XdsResource> resources(XdsType type) {
        var result = new TreeMap<String, XdsResource>();
        var node = new ClientNode(
                "router~10.1.0.9~gw-1.shop~shop.svc.cluster.local",
                ClientNode.Type.ROUTER,
                "10.1.0.9",
                "gw-1.shop",
                "shop.svc.cluster.local",
                Map.of("NAMESPACE", "shop"),
                Map.of(Groups.GATEWAY_NAME, "gw"));
        envoys.feed(node).orElseThrow().head().resources(type).forEach(result::put);
        return result;
    }

    /// Where the gateway sends what is for the service.
    private List<String> endpoints() {
        try {
            var name = "outbound|80||web.shop.svc.cluster.local";
            return ClusterLoadAssignment.parseFrom(
                            requireNonNull(resources(XdsType.ENDPOINTS).get(name))
                                    .body())
                    .getEndpointsList()
                    .stream()
                    .flatMap(group -> group.getLbEndpointsList().stream())
                    .map(endpoint -> text(endpoint.getEndpoint().getAddress()))
                    .toList();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Address address) {
        var internal = address.getEnvoyInternalAddress();
        return address.hasSocketAddress()
                ? address.getSocketAddress().getAddress() + ":"
                        + address.getSocketAddress().getPortValue()
                : internal.getServerListenerName() + " " + internal.getEndpointId();
    }

    @Test
    void givenPodsThatAreCaptured_thenTheirNodeProxyMakesTheTunnels() {
        apply(GATEWAY.formatted(LOAD_BALANCER), proxy("{}"));
        assertThat(endpoints()).containsExactly("connect_originate 10.1.0.1:8080");

        apply(proxy(CAPTURED));
        assertThat(endpoints()).containsExactly("10.1.0.1:8080");

        apply(proxy("{}"));
        assertThat(endpoints()).containsExactly("connect_originate 10.1.0.1:8080");
    }

    @Test
    void givenAServiceThatGatewaysReachThroughItsWaypoint_thenTheNodeProxyIsAskedForTheService() {
        apply(
                GATEWAY.formatted(IN_MESH),
                proxy(CAPTURED),
                WAYPOINT,
                WEB.formatted("istio.io/use-waypoint: waypoint, istio.io/ingress-use-waypoint: \"true\""));

        assertThat(endpoints()).containsExactly("10.0.0.1:80");
    }

    @Test
    void givenAServiceBehindTheGateway_thenItIsServedByItsRoutesAndNothingComesBack() {
        apply(
                GATEWAY.formatted(IN_MESH),
                proxy(CAPTURED),
                WEB.formatted("istio.io/use-waypoint: gw, istio.io/ingress-use-waypoint: \"true\""));

        assertThat(endpoints()).containsExactly("10.1.0.1:8080");
        assertThat(resources(XdsType.LISTENER).keySet())
                .describedAs("no listener on the port that the node proxy has")
                .isEqualTo(Set.of("0.0.0.0_80", "connect_originate"));
    }
}
