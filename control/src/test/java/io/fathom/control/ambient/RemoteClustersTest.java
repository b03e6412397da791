// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.eastWest;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.node;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.byHostname;
import static io.fathom.control.ambient.TestMesh.byIp;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Objects of other clusters: the cases of the index, 6 to 15, and how clusters come and go.
class RemoteClustersTest {
    private static final String PEER = "cluster-2";
    private static final String WEB = serviceName("app/web");
    private static final String FOLDED = "net-2/SplitHorizonWorkload/istio-system/east/203.0.113.20/" + WEB;

    private final TestMesh mesh =
            new TestMesh(AmbientConfig.defaults().with(Feature.MULTI_NETWORK).without(Feature.MESH_WIDE_NAMES));

    @BeforeEach
    void twoClustersOnTwoNetworksWithOneGlobalService() {
        mesh.put(network("net-1"), namespace("app"), meshConfig().globalByLabel(), global("10.96.0.1"), web("here"));
        mesh.putIn(PEER, network("net-2"), namespace("app"), gateway(), global("10.100.0.1"));
    }

    @Test
    void case6_givenTwoRemotePods_thenOneWorkloadOfCapacityTwoWithoutAddress() {
        mesh.putIn(PEER, web("a"), web("b"));

        var folded = mesh.workload(FOLDED);
        assertThat(folded.capacity()).isEqualTo(2);
        assertThat(folded.addresses()).isEmpty();
        assertThat(folded.clusterId()).isEqualTo(PEER);
        assertThat(folded.networkGateway()).isEqualTo(byIp("net-2", "203.0.113.20"));
        assertThat(mesh.names()).doesNotContain("cluster-2//Pod/app/a");
        assertThat(mesh.service(WEB).subjectAltNames())
                .containsExactly("spiffe://cluster.local/ns/app/sa/a", "spiffe://cluster.local/ns/app/sa/b");
    }

    @Test
    void case7_whenGatewayGoesAndReturns_thenSoDoesWhatIsBehindIt() {
        mesh.putIn(PEER, web("a"));

        mesh.removeIn(PEER, gateway());
        assertThat(mesh.names()).noneMatch(name -> name.contains("SplitHorizon") || name.contains("NetworkGateway"));

        mesh.putIn(PEER, gateway());
        assertThat(mesh.find(FOLDED)).isPresent();
        assertThat(mesh.workload("NetworkGateway/net-2/203.0.113.20/0").serviceAccount())
                .isEqualTo("east");
    }

    @Test
    void case8_whenServiceIsMadeLocalOnEitherSide_thenNothingOfTheOtherIsLeft() {
        mesh.putIn(PEER, web("a"));

        mesh.put(local("10.96.0.1"));
        assertThat(mesh.find(FOLDED)).isEmpty();
        assertThat(vips(WEB)).containsExactly("net-1/10.96.0.1");
        assertThat(mesh.service(WEB).subjectAltNames()).isEmpty();

        mesh.put(global("10.96.0.1"));
        assertThat(mesh.find(FOLDED)).isPresent();

        mesh.putIn(PEER, local("10.100.0.1"));
        assertThat(mesh.find(FOLDED)).isEmpty();
        assertThat(vips(WEB)).containsExactly("net-1/10.96.0.1");
    }

    @Test
    void case9_whenRemoteIsRelabelledToOurNetwork_thenPodsAppearOneByOneAndFoldAgain() {
        mesh.putIn(PEER, web("a"), pod("app/other").account("o"), node("n", "us/a"));

        mesh.putIn(PEER, network("net-1"));
        var pod = mesh.workload("cluster-2//Pod/app/a");
        assertThat(pod.clusterId()).isEqualTo(PEER);
        assertThat(pod.network()).isEqualTo("net-1");
        assertThat(pod.services()).containsOnlyKeys(WEB);
        assertThat(pod.networkGateway()).isEmpty();
        assertThat(mesh.workload("cluster-2//Pod/app/other").services()).isEmpty();
        assertThat(mesh.find(FOLDED)).isEmpty();

        mesh.putIn(PEER, network("net-2"));
        assertThat(mesh.find(FOLDED)).isPresent();
        assertThat(mesh.names()).noneMatch(name -> name.startsWith("cluster-2//Pod"));
    }

