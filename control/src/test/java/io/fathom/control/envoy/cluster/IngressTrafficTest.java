// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ApiConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.waypoint.OtherNetworks;
import io.fathom.control.envoy.waypoint.TunnelSource;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The kinds of endpoints that an ingress gateway has, and TLS inside tunnels, in a stock Envoy with real servers. Each
/// case has a path of its own.
@Tag("slow")
class IngressTrafficTest {
    private static final String VIP = "10.96.0.1";
    private static final GatewayAddress FIRST = waypoint("first");
    private static final GatewayAddress SECOND = waypoint("second");

    @TempDir
    static Path folder;

    private static final Lab lab = new Lab();
    private static final List<Cluster> clusters = new ArrayList<>();
    private static final List<Route> routes = new ArrayList<>();
    private static StockEnvoy envoy;
    private static Calls calls;

    private static GatewayAddress waypoint(String name) {
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByHostname(
                        new NamespacedHostname("shop", name + ".shop.svc.cluster.local")),
                Envoys.HBONE);
    }

    @BeforeAll
    static void start() throws Exception {
        addKinds();
        addRemote();
        var secrets = addTls();

        var settings = ProxySettings.of(lab.tls());
        var fixed = new FixedClusters(settings);
        clusters.addAll(fixed.ofIngress());
        clusters.addAll(fixed.toOtherNetworks());
        var listeners = new ArrayList<>(List.of(Envoys.entrance(Envoys.manager(routes)), Envoys.connectOriginate()));
        listeners.addAll(OtherNetworks.listeners(TunnelSource.GATEWAY, "home"));
        envoy = lab.start(folder, listeners, clusters, secrets);
        calls = new Calls(envoy);
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static Drafts.ServiceDraft service(String path) {
        var draft = Drafts.service();
        draft.host = path.substring(1) + ".shop.svc.cluster.local";
        return draft;
    }

    private static Member member(MeshService service, Lab.Pod pod) {
        var draft = Drafts.member(pod.name, pod.address, pod.port());
        draft.host = service.service().key();
        return draft.build();
    }

    private static BuiltCluster outbound(MeshService service) {
        return new Clusters(ProxySettings.of(lab.tls()))
                .outbound(ProxyRole.INGRESS, service, Drafts.HTTP, ServiceTraffic.NONE, List::of)
                .getFirst();
    }

    private static void add(String path, BuiltCluster built, ClusterLoadAssignment endpoints) {
        clusters.add(Envoys.inline(built, endpoints));
        routes.add(Envoys.route(path, built.name().toString()));
    }

    private static void addKinds() throws Exception {
        var mesh = lab.meshPod("mesh");
        var outside = lab.outsidePod("outside");

        var tunnelled = service("/tunnelled").build();
        addMembers("/tunnelled", tunnelled, member(tunnelled, mesh));

        var plain = service("/plain").build();
        var draft = Drafts.member("outside", outside.address, outside.port()).plain();
        draft.host = plain.service().key();
        addMembers("/plain", plain, draft.build());

        var first = lab.outsidePod("through-first");
        var second = lab.outsidePod("through-second");
        var firstAt = Lab.freshAddress();
        var secondAt = Lab.freshAddress();
        lab.tunnelEnd(firstAt, VIP + ":80", first.address, first.port());
        lab.tunnelEnd(secondAt, VIP + ":80", second.address, second.port());
        var firstPod = Drafts.member("first", firstAt, 0).build();
        var secondPod = Drafts.member("second", secondAt, 0).build();

        var through = behind("/through", Service.IngressWaypoint.USED, List.of());
        addThrough("/through", through, member(through, mesh), new Endpoints.Via(FIRST, 1, List.of(firstPod)));
        var weighted = List.of(new WeightedWaypoint(FIRST, 75), new WeightedWaypoint(SECOND, 25));
        var both = behind("/weighted", Service.IngressWaypoint.USED, weighted);
        addThrough(
                "/weighted",
                both,
                member(both, mesh),
                new Endpoints.Via(FIRST, 75, List.of(firstPod)),
                new Endpoints.Via(SECOND, 25, List.of(secondPod)));
        var closed = behind("/closed", Service.IngressWaypoint.USED, List.of());
        addThrough("/closed", closed, member(closed, mesh), new Endpoints.Via(FIRST, 1, List.of()));
        var direct = behind("/direct", Service.IngressWaypoint.SKIPPED, List.of());
        addThrough("/direct", direct, member(direct, mesh), new Endpoints.Via(FIRST, 1, List.of(firstPod)));
    }

    private static MeshService behind(String path, Service.IngressWaypoint use, List<WeightedWaypoint> weighted) {
        var draft = service(path);
        draft.addresses = List.of(NetworkAddress.of("", Ip.parse(VIP).orElseThrow()));
        draft.waypoint = Optional.of(FIRST);
        draft.weighted = weighted;
        draft.ingress = use;
        return draft.build();
    }

    private static void addMembers(String path, MeshService service, Member member) {
        var built = outbound(service);
        add(path, built, Endpoints.of(built.endpoints().orElseThrow(), service, List.of(member), ProxyLocation.on("")));
    }

    /// As the frame does it: waypoints if the service has some for gateways, else members.
    private static void addThrough(String path, MeshService service, Member member, Endpoints.Via... waypoints) {
        var built = outbound(service);
        var plan = built.endpoints().orElseThrow();
        var set = Endpoints.waypoints(plan, service).isEmpty()
                ? Endpoints.of(plan, service, List.of(member), ProxyLocation.on(""))
                : Endpoints.through(plan, service, List.of(waypoints), ProxyLocation.on(""));
        add(path, built, set);
    }

    /// A pod on another network: the tunnel to its gateway carries a tunnel for the host name.
    private static void addRemote() throws Exception {
        var service = service("/remote").build();
        var pod = lab.outsidePod("remote");
        var innerEnd = Lab.freshAddress();
        var gateway = Lab.freshAddress();
        var target = service.hostname() + ":80";
        lab.tunnelEnd(innerEnd, target, pod.address, pod.port());
        lab.tunnelEnd(gateway, target, innerEnd, Envoys.HBONE);
        var draft = Drafts.member("remote", "10.1.1.1", 8080);
        draft.host = service.service().key();
        draft.network = "elsewhere";
        var way = IpPort.parse(gateway + ":" + Envoys.HBONE).orElseThrow();
        var elsewhere = new Elsewhere(List.of(draft.build()), Map.of("elsewhere", Map.of(way, Reachability.REACHABLE)));
        var built = outbound(service);
        add(
                "/remote",
                built,
                Endpoints.of(built.endpoints().orElseThrow(), service, List.of(), elsewhere, ProxyLocation.on("")));
    }

    private static List<io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret> addTls() throws Exception {
        var users = new TestIdentity("users");
        var strangers = new TestIdentity("strangers");
        var roots = Files.writeString(folder.resolve("users.pem"), users.rootPem());
        var others = Files.writeString(folder.resolve("strangers.pem"), strangers.rootPem());
        var pod = lab.tlsPod("secure", users.server("secure.example"));
        var settings = ProxySettings.of(lab.tls());

        addTls("/tls", pod, Drafts.traffic(Policies.tls(roots.toString(), "secure.example")), settings);
        addTls("/tls-stranger", pod, Drafts.traffic(Policies.tls(others.toString(), "secure.example")), settings);
        addTls("/tls-other-name", pod, Drafts.traffic(Policies.tls(roots.toString(), "other.example")), settings);

        var configMap = new ObjectKey("c1", "shop", "ca");
        var inBootstrap = new ProxySettings(
                settings.tls(),
                SecretSource.BOOTSTRAP,
                settings.systemRoots(),
                settings.connectTimeout(),
                settings.tunnelIdle());
        addTls("/policy", pod, policy(new Authorities.Bundle(configMap)), inBootstrap);
        // the source of secrets never answers, as for any name that begins with invalid:
        clusters.add(nobody());
        var silent = new ProxySettings(
                settings.tls(),
                new SecretSource(Optional.of(ConfigSource.newBuilder()
                        .setApiConfigSource(ApiConfigSource.newBuilder()
                                .setApiType(ApiConfigSource.ApiType.GRPC)
                                .setTransportApiVersion(ApiVersion.V3)
                                .addGrpcServices(GrpcService.newBuilder()
                                        .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder()
                                                .setClusterName("nobody"))))
                        .setResourceApiVersion(ApiVersion.V3)
                        .setInitialFetchTimeout(Duration.newBuilder().setSeconds(1))
                        .build())),
                settings.systemRoots(),
                settings.connectTimeout(),
                settings.tunnelIdle());
        addTls("/policy-bad", pod, policy(new Authorities.Nobody("no ConfigMap")), silent);
        return List.of(CaSecrets.of(new CaBundleManifest(Drafts.metadata("shop", "ca"), users.rootPem())));
    }

    private static ServiceTraffic policy(Authorities authorities) {
        return new ServiceTraffic(
                Optional.empty(),
                List.of(new BackendTls(
                        new ObjectKey("c1", "shop", "policy"), "", "secure.example", List.of(), authorities)),
                Optional.empty());
    }

    private static Cluster nobody() {
        var http2 = HttpProtocolOptions.newBuilder()
                .setExplicitHttpConfig(ExplicitHttpConfig.newBuilder()
                        .setHttp2ProtocolOptions(Http2ProtocolOptions.getDefaultInstance()));
        return Envoys.plainCluster("nobody", Lab.freshAddress(), 1).toBuilder()
                .putTypedExtensionProtocolOptions(ProtocolOptions.KEY, Any.pack(http2.build()))
                .build();
    }

    /// The same service behind a waypoint, and as the target of a gateway.
    private static void addTls(String path, Lab.Pod pod, ServiceTraffic traffic, ProxySettings settings) {
        var service = service(path).build();
        var inside = new Clusters(settings)
                .behindWaypoint(service, Drafts.HTTP, traffic, List::of)
                .getFirst();
        var outside = new Clusters(settings)
                .outbound(ProxyRole.INGRESS, service, Drafts.HTTP, traffic, List::of)
                .getFirst();
        var members = List.of(member(service, pod));
        add(
                path + "/in",
                inside,
                Endpoints.of(inside.endpoints().orElseThrow(), service, members, ProxyLocation.on("")));
        add(
                path + "/out",
                outside,
                Endpoints.of(outside.endpoints().orElseThrow(), service, members, ProxyLocation.on("")));
    }

    /// Cases 71 to 73: in the mesh, outside of it, through a waypoint that is asked for the service's own address.
    @Test
    void givenEachKindOfEndpoint_thenItIsReached() throws Exception {
        assertThat(calls.pod("/tunnelled")).isEqualTo("mesh");
        assertThat(calls.pod("/plain")).isEqualTo("outside");
        assertThat(calls.pod("/through")).isEqualTo("through-first");
    }

    /// Case 74.
    @Test
    void givenAnEndpointOfAnotherNetwork_thenATunnelInsideATunnelReachesIt() throws Exception {
        assertThat(calls.pod("/remote")).isEqualTo("remote");
    }

    /// Case 75.
    @Test
    void givenNoLabelForGateways_thenTheWaypointIsPassedBy() throws Exception {
        assertThat(calls.pod("/direct")).isEqualTo("mesh");
    }

    /// Case 76.
    @Test
    void givenWeightedWaypoints_thenEachGetsItsShare() throws Exception {
        var counts = calls.pods("/weighted", 200);

        assertThat(counts).containsOnlyKeys("through-first", "through-second");
        assertThat(counts.get("through-first")).isBetween(110, 190);
    }

    /// Case 76.
    @Test
    void givenNoReadyWaypoint_thenNothingIsSent() throws Exception {
        assertThat(calls.pods("/closed", 5)).containsOnlyKeys("status 503");
    }

    /// Case 64.
    @Test
    void givenTls_thenItIsInsideTheTunnelAndChecked() throws Exception {
        for (var way : List.of("/in", "/out")) {
            assertThat(calls.pod("/tls" + way)).isEqualTo("secure");
            assertThat(calls.pod("/tls-stranger" + way)).isEqualTo("status 503");
            assertThat(calls.pod("/tls-other-name" + way)).isEqualTo("status 503");
        }
        assertThat(envoy.stat("cluster.connect_originate.ssl.handshake")).isPositive();
    }

    /// Case 65.
    @Test
    void givenBackendTlsPolicy_thenABadReferenceRefusesTraffic() throws Exception {
        for (var way : List.of("/in", "/out")) {
            assertThat(calls.pod("/policy" + way)).isEqualTo("secure");
            assertThat(calls.pods("/policy-bad" + way, 3)).containsOnlyKeys("status 503");
        }
    }
}
