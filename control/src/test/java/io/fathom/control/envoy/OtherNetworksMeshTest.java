// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.network.GatewayVerdicts;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.model.peering.Reachability;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.model.peering.ServiceSummary.NameScope;
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
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What proxies are sent about other networks, and with which settings.
class OtherNetworksMeshTest {
    private static final String WEB = "inbound-vip|80|http|web.shop.svc.cluster.local";
    private static final AmbientConfig ONE = AmbientConfig.defaults();
    private static final AmbientConfig SEVERAL = ONE.with(Feature.MULTI_NETWORK);
    private static final String MESH = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                serviceScopeConfigs:
                - {servicesSelector: {matchLabels: {istio.io/global: "true"}}, scope: GLOBAL}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/use-waypoint: waypoint}}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: shop}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: Hostname, value: waypoint.shop.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: waypoint, namespace: shop}
            spec: {clusterIP: 10.0.0.9, ports: [{name: mesh, port: 15008}, {name: status, port: 15021}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: eastwest, namespace: edge}
            spec: {gatewayClassName: istio-eastwest, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {istio.io/global: "true"}}
            spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: own, namespace: shop}
            spec: {clusterIP: 10.0.0.2, selector: {app: web}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: networking.istio.io/v1
            kind: WorkloadEntry
            metadata: {name: far, namespace: shop}
            spec: {network: east, serviceAccount: server, labels: {app: web}}
            """;
    private static final String WAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: east, namespace: edge, labels: {topology.istio.io/network: east}}
            spec: {gatewayClassName: istio-remote, listeners: [{name: hbone, port: 15008, protocol: HBONE}]}
            status: {addresses: [%s]}
            """;

    private static final String PEER = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: istio-remote-peer-east, namespace: istio-eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: 192.0.2.1}]
              listeners: [{name: hbone, port: 15008, protocol: HBONE}]
            """;
    private static final String INGRESS = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: front, namespace: edge}
            spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: to-db, namespace: edge}
            spec:
              parentRefs: [{name: front}]
              rules:
              - backendRefs: [{group: networking.istio.io, kind: Hostname, name: db.shop.mesh.internal, port: 80}]
            """;

    private @Nullable PeerSources known;
    private @Nullable GatewayVerdicts found;
    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());

    private EnvoyMesh mesh(AmbientConfig config, String... manifests) {
        var made = new AtomicReference<@Nullable EnvoyMesh>();
        var mesh = new AmbientMesh(config, flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH))));
        var envoys = requireNonNull(made.get());
        var _ = mesh.subscribe(envoys);
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test.yaml", String.join("---\n", manifests), Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
        known = mesh.peers();
        found = mesh.gatewayVerdicts();
        return envoys;
    }

    private PeerSources peers() {
        return requireNonNull(known);
    }

    /// What the control plane of cluster `east` says of a service that nobody here has declared.
    private void told(int ready) {
        peers().put("east", new ClusterSummary("east", "east", "cluster.local"));
        peers().apply(
                        "east",
                        List.of(new ServiceSummary(
                                "shop",
                                "db",
                                List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                                ready == 0 ? List.of() : List.of(new LocalityShare(Locality.NONE, ready)),
                                3,
                                List.of("shop/db"),
                                NameScope.MESH_NAME,
                                "")),
                        List.of());
    }

    @Test
    void givenServiceThatOnlyAnotherClusterHas_thenItsWaypointHereReachesIt() {
        var envoys = mesh(ONE, MESH, PEER);

        told(3);
        var cluster = "inbound-vip|80|http|db.shop.mesh.internal";
        assertThat(endpoints(envoys, cluster)).containsExactly("inner_connect_originate 192.0.2.1:15008");
        assertThat(new String(
                        requireNonNull(resources(envoys, "shop", "waypoint", XdsType.LISTENER)
                                        .get("main_internal"))
                                .body(),
                        StandardCharsets.UTF_8))
                .contains("db.shop.mesh.internal");

        told(0);
        assertThat(endpoints(envoys, cluster))
                .describedAs("nothing is ready there")
                .isEmpty();
    }

    @Test
    void givenServiceThatOnlyAnotherClusterHas_thenAnIngressGatewayReachesIt() {
        var envoys = mesh(ONE, MESH.replace("istio.io/use-waypoint: waypoint", "a: b"), PEER, INGRESS);

        told(3);

        assertThat(endpoints(envoys, "edge", "front", "outbound|80||db.shop.mesh.internal"))
                .containsExactly("inner_connect_originate 192.0.2.1:15008");
        assertThat(resources(envoys, "edge", "front", XdsType.LISTENER))
                .containsKeys("inner_connect_originate", "outer_connect_originate");
    }

    /// GEP-1748: a route may name a ServiceImport, which nobody has to have written.
    @Test
    void givenServiceThatOnlyAnotherClusterExports_thenARouteReachesItByItsImport_whereAGrantPermitsIt() {
        var route = INGRESS.replace(
                "{group: networking.istio.io, kind: Hostname, name: db.shop.mesh.internal, port: 80}",
                "{group: multicluster.x-k8s.io, kind: ServiceImport, name: db, namespace: shop, port: 80}");
        var grant = """
            apiVersion: gateway.networking.k8s.io/v1beta1
            kind: ReferenceGrant
            metadata: {name: edge, namespace: shop}
            spec:
              from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: edge}]
              to: [{group: multicluster.x-k8s.io, kind: ServiceImport, name: db}]
            """;
        var manifests = MESH.replace("istio.io/use-waypoint: waypoint", "a: b");
        var cluster = "outbound|80||db.shop.svc.clusterset.local";

        var granted = mesh(ONE, manifests, PEER, route, grant);
        toldOfExport();
        assertThat(endpoints(granted, "edge", "front", cluster))
                .containsExactly("inner_connect_originate 192.0.2.1:15008");

        var refused = mesh(ONE, manifests, PEER, route);
        toldOfExport();
        assertThat(resources(refused, "edge", "front", XdsType.CLUSTER)).doesNotContainKey(cluster);
    }

    private void toldOfExport() {
        peers().put("east", new ClusterSummary("east", "east", "cluster.local"));
        peers().apply(
                        "east",
                        List.of(new ServiceSummary(
                                "shop",
                                "db",
                                List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                                List.of(new LocalityShare(Locality.NONE, 3)),
                                3,
                                List.of("shop/db"),
                                NameScope.MESH_NAME,
                                "",
                                Optional.of(new ExportedService(
                                        Instant.EPOCH,
                                        ExportedService.ExportType.CLUSTER_SET_IP,
                                        List.of(new ExportedPort("http", 80, "TCP", "")),
                                        List.of(),
                                        Optional.empty(),
                                        "Cluster",
                                        "",
                                        Map.of(),
                                        Map.of())))),
                        List.of());
    }

    /// A pod that is not ready counts for nothing; where none is, requests go to the other network.
    @Test
    void case24_givenWaypoint_whenOwnPodsAreNotReady_thenItSendsToTheOtherNetwork() {
        var pod = """
            apiVersion: v1
            kind: Pod
            metadata: {name: a, namespace: shop, labels: {app: web}, annotations: {ambient.istio.io/redirection: enabled}}
            spec: {nodeName: n, containers: [{name: c}]}
            status:
              {phase: Running, podIP: 10.1.0.1, podIPs: [{ip: 10.1.0.1}], conditions: [{type: Ready, status: "%s"}]}
            """;
        var service = MESH.replace("labels: {istio.io/global: \"true\"}", "labels: {solo.io/service-scope: global}");
        var wide = WEB.replace("svc.cluster.local", "mesh.internal");

        var ready = mesh(ONE, service, PEER, pod.formatted("True"));
        toldOfWeb();
        assertThat(endpoints(ready, wide))
                .containsExactly("connect_originate 10.1.0.1:80", "inner_connect_originate 192.0.2.1:15008");
        assertThat(priorities(ready, wide)).containsExactly(0, 1);
        assertThat(endpoints(ready, WEB)).containsExactly("connect_originate 10.1.0.1:80");

        var unready = mesh(ONE, service, PEER, pod.formatted("False"));
        toldOfWeb();
        assertThat(endpoints(unready, wide)).containsExactly("inner_connect_originate 192.0.2.1:15008");
        assertThat(endpoints(unready, WEB)).isEmpty();
    }

    private void toldOfWeb() {
        peers().put("east", new ClusterSummary("east", "east", "cluster.local"));
        peers().apply(
                        "east",
                        List.of(new ServiceSummary(
                                "shop",
                                "web",
                                List.of(new Port(80, 80, AppProtocol.HTTP11)),
                                List.of(new LocalityShare(Locality.NONE, 2)),
                                2,
                                List.of("shop/web"),
                                NameScope.MESH_NAME,
                                "")),
                        List.of());
    }

    private static Map<String, XdsResource> resources(
            EnvoyMesh envoys, String namespace, String gateway, XdsType type) {
        var isIngress = gateway.equals("front");
        var node = new ClientNode(
                (isIngress ? "router" : "waypoint") + "~10.0.0.7~p-1." + namespace + "~" + namespace
                        + ".svc.cluster.local",
                isIngress ? ClientNode.Type.ROUTER : ClientNode.Type.WAYPOINT,
                "10.0.0.7",
                "p-1." + namespace,
                namespace + ".svc.cluster.local",
                Map.of("NAMESPACE", namespace),
                Map.of(Groups.GATEWAY_NAME, gateway));
        var result = new TreeMap<String, XdsResource>();
        envoys.feed(node).orElseThrow().head().resources(type).forEach(result::put);
        return result;
    }

    /// Where the endpoints of a cluster of the waypoint lead.
    private static List<String> endpoints(EnvoyMesh envoys, String cluster) {
        return endpoints(envoys, "shop", "waypoint", cluster);
    }

    private static List<String> endpoints(EnvoyMesh envoys, String namespace, String gateway, String cluster) {
        return set(envoys, namespace, gateway, cluster).getEndpointsList().stream()
                .flatMap(group -> group.getLbEndpointsList().stream())
                .map(endpoint -> endpoint.getEndpoint().getAddress().getEnvoyInternalAddress())
                .map(address -> address.getServerListenerName() + " " + address.getEndpointId())
                .toList();
    }

    private static List<Integer> priorities(EnvoyMesh envoys, String cluster) {
        return set(envoys, "shop", "waypoint", cluster).getEndpointsList().stream()
                .map(LocalityLbEndpoints::getPriority)
                .toList();
    }

    private static ClusterLoadAssignment set(EnvoyMesh envoys, String namespace, String gateway, String cluster) {
        try {
            return ClusterLoadAssignment.parseFrom(
                    requireNonNull(resources(envoys, namespace, gateway, XdsType.ENDPOINTS)
                                    .get(cluster))
                            .body());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Arguments> settings() {
        var way = List.of("inner_connect_originate 192.0.2.1:15008");
        return Stream.of(
                argumentSet("given Gateways alone, then our own entries are not folded", ONE, List.of(), true),
                argumentSet("given the setting, then waypoints reach them", SEVERAL, way, true),
                argumentSet(
                        "given waypoints must not, then they do not",
                        SEVERAL.without(Feature.MULTI_NETWORK_WAYPOINT),
                        List.of(),
                        false));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void whenAServiceHasEndpointsOnAnotherNetwork(AmbientConfig config, List<String> want, boolean tunnels) {
        var envoys = mesh(config, MESH, WAY.formatted("{type: IPAddress, value: 192.0.2.1}"));

        assertThat(endpoints(envoys, WEB)).isEqualTo(want);
        assertThat(endpoints(envoys, WEB.replace("web", "own")))
                .describedAs("not for other clusters")
                .isEmpty();
        assertThat(resources(envoys, "shop", "waypoint", XdsType.LISTENER).keySet())
                .matches(names -> names.contains("inner_connect_originate") == tunnels);
        assertThat(resources(envoys, "shop", "waypoint", XdsType.CLUSTER).keySet())
                .matches(names -> names.contains("outer_connect_originate") == tunnels);
    }

    /// Case 85.
    @Test
    void givenGatewayThatProxiesCannotDial_thenItIsNotUsed() {
        assertThat(endpoints(mesh(SEVERAL, MESH, WAY.formatted("{type: IPAddress, value: \"2001:db8::1\"}")), WEB))
                .isEmpty();
        assertThat(endpoints(mesh(SEVERAL, MESH, WAY.formatted("{type: Hostname, value: gw.example}")), WEB))
                .isEmpty();
        assertThat(endpoints(mesh(SEVERAL, MESH), WEB)).isEmpty();
    }

    /// The proxies of this mesh speak IPv4 alone.
    @Test
    void case22_givenGatewayKnownByName_whenItIsLookedUp_thenItsAddressesOfTheRightFamilyAreUsed_andFollowed() {
        var envoys = mesh(SEVERAL, MESH, WAY.formatted("{type: Hostname, value: gw.example}"));
        var verdicts = requireNonNull(found);
        verdicts.resolved(Map.of("gw.example", List.of(ip("192.0.2.1"), ip("2001:db8::1"))), Set.of());
        assertThat(endpoints(envoys, WEB)).containsExactly("inner_connect_originate 192.0.2.1:15008");
        verdicts.resolved(Map.of("gw.example", List.of(ip("192.0.2.2"), ip("192.0.2.3"))), Set.of());
        assertThat(endpoints(envoys, WEB))
                .containsExactlyInAnyOrder(
                        "inner_connect_originate 192.0.2.2:15008", "inner_connect_originate 192.0.2.3:15008");
        verdicts.judged(Map.of("Kubernetes/edge/east@192.0.2.2:15008", Reachability.DOWN), Set.of());
        assertThat(endpoints(envoys, WEB)).containsExactly("inner_connect_originate 192.0.2.3:15008");
        verdicts.resolved(Map.of(), Set.of("gw.example"));
        assertThat(endpoints(envoys, WEB)).isEmpty();
    }

    private static Ip ip(String text) {
        return Ip.parse(text).orElseThrow();
    }

    @Test
    void givenSharedService_thenItsClusterPassesOverGatewaysThatFail_unlessARuleSaysWhen() throws Exception {
        var way = WAY.formatted("{type: IPAddress, value: 192.0.2.1}");
        assertThat(cluster(mesh(SEVERAL, MESH, way), WEB).getOutlierDetection()).satisfies(outliers -> {
            assertThat(outliers.getConsecutiveGatewayFailure().getValue()).isEqualTo(2);
            assertThat(outliers.getEnforcingConsecutive5Xx().getValue()).isZero();
        });
        assertThat(cluster(mesh(SEVERAL, MESH, way), WEB.replace("web", "own")).hasOutlierDetection())
                .isFalse();
        var rule = """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: web, namespace: shop}
                spec:
                  host: web.shop.svc.cluster.local
                  trafficPolicy: {outlierDetection: {consecutive5xxErrors: 7}}
                """;
        assertThat(cluster(mesh(SEVERAL, MESH, way, rule), WEB).getOutlierDetection())
                .satisfies(outliers -> {
                    assertThat(outliers.hasConsecutiveGatewayFailure()).isFalse();
                    assertThat(outliers.getConsecutive5Xx().getValue()).isEqualTo(7);
                });
    }

    private static Cluster cluster(EnvoyMesh envoys, String name) throws InvalidProtocolBufferException {
        return Cluster.parseFrom(requireNonNull(
                        resources(envoys, "shop", "waypoint", XdsType.CLUSTER).get(name))
                .body());
    }

    @Test
    void givenNoGatewayThatLeadsElsewhere_thenWaypointsHaveNothingForOtherNetworks() {
        var envoys = mesh(ONE, MESH.replace("gatewayClassName: istio-eastwest", "gatewayClassName: istio"));

        assertThat(resources(envoys, "shop", "waypoint", XdsType.LISTENER))
                .doesNotContainKeys("inner_connect_originate");
    }

    @Test
    void givenPortForSidecars_thenServerNamesOfAllClustersServicesLeadToThem() {
        var gateway = MESH.replace(
                "listeners: [{name: mesh, port: 15008, protocol: HBONE}]}\n---\napiVersion: v1\nkind: Service\n"
                        + "metadata: {name: web,",
                "listeners: [{name: mesh, port: 15008, protocol: HBONE},"
                        + " {name: tls, port: 15443, protocol: TLS, tls: {mode: Passthrough}}]}\n---\napiVersion: v1\n"
                        + "kind: Service\nmetadata: {name: web,");
        assertThat(gateway).isNotEqualTo(MESH);

        var listener = new String(
                requireNonNull(resources(mesh(ONE, gateway), "edge", "eastwest", XdsType.LISTENER)
                                .get("0.0.0.0_15443"))
                        .body(),
                StandardCharsets.UTF_8);

        assertThat(listener)
                .contains("outbound_.80_._.web.shop.svc.cluster.local", "outbound_.80_._.web.shop.mesh.internal")
                .doesNotContain("own.shop");
    }

    /// Case 83.
    @Test
    void givenEastWestGateway_thenItHasServicesOfAllClustersAndTheirWaypoints() {
        assertThat(resources(mesh(ONE, MESH), "edge", "eastwest", XdsType.CLUSTER))
                .containsOnlyKeys(
                        "main_internal",
                        "forward_inner_connect",
                        "connect_originate",
                        "BlackHoleCluster",
                        "inbound-vip|80|tcp|web.shop.mesh.internal",
                        "inbound-vip|80|tcp|web.shop.svc.cluster.local",
                        "inbound-vip|15008|tcp|waypoint.shop.svc.cluster.local");
    }
}
