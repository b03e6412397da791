// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.eastWest;
import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.TestMesh.byIp;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.problem.ObjectProblem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Gateways of class `istio-remote` in their three spellings, without `AMBIENT_ENABLE_MULTI_NETWORK`.
class PeerGatewaysTest {
    private static final String WEB = serviceName("app/web");

    private final TestMesh mesh = new TestMesh();

    @Test
    void givenUpstreamsSpelling_thenTheNetworkIsTheLabelAndTheAccountIsNamedAfterTheGateway() {
        mesh.put(remoteGateway("istio-system/east", "net-east").specAddress("IPAddress", "203.0.113.1"));

        var gateway = mesh.workload("NetworkGateway/net-east/203.0.113.1/15008");
        assertThat(gateway.serviceAccount()).isEqualTo("east-istio-remote");
        assertThat(gateway.network()).isEqualTo("net-east");
        assertThat(problems()).isEmpty();
    }

    @Test
    void case14_givenSolosSpelling_thenAccountAndTrustDomainAreThoseOfTheAnnotations() {
        mesh.put(remoteGateway("istio-gateways/istio-remote-peer-east", "net-east")
                .label("topology.istio.io/cluster", "east")
                .annotation("gateway.istio.io/service-account", "gate")
                .annotation("gateway.istio.io/trust-domain", "east.example")
                .namedListener("xds-tls", 15012, "TLS")
                .specAddress("Hostname", "gate.example.com"));

        var gateway = mesh.workload("NetworkGateway/net-east/gate.example.com/15008");
        assertThat(gateway.serviceAccount()).isEqualTo("gate");
        assertThat(gateway.trustDomain()).isEqualTo("east.example");
        assertThat(gateway.namespace()).isEqualTo("istio-gateways");
        assertThat(problems()).isEmpty();
    }

    @Test
    void givenListenerForDiscoveryAlone_thenTunnelsGoToTheUsualPort() {
        mesh.put(plain("east")
                .withoutListener()
                .namedListener("xds-tls", 30012, "TLS")
                .specAddress("IPAddress", "203.0.113.1"));

        assertThat(mesh.find("NetworkGateway/east/203.0.113.1/15008")).isPresent();
        assertThat(problems()).isEmpty();
    }

    @Test
    void case27_givenTheSeedsSpelling_thenNameAndNamespaceSayTheRest() {
        mesh.put(plain("cluster-b").specAddress("IPAddress", "10.4.5.6"));

        var gateway = mesh.workload("NetworkGateway/cluster-b/10.4.5.6/15008");
        assertThat(gateway.identity().orElseThrow().uri())
                .isEqualTo("spiffe://cluster.local/ns/istio-eastwest/sa/istio-eastwest");
        assertThat(problems()).isEmpty();
    }

    @Test
    void givenStatus_thenItsAddressesCountInsteadOfThoseOfTheSpec() {
        mesh.put(plain("b").specAddress("IPAddress", "10.4.5.6").ip("10.4.5.7"));

        assertThat(mesh.names()).containsExactly("NetworkGateway/b/10.4.5.7/15008");
    }

    @Test
    void givenOurOwnCluster_thenNothingLeadsThroughIt() {
        mesh.put(plain(AmbientConfig.defaults().clusterId()).specAddress("IPAddress", "10.4.5.6"));

        assertThat(mesh.names()).isEmpty();
        assertThat(problems()).isEmpty();
    }

