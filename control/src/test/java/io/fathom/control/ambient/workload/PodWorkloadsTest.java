// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.node;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.ports;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.Drafts;
import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.Workload.Health;
import io.fathom.model.mesh.Workload.NativeTunnel;
import io.fathom.model.mesh.Workload.TunnelProtocol;
import io.fathom.wire.kube.core.PodManifest.Phase;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PodWorkloadsTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case1_givenPodWithoutIp_thenNothing() {
        mesh.put(pod("app/a").ips());

        assertThat(mesh.names()).isEmpty();
    }

    @Test
    void case2_givenPendingPodWithIp_thenUnhealthy() {
        mesh.put(pod("app/a").phase(Phase.PENDING).notReady());

        assertThat(mesh.pod("app/a").health()).isEqualTo(Health.UNHEALTHY);
    }

    @Test
    void case3_givenRunningPodThatIsNotReady_thenUnhealthy() {
        mesh.put(pod("app/a").notReady(), pod("app/b"));

        assertThat(mesh.pod("app/a").health()).isEqualTo(Health.UNHEALTHY);
        assertThat(mesh.pod("app/b").health()).isEqualTo(Health.HEALTHY);
    }

    @Test
    void case4_givenReadyPodThatIsTerminating_thenUnhealthy() {
        mesh.put(pod("app/a").terminating());

        assertThat(mesh.pod("app/a").health()).isEqualTo(Health.UNHEALTHY);
    }

    @Test
    void case5_whenPodSucceedsOrFails_thenRemoved() {
        mesh.put(pod("app/a"), pod("app/b"));

        mesh.put(pod("app/a").phase(Phase.SUCCEEDED), pod("app/b").phase(Phase.FAILED));

        assertThat(mesh.names()).isEmpty();
    }

    @Test
    void case6_givenPodOfReplicaSet_thenWorkloadNameIsTheDeployment() {
        mesh.put(pod("app/web-6d4cf-x2x7k").label("pod-template-hash", "6d4cf").ownedBy("ReplicaSet", "web-6d4cf"));

        var workload = mesh.pod("app/web-6d4cf-x2x7k");
        assertThat(workload.workloadName()).isEqualTo("web");
        assertThat(workload.canonicalName()).isEqualTo("web");
        assertThat(workload.canonicalRevision()).isEqualTo("latest");
        assertThat(workload.type()).isEqualTo(Workload.Type.POD);
    }

    @Test
    void case7_givenNoClusterAndNoNetwork_thenUidAndAliasStartEmpty() {
        mesh.put(pod("app/a").cluster("").ips("10.0.0.1"));

        var workload = mesh.workload("//Pod/app/a");
        assertThat(workload.aliases()).containsExactly("/10.0.0.1");
    }

    @Test
    void case8_givenNamedTargetPort_thenEachPodResolvesItAndOneLackingItOmitsOnlyThatPort() {
        mesh.put(
                service("app/web")
                        .selects("app", "web")
                        .namedPort("http", 80, "web")
                        .port("admin", 9000, 9001),
                pod("app/a").label("app", "web").port("web", 8080),
                pod("app/b").label("app", "web").port("web", 8081),
                pod("app/c").label("app", "web"));

        var key = serviceName("app/web");
        assertThat(ports(mesh.pod("app/a"), key)).containsExactly("80>8080", "9000>9001");
        assertThat(ports(mesh.pod("app/b"), key)).containsExactly("80>8081", "9000>9001");
        assertThat(ports(mesh.pod("app/c"), key)).containsExactly("9000>9001");
    }

    @Test
    void case9_givenPortOfNativeSidecar_thenNamedTargetPortFindsIt() {
        // The manifest lists ports of containers, then of init containers that go on running.
        mesh.put(
                service("app/web").selects("app", "web").namedPort("admin", 9000, "admin"),
                pod("app/a").label("app", "web").port("http", 8080).port("admin", 9903));

        assertThat(ports(mesh.pod("app/a"), serviceName("app/web"))).containsExactly("9000>9903");
    }

    @Test
    void givenServiceWhosePortsAllLackTargets_thenMembershipStaysWithoutPorts() {
        mesh.put(
                service("app/web").selects("app", "web").namedPort("http", 80, "web"),
                pod("app/a").label("app", "web"));

        assertThat(mesh.pod("app/a").services()).containsOnlyKeys(serviceName("app/web"));
        assertThat(mesh.pod("app/a").services().get(serviceName("app/web"))).isEmpty();
    }

    @Test
    void case11_givenSliceReferringToPodOfServiceWithoutSelector_thenJoinedAlsoAcrossNamespaces() {
        mesh.put(
                service("app/manual").port("http", 80, 8080),
                pod("app/a").ips("10.0.0.1").uid("u-1"),
                pod("other/b").ips("10.0.0.2").uid("u-2"),
                slice("app/manual-1", "manual")
                        .pod("10.0.0.1", "app", "a", "u-1")
                        .pod("10.0.0.2", "other", "b", "u-2")
                        .port("http", 18080));

        assertThat(ports(mesh.pod("app/a"), serviceName("app/manual"))).containsExactly("80>8080");
        assertThat(mesh.pod("other/b").services()).containsOnlyKeys(serviceName("app/manual"));
        assertThat(mesh.names()).hasSize(3);
    }

    @Test
    void givenSliceWithStaleUid_thenTheEndpointBelongsToNobody() {
        mesh.put(
                service("app/manual").port("http", 80, 8080),
                pod("app/a").ips("10.0.0.1").uid("new"),
                slice("app/manual-1", "manual")
                        .pod("10.0.0.1", "app", "a", "old")
                        .port("http", 8080));

        assertThat(mesh.pod("app/a").services()).isEmpty();
        assertThat(mesh.names()).containsExactly(podUid("app/a"), serviceName("app/manual"));
    }

    @Test
    void givenSliceKeptForSelector_thenOnlyTheSelectorCounts() {
        mesh.put(
                service("app/web").selects("app", "web").port("http", 80, 8080),
                pod("app/a").label("app", "relabelled").uid("u-1"),
                slice("app/web-1", "web")
                        .label("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io")
                        .pod("10.0.0.1", "app", "a", "u-1")
                        .port("http", 8080));

        assertThat(mesh.pod("app/a").services()).isEmpty();
    }

    @Test
    void case13_givenHostNetworkPodOnAddressOfApiServer_thenHostNetworkAndNoForeignService() {
        mesh.put(
                service("default/kubernetes").vip("10.96.0.1").port("https", 443, 6443),
                slice("default/kubernetes", "kubernetes").endpoint("172.18.0.2").port("https", 6443),
                pod("kube-system/proxy").ips("172.18.0.2").hostNetwork());

        var workload = mesh.pod("kube-system/proxy");
        assertThat(workload.networkMode()).isEqualTo(Workload.NetworkMode.HOST_NETWORK);
        assertThat(workload.services()).isEmpty();
    }

    @Test
    void case17_givenNodeWithRegion_thenLocalityReachesThePod() {
        mesh.put(pod("app/a").node("n1"), pod("app/b").node("unknown"), node("n1", "eu/eu-1/rack"));

        assertThat(mesh.pod("app/a").locality()).isEqualTo(new Locality("eu", "eu-1", "rack"));
        assertThat(mesh.pod("app/b").locality()).isEqualTo(Locality.NONE);
    }

    @Test
    void case17_whenOnlyTheStatusOfNodeChanges_thenNothingIsPushed() {
        mesh.put(pod("app/a").node("n1"), node("n1", "eu/eu-1"));

        mesh.put(node("n1", "eu/eu-1").createdAt(2_000));

        assertThat(mesh.changed()).isEmpty();
    }

    @Test
    void case18_givenRedirectionAndTunnelMarks_thenOnlyTheExactOnesCapture() {
        mesh.put(
                pod("app/enabled").captured(),
                pod("app/pending").annotation("ambient.istio.io/redirection", "pending"),
                pod("app/native").label("networking.istio.io/tunnel", "http"),
                pod("app/other").label("networking.istio.io/tunnel", "grpc"));

        assertThat(mesh.pod("app/enabled").tunnelProtocol()).isEqualTo(TunnelProtocol.HBONE);
        assertThat(mesh.pod("app/enabled").nativeTunnel()).isEqualTo(NativeTunnel.NO);
        assertThat(mesh.pod("app/pending").tunnelProtocol()).isEqualTo(TunnelProtocol.NONE);
        assertThat(mesh.pod("app/native").tunnelProtocol()).isEqualTo(TunnelProtocol.HBONE);
        assertThat(mesh.pod("app/native").nativeTunnel()).isEqualTo(NativeTunnel.YES);
        assertThat(mesh.pod("app/other").tunnelProtocol()).isEqualTo(TunnelProtocol.NONE);
    }

    @Test
    void givenDualStackPod_thenAddressesKeepTheirOrder() {
        mesh.put(pod("app/a").ips("fd00::1", "10.0.0.1"));

        assertThat(mesh.pod("app/a").addresses())
                .containsExactly(
                        Ip.parse("fd00::1").orElseThrow(), Ip.parse("10.0.0.1").orElseThrow());
    }

    @Test
    void givenTrustDomain_thenShownUnlessItIsTheDefault() {
        mesh.put(pod("app/a"));
        assertThat(mesh.pod("app/a").trustDomain()).isEmpty();

        mesh.put(Drafts.meshConfig().trustDomain("corp.example"));
        assertThat(mesh.pod("app/a").trustDomain()).isEqualTo("corp.example");
        assertThat(mesh.changed()).containsExactly(podUid("app/a"));
    }

    @Test
    void givenServiceInAnotherNamespace_thenItsSelectorDoesNotReachThePod() {
        mesh.put(
                namespace("app"),
                service("other/web").selects("app", "web").port("http", 80, 80),
                pod("app/a").labels(Map.of("app", "web")));

        assertThat(mesh.pod("app/a").services()).isEmpty();
    }
}