    @Test
    void case10_givenLocalTwinsThenOneAddress_givenGlobalTwinsThenTwo() {
        mesh.put(service("app/private").vip("10.96.0.2"));
        mesh.putIn(PEER, service("app/private").vip("10.100.0.2"));
        assertThat(vips(serviceName("app/private"))).containsExactly("net-1/10.96.0.2");

        assertThat(vips(WEB)).containsExactly("net-1/10.96.0.1", "net-2/10.100.0.1");
    }

    @Test
    void case11_whenIdentitiesAndAddressesMerge_thenWaypointIngressAndPortsStay() {
        mesh.put(
                waypoint("app/wp"),
                global("10.96.0.1").useWaypoint("wp").label("istio.io/ingress-use-waypoint", "true"));
        var before = mesh.service(WEB);

        mesh.putIn(PEER, web("a"), global("10.100.0.9").port("more", 81, 81));

        var after = mesh.service(WEB);
        assertThat(after.waypoint()).isEqualTo(before.waypoint()).isPresent();
        assertThat(after.ingressWaypoint()).isEqualTo(Service.IngressWaypoint.USED);
        assertThat(after.ports()).isEqualTo(before.ports());
        assertThat(after.subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/a");
        assertThat(mesh.workload(FOLDED).services().get(WEB)).isEqualTo(before.ports());
    }

    @Test
    void case12_givenTheSamePodAddressesInOtherClusters_thenNothingClashes() {
        mesh.put(web("here").ips("10.244.0.1"));
        mesh.putIn(PEER, web("a").ips("10.244.0.1"));
        mesh.putIn(
                "cluster-3",
                network("net-3"),
                namespace("app"),
                eastWest("istio-system/east", "net-3").ip("203.0.113.30"),
                global("10.96.0.1"),
                web("a").ips("10.244.0.1"));

        assertThat(mesh.pod("app/here").services()).containsOnlyKeys(WEB);
        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(1);
        assertThat(mesh.workload("net-3/SplitHorizonWorkload/istio-system/east/203.0.113.30/" + WEB)
                        .clusterId())
                .isEqualTo("cluster-3");
        assertThat(vips(WEB)).containsExactly("net-1/10.96.0.1", "net-2/10.100.0.1", "net-3/10.96.0.1");
    }

    @Test
    void case13_givenGatewayByHostname_thenItIsNamedThatWay() {
        mesh.removeIn(PEER, gateway());
        mesh.putIn(PEER, eastWest("istio-system/east", "net-2").hostname("east.example.com"), web("a"));

        var folded = mesh.workload("net-2/SplitHorizonWorkload/istio-system/east/east.example.com/" + WEB);
        assertThat(folded.networkGateway()).isEqualTo(byHostname("istio-system", "east.example.com"));
        assertThat(mesh.workload("NetworkGateway/net-2/east.example.com/0").hostname())
                .isEqualTo("east.example.com");
    }

    @Test
    void case14_givenTrustDomain_thenGatewayAndIdentitiesAreInIt() {
        mesh.put(meshConfig().globalByLabel().trustDomain("example.org"));
        mesh.putIn(PEER, web("a"));

        assertThat(mesh.workload("NetworkGateway/net-2/203.0.113.20/0").trustDomain())
                .isEqualTo("example.org");
        assertThat(mesh.service(WEB).subjectAltNames()).containsExactly("spiffe://example.org/ns/app/sa/a");
    }

    @Test
    void case15_whenRemotePodsAreNotReady_thenTheyCountForNothing() {
        mesh.putIn(PEER, web("a"), web("b").notReady());
        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(1);
        assertThat(mesh.workload(FOLDED).health()).isEqualTo(Workload.Health.HEALTHY);

        mesh.putIn(PEER, web("a").notReady());
        assertThat(mesh.workload(FOLDED).health()).isEqualTo(Workload.Health.UNHEALTHY);

        mesh.putIn(PEER, web("b"));
        assertThat(mesh.workload(FOLDED).health()).isEqualTo(Workload.Health.HEALTHY);
    }

    @Test
    void givenServiceThatOnlyThePeerHas_thenItIsServedWithItsPortsAndIdentities() {
        mesh.putIn(
                PEER,
                service("app/there")
                        .label("istio.io/global", "true")
                        .vip("10.100.0.3")
                        .selects("app", "web")
                        .port("http", 80, 9090),
                web("a"));

        var there = mesh.kubeService("app/there");
        assertThat(vips(serviceName("app/there"))).containsExactly("net-2/10.100.0.3");
        assertThat(there.subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/a");
        assertThat(TestMesh.text(there.ports())).containsExactly("80>9090");
    }

    @Test
    void whenTheLocalTwinIsDeleted_thenThePeersServiceIsLeft() {
        mesh.putIn(PEER, web("a"));

        mesh.remove(global("10.96.0.1"));

        assertThat(vips(WEB)).containsExactly("net-2/10.100.0.1");
        assertThat(mesh.pod("app/here").services()).isEmpty();
        assertThat(mesh.find(FOLDED)).isPresent();
    }

    @Test
    void givenScopeOfThePeersOwnMeshConfig_thenOnlyOursCounts() {
        mesh.putIn(PEER, web("a"));
        mesh.put(meshConfig().scope(LabelSelector.EVERYTHING, LabelSelector.EVERYTHING, Scope.LOCAL));

        assertThat(vips(WEB)).containsExactly("net-1/10.96.0.1");
        assertThat(mesh.names()).noneMatch(name -> name.contains("SplitHorizon"));
    }

    @Test
    void givenPodsOfTheSameLabelsInAnotherCluster_thenTheyAreBehindTheirOwnServicesOnly() {
        mesh.putIn(PEER, network("net-1"));
        mesh.putIn(
                "cluster-3",
                network("net-1"),
                namespace("app"),
                service("app/web").vip("10.101.0.1").selects("app", "web").port("http", 80, 80),
                web("c"));

        assertThat(mesh.workload("cluster-3//Pod/app/c").services()).isEmpty();
    }

    @Test
    void givenEndpointWrittenByHandInThePeer_thenItCounts() {
        mesh.putIn(PEER, slice("app/manual", "web").endpoint("192.0.2.1").port("http", 8080));

        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(1);
    }

    @Test
    void givenLocalGatewayForTheSameAddress_thenItIsOneWay() {
        mesh.put(remoteGateway("istio-system/peer", "net-2").ip("203.0.113.20"));
        mesh.putIn(PEER, web("a"), web("b"));

        assertThat(mesh.names().stream().filter(name -> name.contains("SplitHorizon")))
                .hasSize(1)
                .allSatisfy(name -> assertThat(mesh.workload(name).capacity()).isEqualTo(2));
    }

    @Test
    void whenClusterIsRemoved_thenNothingOfItIsLeft() {
        var rows = mesh.mesh().cut().rows();
        var names = mesh.names();
        var pods = new ArrayList<Draft<?>>(List.of(network("net-3"), namespace("app"), global("10.102.0.1")));
        pods.add(eastWest("istio-system/east", "net-3").ip("203.0.113.30"));
        for (int i = 0; i < 1200; i++) {
            pods.add(web("w" + i));
        }
        mesh.putIn("cluster-3", pods.toArray(Draft[]::new));
        assertThat(mesh.mesh().cut().rows()).isGreaterThan(rows + 1200);
        var remotes = mesh.mesh().remotes();
        assertThat(remotes.objects("cluster-3"))
                .isEqualTo(new TreeMap<>(Map.of("Gateway", 1, "Namespace", 2, "Pod", 1200, "Service", 1)));
        assertThat(remotes.network("cluster-3")).isEqualTo("net-3");

        remotes.remove("cluster-3");

        assertThat(mesh.mesh().cut().rows()).isEqualTo(rows);
        assertThat(mesh.names()).isEqualTo(names);
        assertThat(remotes.objects("cluster-3")).isEmpty();
    }

    @Test
    void whenClusterIsReplaced_thenOnlyTheDifferenceIsTold() {
        mesh.putIn(PEER, web("a"), web("b"));
        var remotes = mesh.mesh().remotes();

        remotes.replace(PEER, puts(network("net-2"), namespace("app"), gateway(), global("10.100.0.1"), web("b")));

        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(1);
        assertThat(mesh.changed()).containsExactlyInAnyOrder(FOLDED, WEB);
    }

    @Test
    void givenManyObjects_whenTheyCome_thenInSteps() {
        var steps = new AtomicInteger();
        var _ = mesh.mesh().subscribe((Commit _) -> steps.incrementAndGet());
        var pods = new ArrayList<Draft<?>>();
        for (int i = 0; i < 2 * RemoteClusters.STEP + 1; i++) {
            pods.add(web("w" + i));
        }

        mesh.putIn(PEER, pods.toArray(Draft[]::new));

        assertThat(steps).hasValue(3);
        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(pods.size());
    }

    @Test
    void givenClusterOfTenThousandPods_whenItJoinsAndLeaves_thenChangesOfOursGetTheirTurn() throws Exception {
        var pods = new ArrayList<Draft<?>>();
        for (int i = 0; i < 10_000; i++) {
            pods.add(web("w" + i));
        }
        var turns = new StringBuilder(); // one writer of the flow at a time
        var _ = mesh.mesh()
                .subscribe(commit ->
                        turns.append(commit.changes(mesh.mesh().pods()).isEmpty() ? 'o' : '.'));
        var stop = new AtomicBoolean();
        var started = new CountDownLatch(1);
        var ours = Thread.ofPlatform().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                var pod = pod("app/ours").ips("10.0.0." + (i % 200 + 1));
                mesh.mesh().apply(List.of(new ManifestChange.Put(pod.manifest())));
                started.countDown();
            }
        });
        started.await();

