// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DiscoveryType;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LbPolicy;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.envoy.sds.SecretSources;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import io.fathom.wire.kube.traffic.TrafficPolicy.Warmup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClustersTest {
    private static final ProxySettings SETTINGS =
            ProxySettings.of(new MeshTls(SecretSource.COMPANION, List.of("cluster.local")));
    private static final Clusters CLUSTERS = new Clusters(SETTINGS);

    private static Cluster gateway(TrafficPolicy policy) {
        return CLUSTERS.outbound(
                        ProxyRole.INGRESS, Drafts.service().build(), Drafts.HTTP, Drafts.traffic(policy), List::of)
                .getFirst()
                .cluster();
    }

    private static HttpProtocolOptions http(Cluster cluster) throws InvalidProtocolBufferException {
        return cluster.getTypedExtensionProtocolOptionsOrThrow(ProtocolOptions.KEY)
                .unpack(HttpProtocolOptions.class);
    }

    static Stream<Arguments> ports() {
        return Stream.of(
                argumentSet("given HTTP, then one cluster", AppProtocol.HTTP11, List.of("http")),
                argumentSet("given gRPC, then one cluster", AppProtocol.GRPC, List.of("http")),
                argumentSet("given TLS, then one cluster for TCP", AppProtocol.TLS, List.of("tcp")),
                argumentSet("given no protocol, then one for each", AppProtocol.UNKNOWN, List.of("http", "tcp")));
    }

    @ParameterizedTest
    @MethodSource("ports")
    void whenAWaypointServesAPort(AppProtocol protocol, List<String> layers) {
        var port = new ServicePort(80, "p", protocol);
        var traffic = Drafts.traffic(TrafficPolicy.NONE, Drafts.subset("v1", Map.of("version", "v1")));

        var names = CLUSTERS.behindWaypoint(Drafts.service().build(), port, traffic, List::of).stream()
                .map(built -> built.cluster().getName())
                .toList();

        assertThat(names)
                .isEqualTo(layers.stream()
                        .flatMap(layer -> Stream.of(
                                "inbound-vip|80|" + layer + "|" + Drafts.HOST,
                                "inbound-vip|80|" + layer + "/v1|" + Drafts.HOST))
                        .toList());
    }

    @Test
    void givenNothingWritten_thenDefaultsOfTheMeshApply() throws Exception {
        var built = CLUSTERS.behindWaypoint(Drafts.service().build(), Drafts.HTTP, ServiceTraffic.NONE, List::of)
                .getFirst();
        var cluster = built.cluster();

        assertThat(cluster.getType()).isEqualTo(DiscoveryType.EDS);
        assertThat(cluster.getEdsClusterConfig().getServiceName()).isEqualTo(cluster.getName());
        assertThat(cluster.getEdsClusterConfig().getEdsConfig().hasAds()).isTrue();
        assertThat(cluster.getAltStatName()).isEqualTo(cluster.getName() + ";");
        assertThat(cluster.getLbPolicy()).isEqualTo(LbPolicy.LEAST_REQUEST);
        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(10);
        assertThat(cluster.hasOutlierDetection()).isFalse();
        assertThat(cluster.getTransportSocket().getName()).isEqualTo("envoy.transport_sockets.internal_upstream");
        var limits = cluster.getCircuitBreakers().getThresholds(0);
        assertThat(Integer.toUnsignedLong(limits.getMaxConnections().getValue()))
                .isEqualTo(4294967295L);
        assertThat(Integer.toUnsignedLong(limits.getMaxRetries().getValue())).isEqualTo(4294967295L);
        assertThat(limits.getTrackRemaining()).isTrue();
        assertThat(http(cluster).getExplicitHttpConfig().hasHttpProtocolOptions())
                .isTrue();
        var about = cluster.getMetadata().getFilterMetadataOrThrow("istio");
        assertThat(about.getFieldsMap()).containsOnlyKeys("services");
        assertThat(about.getFieldsOrThrow("services")
                        .getListValue()
                        .getValues(0)
                        .getStructValue()
                        .getFieldsOrThrow("host")
                        .getStringValue())
                .isEqualTo(Drafts.HOST);
        assertThat(built.endpoints())
                .hasValue(new EndpointPlan(
                        built.name(), ProxyRole.WAYPOINT, Drafts.KEY, 80, Map.of(), new Placement.Anywhere()));
    }

    @Test
    void givenARule_thenItsOriginAndSubsetAreNamed() {
        var traffic = Drafts.traffic(TrafficPolicy.NONE, Drafts.subset("v1", Map.of("version", "v1")));
        var built = CLUSTERS.outbound(ProxyRole.INGRESS, Drafts.service().build(), Drafts.HTTP, traffic, List::of);

        assertThat(built.stream().map(one -> one.name().toString()))
                .containsExactly("outbound|80||" + Drafts.HOST, "outbound|80|v1|" + Drafts.HOST);
        var about = built.getLast().cluster().getMetadata().getFilterMetadataOrThrow("istio");
        assertThat(about.getFieldsOrThrow("config").getStringValue())
                .isEqualTo("/apis/networking.istio.io/v1/namespaces/shop/destination-rule/rule");
        assertThat(about.getFieldsOrThrow("subset").getStringValue()).isEqualTo("v1");
        assertThat(built.getLast().endpoints().orElseThrow().labels()).isEqualTo(Map.of("version", "v1"));
    }

    static Stream<Arguments> speeches() {
        return Stream.of(
                argumentSet("HTTP/2 stays", AppProtocol.HTTP2, ProxyRole.INGRESS, "h2"),
                argumentSet("gRPC is HTTP/2", AppProtocol.GRPC, ProxyRole.WAYPOINT, "h2"),
                argumentSet("HTTP is HTTP/1", AppProtocol.HTTP11, ProxyRole.WAYPOINT, "h1"),
                argumentSet("unknown at a waypoint is the client's", AppProtocol.UNKNOWN, ProxyRole.WAYPOINT, "client"),
                argumentSet("unknown at a gateway is HTTP/1", AppProtocol.UNKNOWN, ProxyRole.INGRESS, "h1"));
    }

    @ParameterizedTest
    @MethodSource("speeches")
    void whenAProtocolIsChosen(AppProtocol protocol, ProxyRole role, String want) throws Exception {
        var cluster = CLUSTERS.outbound(
                        role,
                        Drafts.service().build(),
                        new ServicePort(80, "p", protocol),
                        ServiceTraffic.NONE,
                        List::of)
                .getFirst()
                .cluster();
        var options = http(cluster);

        assertThat(options.hasUseDownstreamProtocolConfig()).isEqualTo(want.equals("client"));
        assertThat(options.getExplicitHttpConfig().hasHttp2ProtocolOptions()).isEqualTo(want.equals("h2"));
    }

    static Stream<Arguments> resolutions() {
        return Stream.of(
                Arguments.of(Resolution.ENDPOINTS, DiscoveryType.EDS, LbPolicy.LEAST_REQUEST),
                Arguments.of(Resolution.DNS, DiscoveryType.STRICT_DNS, LbPolicy.LEAST_REQUEST),
                Arguments.of(Resolution.DNS_ROUND_ROBIN, DiscoveryType.LOGICAL_DNS, LbPolicy.LEAST_REQUEST),
                Arguments.of(Resolution.NONE, DiscoveryType.ORIGINAL_DST, LbPolicy.CLUSTER_PROVIDED));
    }

    @ParameterizedTest
    @MethodSource("resolutions")
    void whenEndpointsAreFound(Resolution resolution, DiscoveryType type, LbPolicy balancing) {
        var service = Drafts.service();
        service.resolution = resolution;

        var built = CLUSTERS.outbound(ProxyRole.INGRESS, service.build(), Drafts.HTTP, ServiceTraffic.NONE, List::of)
                .getFirst();

        assertThat(built.cluster().getType()).isEqualTo(type);
        assertThat(built.cluster().getLbPolicy()).isEqualTo(balancing);
        assertThat(built.endpoints().isPresent()).isEqualTo(resolution == Resolution.ENDPOINTS);
    }

    @Test
    void givenDynamicDns_thenTheHostOfEachRequestIsLookedUp() {
        var service = Drafts.service();
        service.resolution = Resolution.DYNAMIC_DNS;
        service.host = "*.example.com";

        var cluster = CLUSTERS.outbound(ProxyRole.WAYPOINT, service.build(), Drafts.HTTP, ServiceTraffic.NONE, List::of)
                .getFirst()
                .cluster();

        assertThat(cluster.getClusterType().getName()).isEqualTo("envoy.clusters.dynamic_forward_proxy");
        assertThat(cluster.getLbPolicy()).isEqualTo(LbPolicy.CLUSTER_PROVIDED);
    }

    @Test
    void givenDns_thenNamesOfMembersAreListedOrElseTheHost() {
        var service = Drafts.service();
        service.resolution = Resolution.DNS;
        service.host = "api.example.com";
        var draft = Drafts.member("a", "a.example.com", 8443);
        draft.host = "shop/api.example.com";

        var listed = CLUSTERS.outbound(
                        ProxyRole.INGRESS,
                        service.build(),
                        Drafts.HTTP,
                        ServiceTraffic.NONE,
                        () -> List.of(draft.build()))
                .getFirst()
                .cluster()
                .getLoadAssignment();
        var bare = CLUSTERS.outbound(ProxyRole.INGRESS, service.build(), Drafts.HTTP, ServiceTraffic.NONE, List::of)
                .getFirst()
                .cluster()
                .getLoadAssignment();

        assertThat(listed.getEndpoints(0)
                        .getLbEndpoints(0)
                        .getEndpoint()
                        .getAddress()
                        .getSocketAddress())
                .satisfies(address -> {
                    assertThat(address.getAddress()).isEqualTo("a.example.com");
                    assertThat(address.getPortValue()).isEqualTo(8443);
                });
        assertThat(bare.getEndpoints(0)
                        .getLbEndpoints(0)
                        .getEndpoint()
                        .getAddress()
                        .getSocketAddress())
                .satisfies(address -> {
                    assertThat(address.getAddress()).isEqualTo("api.example.com");
                    assertThat(address.getPortValue()).isEqualTo(80);
                });
    }

    @Test
    void givenWarmupAndBudget_thenNewEndpointsGetLittleAndRetriesAreFew() {
        var policy = new TrafficPolicy(
                Optional.of(new LoadBalancer(
                        Optional.of(Simple.ROUND_ROBIN),
                        Optional.empty(),
                        Optional.of(new Warmup(Duration.ofSeconds(30), OptionalDouble.empty(), OptionalDouble.of(2))),
                        Optional.empty())),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new RetryBudget(OptionalDouble.empty(), OptionalInt.empty(), Optional.empty())));

        var cluster = gateway(policy);

        var slow = cluster.getRoundRobinLbConfig().getSlowStartConfig();
        assertThat(slow.getSlowStartWindow().getSeconds()).isEqualTo(30);
        assertThat(slow.getMinWeightPercent().getValue()).isEqualTo(10);
        assertThat(slow.getAggression().getDefaultValue()).isEqualTo(2);
        var budget = cluster.getCircuitBreakers().getThresholds(0).getRetryBudget();
        assertThat(budget.getBudgetPercent().getValue()).isEqualTo(20);
        assertThat(budget.getMinRetryConcurrency().getValue()).isEqualTo(3);
    }

    @Test
    void givenOutlierDetection_thenOnlyCountsDecideAndPanicIsOff() {
        var cluster = gateway(Policies.outliers(7, Duration.ofSeconds(1), Duration.ofSeconds(2)));

        assertThat(cluster.getOutlierDetection().getConsecutive5Xx().getValue()).isEqualTo(7);
        assertThat(cluster.getOutlierDetection().getEnforcingSuccessRate().getValue())
                .isZero();
        assertThat(cluster.getCommonLbConfig().hasHealthyPanicThreshold()).isTrue();
        assertThat(cluster.getCommonLbConfig().getHealthyPanicThreshold().getValue())
                .isZero();
    }

    @Test
    void givenPassthrough_thenTheClientsAddressIsUsed() {
        var cluster = gateway(Policies.balancer(Simple.PASSTHROUGH));

        assertThat(cluster.getType()).isEqualTo(DiscoveryType.ORIGINAL_DST);
        assertThat(cluster.getLbPolicy()).isEqualTo(LbPolicy.CLUSTER_PROVIDED);
    }

    @Test
    void givenAGateway_thenTheEndpointDecidesAboutTheTunnel() {
        var matches = gateway(TrafficPolicy.NONE).getTransportSocketMatchesList();

        assertThat(matches.stream().map(Cluster.TransportSocketMatch::getName))
                .containsExactly("hbone", "tlsMode-disabled");
        assertThat(matches.getFirst().getMatch().getFieldsOrThrow("tunnel").getStringValue())
                .isEqualTo("http");
        assertThat(gateway(Policies.tls("/ca.pem", "a.example"))
                        .getTransportSocketMatches(1)
                        .getName())
                .isEqualTo("user");
    }

    @Test
    void givenModesForSidecars_thenThereIsNoTlsInside() {
        for (var mode : List.of(ClientTls.Mode.ISTIO_MUTUAL, ClientTls.Mode.DISABLE)) {
            var tls = new ClientTls(mode, "", "", "", "", List.of(), "", ClientTls.Verification.REQUIRED);
            assertThat(gateway(Policies.tls(tls)).getTransportSocketMatches(1).getTransportSocket())
                    .isEqualTo(TransportSockets.RAW);
        }
    }

    private static UpstreamTlsContext context(Cluster cluster) throws InvalidProtocolBufferException {
        return cluster.getTransportSocketMatches(1)
                .getTransportSocket()
                .getTypedConfig()
                .unpack(UpstreamTlsContext.class);
    }

    @Test
    void givenTlsWithoutNames_thenRequestsGiveThemAndSystemRootsCount() throws Exception {
        var cluster = gateway(Policies.tls(
                new ClientTls(ClientTls.Mode.SIMPLE, "", "", "", "", List.of(), "", ClientTls.Verification.REQUIRED)));

        assertThat(http(cluster).getUpstreamHttpProtocolOptions().getAutoSni()).isTrue();
        assertThat(http(cluster).getUpstreamHttpProtocolOptions().getAutoSanValidation())
                .isTrue();
        assertThat(context(cluster)
                        .getCommonTlsContext()
                        .getValidationContext()
                        .getTrustedCa()
                        .getFilename())
                .isEqualTo(ProxySettings.SYSTEM_ROOTS);
    }

    @Test
    void givenACredential_thenItsHalvesAreAskedForByName() throws Exception {
        var cluster = gateway(Policies.tls(new ClientTls(
                ClientTls.Mode.MUTUAL,
                "",
                "",
                "",
                "client",
                List.of("spiffe://a/b"),
                "a.example",
                ClientTls.Verification.REQUIRED)));

        var tls = context(cluster).getCommonTlsContext();
        assertThat(tls.getTlsCertificateSdsSecretConfigs(0).getName()).isEqualTo("kubernetes://client");
        assertThat(tls.getCombinedValidationContext()
                        .getValidationContextSdsSecretConfig()
                        .getName())
                .isEqualTo("kubernetes://client-cacert");
        assertThat(context(cluster).getSni()).isEqualTo("a.example");
    }

    static Stream<Arguments> authorities() {
        return Stream.of(
                argumentSet(
                        "a ConfigMap becomes a secret of its own",
                        new Authorities.Bundle(new ObjectKey("c1", "shop", "ca")),
                        "configmap://shop/ca-cacert"),
                argumentSet(
                        "a bad reference becomes a secret that nobody sends",
                        new Authorities.Nobody("gone"),
                        "invalid://shop/policy"));
    }

    @Test
    void whenListenersAndClustersNameTheSameSecret_thenTheyAskInTheSameWay() {
        assertThat(SecretSource.CONTROL_PLANE.secret("kubernetes-gateway://edge/cert"))
                .isEqualTo(SecretSources.of("kubernetes-gateway://edge/cert", SecretSource.COMPANION));
    }

    @Test
    void givenACertificateForBackends_thenItIsShownWhereAPolicyAsksForTls() throws Exception {
        var tls = new BackendTls(
                new ObjectKey("c1", "shop", "policy"), "", "a.example", List.of(), new Authorities.SystemRoots());
        var name = "kubernetes-gateway://edge/client";
        var showing = new Clusters(SETTINGS.withClientCertificate(Optional.of(name)));
        var cluster = showing.outbound(
                        ProxyRole.INGRESS,
                        Drafts.service().build(),
                        Drafts.HTTP,
                        new ServiceTraffic(Optional.empty(), List.of(tls), Optional.empty()),
                        List::of)
                .getFirst()
                .cluster();

        assertThat(context(cluster).getCommonTlsContext().getTlsCertificateSdsSecretConfigsList())
                .singleElement()
                .satisfies(secret -> assertThat(secret.getName()).isEqualTo(name));
    }

    @ParameterizedTest
    @MethodSource("authorities")
    void whenAPolicyAsksForTls(Authorities authorities, String secret) throws Exception {
        var tls = new BackendTls(new ObjectKey("c1", "shop", "policy"), "", "a.example", List.of(), authorities);
        var cluster = CLUSTERS.outbound(
                        ProxyRole.INGRESS,
                        Drafts.service().build(),
                        Drafts.HTTP,
                        new ServiceTraffic(Optional.empty(), List.of(tls), Optional.empty()),
                        List::of)
                .getFirst()
                .cluster();

        var validation = context(cluster).getCommonTlsContext().getCombinedValidationContext();
        assertThat(context(cluster).getSni()).isEqualTo("a.example");
        assertThat(validation.getValidationContextSdsSecretConfig().getName()).isEqualTo(secret);
        assertThat(validation
                        .getDefaultValidationContext()
                        .getMatchTypedSubjectAltNames(0)
                        .getMatcher()
                        .getExact())
                .isEqualTo("a.example");
    }

    @Test
    void givenTunnelClusters_thenTheyAreAsPeersExpect() throws Exception {
        var fixed = new FixedClusters(ProxySettings.of(new MeshTls(SecretSource.COMPANION, List.of("a", "b"))));
        var originate = fixed.connectOriginate();
        var tls = originate.getTransportSocket().getTypedConfig().unpack(UpstreamTlsContext.class);

        assertThat(originate.getOriginalDstLbConfig().getUpstreamPortOverride().getValue())
                .isEqualTo(15008);
        assertThat(http(originate)
                        .getExplicitHttpConfig()
                        .getHttp2ProtocolOptions()
                        .getAllowConnect())
                .isTrue();
        assertThat(tls.getSni()).isEmpty();
        assertThat(tls.getCommonTlsContext()
                        .getTlsCertificateSdsSecretConfigs(0)
                        .getName())
                .isEqualTo("default");
        assertThat(tls.getCommonTlsContext()
                        .getCombinedValidationContext()
                        .getDefaultValidationContext()
                        .getMatchTypedSubjectAltNamesList())
                .extracting(san -> san.getMatcher().getPrefix())
                .containsExactly("spiffe://a/", "spiffe://b/");
        assertThat(fixed.ofWaypoint().stream().map(Cluster::getName))
                .containsExactly("main_internal", "encap", "connect_originate", "BlackHoleCluster");
    }
}
