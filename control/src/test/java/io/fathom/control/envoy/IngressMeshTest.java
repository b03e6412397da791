// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.fathom.base.lang.Problem;
import io.fathom.control.Ids;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.gateway.TlsSecrets;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What ingress proxies are sent, and what is left alone when something changes.
class IngressMeshTest {
    private static final String BASE = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: gw, namespace: edge}
            spec:
              gatewayClassName: istio
              listeners:
              - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
              - {name: tls, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
              - {name: tcp, port: 9000, protocol: TCP, allowedRoutes: {namespaces: {from: All}}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: 10.0.0.1, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: unused, namespace: shop}
            spec: {clusterIP: 10.0.0.2, ports: [{name: http, port: 80}]}
            """;
    private static final String ROUTE = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: web, namespace: shop}
            spec:
              parentRefs: [{name: gw, namespace: edge, sectionName: http}]
              hostnames: [%s]
              rules: [{backendRefs: [{name: web, port: 80}]}]
            """;

    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    private final AtomicReference<@Nullable EnvoyMesh> made = new AtomicReference<>();
    private AmbientMesh mesh;
    private EnvoyMesh envoys;

    @BeforeEach
    void start() {
        start(AmbientConfig.defaults());
    }

    private void start(AmbientConfig config) {
        mesh = new AmbientMesh(config, flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH))));
        envoys = requireNonNull(made.get());
        var _ = mesh.subscribe(envoys);
    }

    private void apply(String yaml) {
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
    }

    private ResourceStore store(Map<String, String> labels) {
        return envoys.feed(node("gw", labels)).orElseThrow();
    }

    private static ClientNode node(String account, Map<String, String> labels) {
        return new ClientNode(
                "router~10.0.0.9~gw-1.edge~edge.svc.cluster.local",
                ClientNode.Type.ROUTER,
                "10.0.0.9",
                "gw-1.edge",
                "edge.svc.cluster.local",
                Map.of("NAMESPACE", "edge", "SERVICE_ACCOUNT", account),
                labels);
    }

    private ResourceStore gateway() {
        return store(Map.of(Groups.GATEWAY_NAME, "gw"));
    }

    private static Map<String, XdsResource> resources(ResourceStore store, XdsType type) {
        var result = new TreeMap<String, XdsResource>();
        store.head().resources(type).forEach(result::put);
        return result;
    }

    private static RouteConfiguration routes(ResourceStore store, String name) {
        try {
            return RouteConfiguration.parseFrom(
                    requireNonNull(resources(store, XdsType.ROUTES).get(name)).body());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void givenAGateway_thenPortsAreServedWithAllThatTheyName() {
        apply(BASE);
        apply(TlsSecrets.good("edge", "cert"));
        apply(ROUTE.formatted("a.example"));
        var store = gateway();

        assertThat(resources(store, XdsType.LISTENER))
                .describedAs("no port for connections that nobody wants")
                .containsOnlyKeys("0.0.0.0_443", "0.0.0.0_80", "connect_originate");
        assertThat(resources(store, XdsType.ROUTES)).containsOnlyKeys("http.80", "https.443.tls.gw.edge");
        assertThat(routes(store, "http.80").getVirtualHostsList())
                .extracting(host -> host.getDomainsList().getFirst())
                .containsExactly("a.example");
        assertThat(routes(store, "https.443.tls.gw.edge").getVirtualHosts(0).getName())
                .isEqualTo("blackhole:443");
        assertThat(resources(store, XdsType.CLUSTER))
                .describedAs("only what routes lead to")
                .containsOnlyKeys("BlackHoleCluster", "connect_originate", "outbound|80||web.shop.svc.cluster.local");
    }

    @Test
    void givenTheMeshSaysHowToConnectAndRetry_thenGatewaysDo() throws InvalidProtocolBufferException {
        apply(BASE);
        apply(ROUTE.formatted("a.example"));
        var store = gateway();
        apply("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    connectTimeout: 3s
                    defaultHttpRetryPolicy: {attempts: 7}
                """);

        var cluster = Cluster.parseFrom(
                requireNonNull(resources(store, XdsType.CLUSTER).get("outbound|80||web.shop.svc.cluster.local"))
                        .body());
        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(3);
        assertThat(routes(store, "http.80")
                        .getVirtualHosts(0)
                        .getRoutes(0)
                        .getRoute()
                        .getRetryPolicy()
                        .getNumRetries()
                        .getValue())
                .isEqualTo(7);
    }

    @Test
    void givenARouteChanges_thenOnlyItsTableIsMadeAgain() {
        apply(BASE);
        apply(ROUTE.formatted("a.example"));
        var store = gateway();
        var listeners = versions(store, XdsType.LISTENER);
        var tls = resources(store, XdsType.ROUTES).get("https.443.tls.gw.edge");
        apply(ROUTE.formatted("b.example"));

        assertThat(versions(store, XdsType.LISTENER)).isEqualTo(listeners);
        assertThat(resources(store, XdsType.ROUTES).get("https.443.tls.gw.edge"))
                .isSameAs(tls);
        assertThat(routes(store, "http.80").getVirtualHosts(0).getDomainsList()).containsExactly("b.example");
    }

    private static List<String> versions(ResourceStore store, XdsType type) {
        return resources(store, type).values().stream()
                .map(resource -> resource.name() + " " + resource.version())
                .toList();
    }

    @Test
    void givenAGatewayThatIsGone_whenItsLastProxyLeaves_thenNothingIsKeptForIt() {
        apply(BASE);
        var store = gateway();
        assertThat(gateway()).isSameAs(store);
        envoys.left(store);
        envoys.left(store);
        assertThat(envoys.stores()).as("a proxy that comes back finds it").isEqualTo(1);
        assertThat(gateway()).isSameAs(store);

        var key = new ObjectKey("Kubernetes", "edge", "gw");
        mesh.apply(List.of(new ManifestChange.Remove(GatewayManifest.class, key)));
        assertThat(envoys.stores()).as("a stream is left").isEqualTo(1);
        assertThat(resources(store, XdsType.LISTENER)).isEmpty();
        envoys.left(store);
        assertThat(envoys.stores()).isZero();

        apply(BASE);
        assertThat(resources(gateway(), XdsType.LISTENER)).isNotEmpty();
    }

    @Test
    void givenAGatewayWithoutProxies_whenItGoes_thenNothingIsKeptForIt() {
        apply(BASE);
        envoys.left(gateway());
        mesh.apply(
                List.of(new ManifestChange.Remove(GatewayManifest.class, new ObjectKey("Kubernetes", "edge", "gw"))));
        assertThat(envoys.stores()).isZero();

        envoys.left(gateway());
        assertThat(envoys.stores()).as("a proxy of a Gateway that is not there").isZero();
    }

    @Test
    void givenACertificate_thenItsSecretIsAskedForAndSentOnceItIsThere() {
        apply(BASE);
        var store = gateway();
        assertThat(envoys.needed(mesh.cut()))
                .containsExactly(new ManifestId(CredentialManifest.class, new ObjectKey("Kubernetes", "edge", "cert")));
        assertThat(resources(store, XdsType.SECRET)).isEmpty();
        apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: cert, namespace: edge}
                stringData: {tls.crt: nonsense, tls.key: nonsense}
                """);
        assertThat(resources(store, XdsType.SECRET))
                .describedAs("Envoy would refuse it")
                .isEmpty();
        assertThat(envoys.isConfidential(XdsType.SECRET, "kubernetes-gateway://edge/cert"))
                .isTrue();
        assertThat(envoys.isConfidential(XdsType.SECRET, "configmap://edge/ca-cacert"))
                .isFalse();
    }

    @Test
    void givenASecretThatIsOfNoUseAnyMore_thenItsListenerGoesWithTheOldKey() {
        apply(BASE);
        var store = gateway();
        assertThat(resources(store, XdsType.LISTENER)).doesNotContainKey("0.0.0.0_443");
        for (var bad : List.of(TlsSecrets.mismatched("edge", "cert"), TlsSecrets.ofAnotherType("edge", "cert"))) {
            apply(TlsSecrets.good("edge", "cert"));
            assertThat(resources(store, XdsType.LISTENER)).containsKey("0.0.0.0_443");
            assertThat(resources(store, XdsType.SECRET)).containsKey("kubernetes-gateway://edge/cert");
            apply(bad);
            assertThat(resources(store, XdsType.LISTENER)).doesNotContainKey("0.0.0.0_443");
            assertThat(resources(store, XdsType.SECRET)).isEmpty();
        }
        apply(TlsSecrets.opaque("edge", "cert"));
        assertThat(resources(store, XdsType.LISTENER)).containsKey("0.0.0.0_443");
        var secret = new ManifestId(CredentialManifest.class, new ObjectKey("Kubernetes", "edge", "cert"));
        mesh.apply(List.of(new ManifestChange.Remove(secret.kind(), secret.key())));
        assertThat(resources(store, XdsType.LISTENER)).doesNotContainKey("0.0.0.0_443");
        assertThat(envoys.needed(mesh.cut())).as("it may come back").contains(secret);
    }

    @Test
    void givenSecretsByName_thenTheListenerWaitsForItsSecretUntilItIsKnownToBeAbsent() {
        start(AmbientConfig.defaults().with(Feature.SECRETS_BY_NAME));
        apply(BASE);
        var store = gateway();
        assertThat(resources(store, XdsType.LISTENER)).containsKey("0.0.0.0_443");
        var key = new ObjectKey("Kubernetes", "edge", "cert");
        mesh.apply(List.of(new ManifestChange.Absent(CredentialManifest.class, key)));
        assertThat(resources(store, XdsType.LISTENER)).doesNotContainKey("0.0.0.0_443");
        apply(TlsSecrets.good("edge", "cert"));
        assertThat(resources(store, XdsType.LISTENER)).containsKey("0.0.0.0_443");
    }

    @Test
    void givenTwoEqualListeners_thenNeitherIsServed() {
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec:
                  gatewayClassName: istio
                  listeners:
                  - {name: one, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
                  - {name: two, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
                  - {name: http, port: 81, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
                """);
        apply(ROUTE.formatted("a.example"));
        assertThat(resources(gateway(), XdsType.LISTENER))
                .containsKey("0.0.0.0_81")
                .doesNotContainKey("0.0.0.0_80");
    }

    @Test
    void givenAListenerSet_thenItAddsPortsHostsAndCertificates() {
        apply(BASE.replace("  listeners:", "  allowedListeners: {namespaces: {from: All}}\n  listeners:"));
        apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: more, namespace: shop}
                spec:
                  parentRef: {name: gw, namespace: edge}
                  listeners:
                  - {name: http, port: 80, protocol: HTTP, hostname: more.example}
                  - {name: tls, port: 444, protocol: HTTPS, tls: {certificateRefs: [{name: own}]}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: more, namespace: shop}
                spec:
                  parentRefs: [{kind: ListenerSet, name: more}]
                  rules: [{backendRefs: [{name: web, port: 80}]}]
                """);
        apply(TlsSecrets.good("shop", "own"));
        var store = gateway();

        assertThat(resources(store, XdsType.LISTENER)).containsKeys("0.0.0.0_80", "0.0.0.0_444");
        assertThat(routes(store, "http.80").getVirtualHosts(0).getDomainsList()).containsExactly("more.example");
        assertThat(routes(store, "https.444.tls.more.shop.listenerset")
                        .getVirtualHosts(0)
                        .getRoutesCount())
                .isEqualTo(1);
        assertThat(envoys.needed(mesh.cut()))
                .contains(new ManifestId(CredentialManifest.class, new ObjectKey("Kubernetes", "shop", "own")));
        apply(BASE);
        assertThat(resources(store, XdsType.LISTENER))
                .describedAs("the Gateway does not want it any more")
                .doesNotContainKey("0.0.0.0_444");
    }

    @Test
    void givenADestinationRuleWithACredential_thenItsSecretIsAskedForWhereItIsUsed() {
        apply(BASE);
        apply(ROUTE.formatted("a.example"));
        apply("""
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: web, namespace: shop}
                spec:
                  host: web.shop.svc.cluster.local
                  trafficPolicy: {tls: {mode: MUTUAL, credentialName: client}}
                ---
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: unused, namespace: shop}
                spec:
                  host: unused.shop.svc.cluster.local
                  trafficPolicy: {tls: {mode: MUTUAL, credentialName: other}}
                """);
        assertThat(envoys.needed(mesh.cut()))
                .extracting(object -> object.key().path())
                .containsExactlyInAnyOrder("edge/cert", "edge/client", "edge/client-cacert");
        assertThat(envoys.isConfidential(XdsType.SECRET, "kubernetes://client-cacert"))
                .isTrue();
        assertThat(Ids.problem(mesh.cut(), envoys.problems(), Ids.of("DestinationRule/shop/web")))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("credential-missing"));
    }

    @Test
    void givenServersThatCannotShareAPort_thenTheGatewayOfTheLaterIsTold() {
        apply(BASE);
        apply("""
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: late, namespace: shop}
                spec:
                  selector: {gateway.networking.k8s.io/gateway-name: gw}
                  servers:
                  - {port: {number: 80, name: raw, protocol: TCP}, hosts: ["*"]}
                  - port: {number: 444, name: tls, protocol: HTTPS}
                    hosts: [b.example]
                    tls: {mode: SIMPLE, credentialName: gone}
                """);
        assertThat(Ids.problems(mesh.cut(), envoys.problems(), Ids.of("networking.istio.io/Gateway/shop/late")))
                .extracting(Problem::code)
                .containsExactlyInAnyOrder("ingress-port-conflict", "credential-missing");
    }

    @Test
    void givenACipherSuiteThatNobodyKnows_thenItIsLeftOutAndTheGatewayIsTold() throws InvalidProtocolBufferException {
        apply(BASE);
        apply(TlsSecrets.good("edge", "own"));
        apply("""
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: classic, namespace: shop}
                spec:
                  selector: {gateway.networking.k8s.io/gateway-name: gw}
                  servers:
                  - port: {number: 444, name: tls, protocol: HTTPS}
                    hosts: [b.example]
                    tls:
                      mode: SIMPLE
                      credentialName: own
                      cipherSuites: [ECDHE-RSA-AES128-GCM-SHA256, fake, ECDHE-RSA-AES128-GCM-SHA256, AES128-SHA]
                """);
        var listener = Listener.parseFrom(
                requireNonNull(resources(gateway(), XdsType.LISTENER).get("0.0.0.0_444"))
                        .body());
        var tls = listener.getFilterChains(0)
                .getTransportSocket()
                .getTypedConfig()
                .unpack(DownstreamTlsContext.class);
        assertThat(tls.getCommonTlsContext().getTlsParams().getCipherSuitesList())
                .containsExactly("ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA");
        assertThat(Ids.problem(mesh.cut(), envoys.problems(), Ids.of("networking.istio.io/Gateway/shop/classic")))
                .hasValueSatisfying(problem -> {
                    assertThat(problem.code()).isEqualTo("cipher-suite-unknown");
                    assertThat(problem.message()).contains("servers[0].tls.cipherSuites[1]", "\"fake\"");
                });
    }

    @Test
    void givenACompliancePolicy_thenAllTlsIsKeptToIt() throws InvalidProtocolBufferException {
        start(AmbientConfig.defaults().with(Feature.POST_QUANTUM_TLS));
        apply(BASE);
        apply(TlsSecrets.good("edge", "cert"));
        var store = gateway();
        var served = Listener.parseFrom(
                        requireNonNull(resources(store, XdsType.LISTENER).get("0.0.0.0_443"))
                                .body())
                .getFilterChains(0)
                .getTransportSocket()
                .getTypedConfig()
                .unpack(DownstreamTlsContext.class)
                .getCommonTlsContext()
                .getTlsParams();
        var tunnels = Cluster.parseFrom(
                        requireNonNull(resources(store, XdsType.CLUSTER).get("connect_originate"))
                                .body())
                .getTransportSocket()
                .getTypedConfig()
                .unpack(UpstreamTlsContext.class)
                .getCommonTlsContext()
                .getTlsParams();
        assertThat(List.of(served, tunnels)).allSatisfy(tls -> {
            assertThat(tls.getTlsMinimumProtocolVersion()).isEqualTo(TlsProtocol.TLSv1_3);
            assertThat(tls.getTlsMaximumProtocolVersion()).isEqualTo(TlsProtocol.TLSv1_3);
            assertThat(tls.getEcdhCurvesList()).containsExactly("X25519MLKEM768");
        });
    }

    @Test
    void givenTunnels_thenTheOtherEndIsToldWhoseTheyAre() throws InvalidProtocolBufferException {
        apply(BASE);
        var listener = Listener.parseFrom(
                requireNonNull(resources(gateway(), XdsType.LISTENER).get("connect_originate"))
                        .body());
        var headers = listener.getFilterChains(0)
                .getFilters(0)
                .getTypedConfig()
                .unpack(TcpProxy.class)
                .getTunnelingConfig()
                .getHeadersToAddList();
        assertThat(headers).singleElement().satisfies(header -> {
            assertThat(header.getHeader().getKey()).isEqualTo("baggage");
            assertThat(header.getHeader().getValue())
                    .isEqualTo("k8s.cluster.name=Kubernetes,k8s.namespace.name=edge,k8s.deployment.name=gw,"
                            + "service.name=gw,service.version=latest");
        });
    }

    @Test
    void givenConnectionsThatSomebodyWants_thenTheirPortIsServed() {
        apply(BASE);
        var store = gateway();
        apply("""
                apiVersion: gateway.networking.k8s.io/v1alpha2
                kind: TCPRoute
                metadata: {name: raw, namespace: shop}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: tcp}]
                  rules: [{backendRefs: [{name: web, port: 80}]}]
                """);
        assertThat(resources(store, XdsType.LISTENER)).containsKey("0.0.0.0_9000");
        assertThat(resources(store, XdsType.CLUSTER)).containsKey("outbound|80||web.shop.svc.cluster.local");
    }

    @Test
    void givenAnIstioGatewayThatSelectsPods_thenThoseAreConfiguredAlike() throws InvalidProtocolBufferException {
        apply(BASE);
        apply("""
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: classic, namespace: shop}
                spec:
                  selector: {istio: ingressgateway}
                  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [c.example]}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: classic, namespace: shop}
                spec:
                  hosts: [c.example]
                  gateways: [classic]
                  http: [{route: [{destination: {host: web, port: {number: 80}}}]}]
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: gw-1
                  namespace: edge
                  labels: {istio: ingressgateway, app: gw, pod-template-hash: abc}
                  annotations: {proxy.istio.io/config: "gatewayTopology: {proxyProtocol: {}}"}
                spec: {nodeName: node, serviceAccountName: gw, containers: [{name: main}]}
                status: {phase: Running, podIP: 10.0.0.9}
                """);
        var store = store(Map.of("app", "gw", "istio", "ingressgateway", "pod-template-hash", "def"));

        assertThat(resources(store, XdsType.LISTENER)).containsOnlyKeys("0.0.0.0_8080", "connect_originate");
        var listener = Listener.parseFrom(
                requireNonNull(resources(store, XdsType.LISTENER).get("0.0.0.0_8080"))
                        .body());
        assertThat(listener.getListenerFilters(0).getName()).isEqualTo("envoy.filters.listener.proxy_protocol");
        assertThat(routes(store, "http.8080").getVirtualHosts(0).getDomainsList())
                .containsExactly("c.example");
        assertThat(resources(store, XdsType.CLUSTER)).containsKey("outbound|80||web.shop.svc.cluster.local");
        assertThat(resources(gateway(), XdsType.LISTENER)).doesNotContainKey("0.0.0.0_8080");
        var key = "kubernetes://cert";
        var labels = Map.of("app", "gw", "istio", "ingressgateway");
        assertThat(envoys.isKeptFrom(node("gw", labels), XdsType.SECRET, key)).isFalse();
        assertThat(envoys.isKeptFrom(node("other", labels), XdsType.SECRET, key))
                .describedAs("an account that none of its pods has")
                .isTrue();
    }
}