    @Test
    void givenGatewayThatLacksSomething_thenAProblemSaysWhatToAdd() {
        mesh.put(
                new GatewayDraft("x/nameless", "istio-remote").specAddress("IPAddress", "10.4.5.6"),
                plain("addressless"),
                plain("badly-addressed").specAddress("IPAddress", "10.4.5.6:15008"),
                plain("deaf").withoutListener().specAddress("IPAddress", "10.4.5.6"));

        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "x/nameless metadata.labels peer-gateway-without-network",
                        "istio-eastwest/istio-remote-peer-addressless spec.addresses peer-gateway-without-address",
                        "istio-eastwest/istio-remote-peer-badly-addressed spec.addresses peer-gateway-bad-address",
                        "istio-eastwest/istio-remote-peer-deaf spec.listeners peer-gateway-without-listener");
        assertThat(mesh.names()).isEmpty();
    }

    @Test
    void givenTwoGatewaysThatPutOneClusterOnTwoNetworks_thenBothAreProblems() {
        mesh.put(
                plain("b").specAddress("IPAddress", "10.4.5.6"),
                remoteGateway("istio-system/b", "net-b")
                        .label("topology.istio.io/cluster", "b")
                        .specAddress("IPAddress", "10.4.5.7"));

        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "istio-eastwest/istio-remote-peer-b metadata peer-gateway-ambiguous",
                        "istio-system/b metadata peer-gateway-ambiguous");
    }

    @Test
    void case6_givenRemoteClusterAndNoFlag_thenItsPodsAreFolded() {
        mesh.put(network("home"), namespace("app"), meshConfig().globalByLabel(), web("10.96.0.1"));
        mesh.putIn(
                "east",
                network("net-east"),
                namespace("app"),
                eastWest("istio-system/gw", "net-east").ip("203.0.113.9"),
                web("10.97.0.1"),
                pod("app/a").ips("10.1.0.1").label("app", "web").account("a"),
                pod("app/b").ips("10.1.0.2").label("app", "web").account("b"));

        var folded = mesh.workload("net-east/SplitHorizonWorkload/istio-system/gw/203.0.113.9/" + WEB);
        assertThat(folded.capacity()).isEqualTo(2);
        assertThat(folded.networkGateway()).isEqualTo(byIp("net-east", "203.0.113.9"));
        assertThat(mesh.service(WEB).subjectAltNames()).hasSize(2);
    }

    @Test
    void givenNoFlag_thenOurOwnEntriesOnOtherNetworksAreServedAsTheyAreWritten() {
        mesh.put(
                network("home"),
                namespace("app"),
                meshConfig().globalByLabel(),
                web("10.96.0.1"),
                remoteGateway("istio-system/east", "east").specAddress("IPAddress", "203.0.113.1"),
                vm("app/v", endpoint("10.0.0.1").network("east")).label("app", "web"));

        assertThat(mesh.vm("app/v").networkGateway()).isEqualTo(byIp("east", "203.0.113.1"));
        assertThat(mesh.find(vmUid("app/v"))).isPresent();
    }

    @Test
    void case29_whenAGatewayLeadsElsewhereOrLetsOthersIn_thenThereAreSeveralNetworks() {
        assertThat(mesh.mesh().hasSeveralNetworks()).isFalse();
        for (var gateway : List.of(
                plain("b"), new GatewayDraft("x/y", "istio-east-west"), new GatewayDraft("x/y", "istio-eastwest"))) {
            mesh.put(gateway);
            assertThat(mesh.mesh().hasSeveralNetworks()).isTrue();
            mesh.remove(gateway);
            assertThat(mesh.mesh().hasSeveralNetworks()).isFalse();
        }
        mesh.put(new GatewayDraft("x/y", "istio-waypoint"));
        assertThat(mesh.mesh().hasSeveralNetworks()).isFalse();
        for (var feature : List.of(Feature.PEERING, Feature.MULTI_NETWORK)) {
            var told = new TestMesh(AmbientConfig.defaults().with(feature));
            assertThat(told.mesh().hasSeveralNetworks()).isTrue();
        }
    }

    private List<String> problems() {
        var found = new ArrayList<String>();
        mesh.mesh().cut().of(mesh.mesh().problems()).forEach((_, problem) -> found.add(text(problem)));
        return found;
    }

    private static String text(ObjectProblem problem) {
        assertThat(problem.problem().fix()).isNotEmpty();
        return problem.object().key().path() + " " + problem.field() + " "
                + problem.problem().code();
    }

    private static GatewayDraft plain(String cluster) {
        return new GatewayDraft("istio-eastwest/istio-remote-peer-" + cluster, "istio-remote");
    }

    private static ServiceDraft web(String vip) {
        return service("app/web")
                .label("istio.io/global", "true")
                .vip(vip)
                .selects("app", "web")
                .port("http", 80, 8080);
    }
}
