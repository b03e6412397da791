// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.model.mesh.Identity;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Our node proxy as the client of a cluster that is upstream's: the east-west gateway there is a stock Envoy that gets
/// its configuration from a stock istiod. Pods and waypoint there are played by this process.
@Tag("slow")
@Tag("interop")
class StockGatewayIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity GATEWAY = new Identity("cluster.local", "edge", "eastwest");
    private static final Identity SERVER = new Identity("cluster.local", "shop", "server");
    private static final String GLOBAL = "{istio.io/global: \"true\"}";

    /// What only Istio's own Envoy has: labels of metrics. All the rest is as istiod says.
    private static final String WITHOUT_ISTIOS_OWN = """
            apiVersion: networking.istio.io/v1alpha3
            kind: EnvoyFilter
            metadata: {name: stock-envoy, namespace: edge}
            spec:
              targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: eastwest}]
              configPatches:
              - applyTo: HTTP_FILTER
                match:
                  listener:
                    filterChain:
                      filter:
                        name: envoy.filters.network.http_connection_manager
                        subFilter: {name: waypoint_downstream_peer_metadata}
                patch: {operation: REMOVE}
              - applyTo: NETWORK_FILTER
                match: {listener: {filterChain: {filter: {name: istio.metadata_exchange}}}}
                patch: {operation: REMOVE}
              - applyTo: NETWORK_FILTER
                match: {listener: {filterChain: {filter: {name: istio.stats}}}}
                patch: {operation: REMOVE}
            """;

    private static final String WAYPOINT = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: shop}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: Hostname, value: waypoint.shop.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: waypoint, namespace: shop, labels: {gateway.istio.io/managed: istio.io-mesh-controller}}
            spec: {selector: {gateway.networking.k8s.io/gateway-name: waypoint}, ports: [{name: mesh, port: 15008}]}
            """;

    private static final LabAuthority authority = new LabAuthority();
    private static final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private static final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private static LabLink link;
    private static KubeApiServer east;
    private static XdsTap tap;
    private static MeshLab west;
    private static LabPod client;
    private static final List<EchoPod> pods = new ArrayList<>();
    private static int asked;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        east = keep(KubeApiServer.start(InstantSource.system()));
        link = keep(new LabLink());
        apply("""
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: east}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                ---
                """ + EastWestLab.MESH_CONFIG + """
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: eastwest, namespace: edge, labels: {topology.istio.io/network: east}}
                spec:
                  gatewayClassName: istio-east-west
                  listeners:
                  - name: mesh
                    port: 15008
                    protocol: HBONE
                    tls: {mode: Terminate, options: {gateway.istio.io/tls-terminate-mode: ISTIO_MUTUAL}}
                status: {addresses: [{type: IPAddress, value: %s}]}
                """.formatted(link.proxy()));
        pod("edge", "eastwest-1", link.proxy(), "eastwest", """
                {gateway.networking.k8s.io/gateway-name: eastwest, gateway.istio.io/managed: istio.io-eastwest-controller}""", "{}");
        apply(WITHOUT_ISTIOS_OWN);
        service("db", GLOBAL);
        service("local", "{}");
        service("guarded", "{istio.io/global: \"true\", istio.io/use-waypoint: waypoint}");
        var waypoint = keep(new EchoPod("waypoint-1", link.addPod(), WaypointLab.WAYPOINT, authority, loops));
        apply(WAYPOINT);
        pod("shop", "waypoint-1", waypoint.ip(), "waypoint", """
                {gateway.networking.k8s.io/gateway-name: waypoint, gateway.istio.io/managed: istio.io-mesh-controller}""", "{}");
        slice("waypoint", waypoint, "{name: mesh, port: 15008}");
        for (var name : List.of("db-1", "db-2", "guarded-1", "local-1")) {
            var pod = keep(new EchoPod(name, link.addPod(), SERVER, authority, loops));
            pods.add(pod);
            slice(name.split("-", -1)[0], pod, "{name: http, port: 8080}");
            pod(
                    "shop",
                    name,
                    pod.ip(),
                    "server",
                    "{app: " + name.split("-", -1)[0] + "}",
                    "{ambient.istio.io/redirection: enabled}");
        }
        var istiod = keep(Istiod.startWithCertificates(
                east, Map.of("AMBIENT_ENABLE_MULTI_NETWORK", "true", "AMBIENT_ENABLE_BAGGAGE", "false")));
        tap = keep(new XdsTap(link.host(), istiod.port()));
        var secrets = keep(new SecretServer(link.host(), authority.of(GATEWAY)));
        var gateway = LabEnvoy.start(
                east.workspace(),
                link,
                "eastwest-1",
                new LabEnvoy.Start("waypoint", "edge", "eastwest", "eastwest", tap.port(), secrets.port(), ""),
                // later ones are sent filter state that only Istio's Envoy can make
                text -> text.replace("ISTIO_VERSION: 1.32.0", "ISTIO_VERSION: 1.29.1")
                        .replace("LABELS: {", "LABELS: {gateway.istio.io/managed: istio.io-eastwest-controller, "));
        var _ = gateway.ready();

        west = keep(new MeshLab(Map.of(
                "ROOT_CA_DIR",
                authority.plug(folder).toString(),
                "CLUSTER_ID",
                "west",
                "AMBIENT_ENABLE_MULTI_NETWORK",
                "true")));
        var way = keep(new PortRelay(west.host(), 15008, link.proxy(), 15008));
        west.write("mesh", EastWestLab.MESH_CONFIG);
        west.write("elsewhere", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: east
                  namespace: edge
                  labels: {topology.istio.io/network: east}
                  annotations: {gateway.istio.io/service-account: eastwest}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: %s}]
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                """.formatted(way.address()));
        for (var name : List.of("db", "guarded", "local")) {
            remote(name);
        }
        client = west.pod("client", "node-a");
        var proxy = west.proxy("node-a", ProxyProgram.ours(), Map.of("CLUSTER_ID", "west", "NETWORK", "west"));
        keep(proxy);
    }

    /// A service whose endpoints are all in the other cluster, as ours knows it.
    private static void remote(String name) {
        west.write("remote-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: {istio.io/global: "true"}}
                spec: {clusterIP: %2$s, selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                ---
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: %1$s-east, namespace: shop}
                spec: {network: east, serviceAccount: %3$s, labels: {app: %1$s}}
                """.formatted(name, vip(name), name.equals("guarded") ? "waypoint" : "server"));
    }

    private static String vip(String name) {
        return "10.96.79." + name.length();
    }

    @AfterAll
    static void stop() throws Exception {
        while (!parts.isEmpty()) {
            parts.pop().close();
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    private static void apply(String manifests) {
        new ManifestApplier(east)
                .apply(Stream.of(manifests.split("\n---\n", -1))
                        .map(text -> ManifestDocument.parse(text).orElseThrow())
                        .toList());
    }

    private static void service(String name, String labels) {
        apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: %2$s}
                spec: {selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(name, labels));
    }

    /// Nobody makes it from Service and Pod here.
    private static void slice(String service, EchoPod pod, String port) {
        apply("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: %2$s, namespace: shop, labels: {kubernetes.io/service-name: %1$s}}
                addressType: IPv4
                endpoints:
                - addresses: [%3$s]
                  conditions: {ready: true}
                  targetRef: {kind: Pod, name: %2$s, namespace: shop}
                ports: [%4$s]
                """.formatted(service, pod.name(), pod.ip(), port));
    }

    private static void pod(
            String namespace, String name, String ip, String account, String labels, String annotations) {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %2$s, namespace: %1$s, labels: %5$s, annotations: %6$s}
                spec: {nodeName: node, serviceAccountName: %4$s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %3$s, podIPs: [{ip: %3$s}], conditions: [{type: Ready, status: "True"}]}
                """.formatted(namespace, name, ip, account, labels, annotations));
    }

    @Test
    void givenAllThatIstiodSays_thenTheStockEnvoyHasTakenIt() {
        assertThat(tap.requests()).isNotEmpty().noneMatch(DeltaDiscoveryRequest::hasErrorDetail);
    }

    /// The other half of case 25.
    @Test
    void case25_givenServiceBehindAStockGateway_whenItIsCalled_thenAllPodsThereGetTheirShare() {
        var seen = new HashSet<String>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            var answer = ask("db");
            pods.stream().map(EchoPod::name).filter(answer::contains).forEach(seen::add);
            return seen.equals(Set.of("db-1", "db-2"));
        });
        assertThat(pods.stream().filter(pod -> pod.name().startsWith("db-")))
                .allSatisfy(pod -> assertThat(pod.tunnels()).allSatisfy(tunnel -> {
                    assertThat(tunnel.tls().identities())
                            .containsExactly(new Identity("cluster.local", "lab", "client"));
                    assertThat(tunnel.headers().authority()).isEqualTo("db.shop.svc.cluster.local:80");
                    assertThat(tunnel.headers().forwardedNetwork()).contains("west");
                    assertThat(tunnel.peer().ip()).hasToString(link.proxy());
                }));
    }

    @Test
    void givenWaypointThere_whenTheServiceIsCalled_thenTheWaypointAnswers() {
        Awaitility.await().atMost(PATIENCE).until(() -> ask("guarded").contains("x-pod: waypoint-1"));
    }

    @Test
    void givenServiceThatIsLocalThere_whenItIsCalled_thenTheGatewayRefuses() {
        Awaitility.await().atMost(PATIENCE).until(() -> ask("db").contains("x-pod: db-"));
        assertThat(ask("local")).doesNotContain("x-pod");
        assertThat(pods.stream().filter(pod -> pod.name().startsWith("local-")))
                .allSatisfy(pod -> assertThat(pod.tunnels()).isEmpty());
    }

    private static String ask(String service) {
        var name = "ask-" + asked++;
        try {
            west.run(client, name, List.of("curl", "-sS", "-i", "--max-time", "5", "http://" + vip(service) + "/"))
                    .waitFor();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return west.log(name);
    }
}