        mesh.putIn(PEER, pods.toArray(Draft[]::new));
        mesh.mesh().remotes().remove(PEER);
        stop.set(true);
        ours.join();

        assertThat(turns.chars().filter(turn -> turn == 'o').count())
                .isGreaterThanOrEqualTo(2 * 10_000 / RemoteClusters.STEP);
        // A turn may be missed while the machine runs something else, not a quarter of all.
        assertThat(turns.toString()).doesNotContain("o".repeat(10_000 / RemoteClusters.STEP / 4));
    }

    @Test
    void givenKindThatDoesNotCountFromOthers_thenItIsLeftOut() {
        mesh.putIn(
                PEER,
                Drafts.entry("app/se", "x.example.com").address("10.97.0.1"),
                meshConfig().root("elsewhere"));

        assertThat(mesh.names()).noneMatch(name -> name.contains("x.example.com"));
    }

    @Test
    void givenObjectOfAnotherCluster_thenItIsABug() {
        assertThatThrownBy(() -> mesh.mesh().remotes().apply(PEER, puts(namespace("x"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /// A service that stays in its cluster must not leave it on the way through a waypoint that belongs to all.
    @Test
    void givenWaypointOfAllClusters_whenALocalServiceGoesThroughIt_thenItHasNoEndpointsElsewhere() {
        var folded = "net-2/SplitHorizonWorkload/istio-system/east/203.0.113.20/" + serviceName("app/wp");
        var service = service("app/wp")
                .selects("app", "wp")
                .port("mesh", 15008, 15008)
                .label("istio.io/global", "true");
        mesh.put(
                waypoint("app/wp"),
                service.vip("10.96.0.9"),
                global("10.96.0.1").useWaypoint("wp"));
        mesh.putIn(PEER, service.vip("10.100.0.9"), pod("app/wp-1").label("app", "wp"), web("a"));
        assertThat(mesh.find(folded)).isPresent();

        mesh.put(service("app/private").vip("10.96.0.2").port("http", 80, 80).useWaypoint("wp"));
        assertThat(mesh.find(folded)).isEmpty();
        assertThat(mesh.find(FOLDED)).isPresent();

        mesh.putIn(PEER, network("net-1"));
        assertThat(mesh.workload("cluster-2//Pod/app/wp-1").services()).isEmpty();
        assertThat(mesh.workload("cluster-2//Pod/app/a").services()).containsOnlyKeys(WEB);
        mesh.putIn(PEER, network("net-2"));

        mesh.remove(service("app/private"));
        assertThat(mesh.find(folded)).isPresent();
    }

    private static List<ManifestChange> puts(Draft<?>... drafts) {
        return Arrays.stream(drafts)
                .<ManifestChange>map(draft -> new ManifestChange.Put(
                        draft.key().name().equals("x")
                                ? draft.manifest()
                                : draft.cluster(PEER).manifest()))
                .toList();
    }

    private List<String> vips(String service) {
        return mesh.service(service).addresses().stream()
                .map(NetworkAddress::alias)
                .toList();
    }

    private static GatewayDraft gateway() {
        return eastWest("istio-system/east", "net-2").ip("203.0.113.20");
    }

    private static ServiceDraft local(String vip) {
        return service("app/web").vip(vip).selects("app", "web").port("http", 80, 8080);
    }

    private static ServiceDraft global(String vip) {
        return local(vip).label("istio.io/global", "true");
    }

    private static PodDraft web(String name) {
        return pod("app/" + name).label("app", "web").account(name);
    }
}
