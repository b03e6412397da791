// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.MeshConfigDraft.labelled;
import static io.fathom.control.ambient.TestMesh.byIp;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MultiNetworkTest {
    private static final String WEB = serviceName("app/web");
    private static final String FOLDED = "east/SplitHorizonWorkload/istio-system/east/203.0.113.1/" + WEB;

    private final TestMesh mesh = new TestMesh(AmbientConfig.defaults().with(Feature.MULTI_NETWORK));
    private final GatewayDraft east = remoteGateway("istio-system/east", "east").ip("203.0.113.1");

    @BeforeEach
    void twoNetworksAndOneGlobalService() {
        mesh.put(
                network("home"),
                namespace("app"),
                meshConfig().globalByLabel(),
                east,
                service("app/web")
                        .label("istio.io/global", "true")
                        .vip("10.96.0.1")
                        .selects("app", "web")
                        .port("http", 80, 8080)
                        .namedPort("admin", 81, "admin"));
    }

    @Test
    void case77_givenEndpointsOnAnotherNetwork_thenOneWorkloadWithTheirCapacity() {
        mesh.put(remote("a"));
        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(1);

        mesh.put(remote("b"));
        var folded = mesh.workload(FOLDED);
        assertThat(folded.capacity()).isEqualTo(2);
        assertThat(folded.addresses()).isEmpty();
        assertThat(folded.tunnelProtocol()).isEqualTo(Workload.TunnelProtocol.HBONE);
        assertThat(folded.networkGateway()).isEqualTo(byIp("east", "203.0.113.1"));
        assertThat(folded.services().get(WEB))
                .containsExactly(new Port(80, 8080, AppProtocol.HTTP11), new Port(81, 81, AppProtocol.UNKNOWN));
        assertThat(mesh.find(vmUid("app/a"))).isEmpty();

        mesh.put(vm("app/c", endpoint("10.0.0.3").network("east").weight(5)).label("app", "web"));
        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(7);
    }

    @Test
    void case78_whenGatewayGoesAndReturns_thenSoDoesTheFoldedWorkload() {
        mesh.put(remote("a"));

        mesh.remove(east);
        assertThat(mesh.find(FOLDED)).isEmpty();
        mesh.put(east);
        assertThat(mesh.find(FOLDED)).isPresent();
    }

    @Test
    void case79_whenLocalNetworkIsRelabelled_thenEndpointsAppearOneByOneAndFoldAgain() {
        mesh.put(remote("a"));

        mesh.put(network("east"));
        assertThat(mesh.find(vmUid("app/a"))).isPresent();
        assertThat(mesh.find(FOLDED)).isEmpty();

        mesh.put(network("home"));
        assertThat(mesh.find(vmUid("app/a"))).isEmpty();
        assertThat(mesh.find(FOLDED)).isPresent();
    }

    @Test
    void case80_whenIdentitiesOfOtherNetworksComeIn_thenTheRestOfTheServiceStays() {
        mesh.put(waypoint("app/wp"), namespace("app").useWaypoint("wp"));
        var before = mesh.service(WEB);

        mesh.put(remote("a"), remote("b"));

        var after = mesh.service(WEB);
        assertThat(after.subjectAltNames())
                .containsExactly("spiffe://cluster.local/ns/app/sa/a", "spiffe://cluster.local/ns/app/sa/b");
        assertThat(after.waypoint()).isEqualTo(before.waypoint()).isPresent();
        assertThat(after.ports()).isEqualTo(before.ports());
    }

    @Test
    void givenLocalService_thenItsEndpointsOnOtherNetworksVanish() {
        mesh.put(
                service("app/private").selects("app", "private").port("http", 80, 80),
                vm("app/p", endpoint("10.0.0.1").network("east").account("p")).label("app", "private"));

        assertThat(mesh.find(vmUid("app/p"))).isEmpty();
        assertThat(mesh.names()).noneMatch(name -> name.contains("SplitHorizon"));
        assertThat(mesh.kubeService("app/private").subjectAltNames()).isEmpty();
    }

    @Test
    void givenNetworkWithoutGateway_thenOnlyTheIdentitiesAreKnown() {
        mesh.put(vm("app/n", endpoint("10.0.0.1").network("nowhere").account("n"))
                .label("app", "web"));

        assertThat(mesh.names()).noneMatch(name -> name.contains("SplitHorizon"));
        assertThat(mesh.service(WEB).subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/n");
    }

    @Test
    void givenTwoGatewaysOfOneNetwork_thenTheyShareTheCapacity() {
        mesh.put(remoteGateway("istio-system/east-2", "east").ip("203.0.113.2"), remote("a"), remote("b"), remote("c"));

        assertThat(mesh.workload(FOLDED).capacity()).isEqualTo(2);
        assertThat(mesh.workload("east/SplitHorizonWorkload/istio-system/east-2/203.0.113.2/" + WEB)
                        .capacity())
                .isEqualTo(1);
    }

    @Test
    void givenGlobalServiceEntry_thenItsEndpointsOnOtherNetworksFold() {
        mesh.put(entry("app/se", "far.example.com")
                .label("istio.io/global", "true")
                .address("10.97.0.1")
                .port("http", 80, "HTTP")
                .names("spiffe://own")
                .endpoint(endpoint("10.0.0.1").network("east").account("x"))
                .endpoint("10.0.0.2"));

        assertThat(mesh.find("east/SplitHorizonWorkload/istio-system/east/203.0.113.1/app/far.example.com"))
                .isPresent();
        assertThat(mesh.service("app/far.example.com").subjectAltNames())
                .containsExactly("spiffe://cluster.local/ns/app/sa/x", "spiffe://own");
    }

    @Test
    void case39_givenScopes_thenAnyGlobalMatchCountsAndNoMatchOrNoNamespaceIsLocal() {
        mesh.put(
                meshConfig()
                        .scope(labelled("kind", "shared"), LabelSelector.EVERYTHING, Scope.LOCAL)
                        .scope(labelled("kind", "shared"), labelled("app", "x"), Scope.GLOBAL),
                namespace("shared").label("kind", "shared"),
                namespace("plain"),
                service("shared/x").label("app", "x").selects("app", "w").port("http", 80, 80),
                service("shared/y").label("app", "y").selects("app", "w").port("http", 80, 80),
                service("plain/x").label("app", "x").selects("app", "w").port("http", 80, 80),
                service("missing/x").label("app", "x").selects("app", "w").port("http", 80, 80));
        for (var namespace : List.of("shared", "plain", "missing")) {
            mesh.put(vm(namespace + "/w", endpoint("10.0.0.1").network("east").account("w"))
                    .label("app", "w"));
        }

        assertThat(mesh.kubeService("shared/x").subjectAltNames()).isNotEmpty();
        assertThat(mesh.kubeService("shared/y").subjectAltNames()).isEmpty();
        assertThat(mesh.kubeService("plain/x").subjectAltNames()).isEmpty();
        assertThat(mesh.kubeService("missing/x").subjectAltNames()).isEmpty();
    }

    @Test
    void case81_whenNetworkOfSystemNamespaceChanges_thenEverythingLocalIsRewritten() {
        var plain = new TestMesh();
        plain.put(
                network("one"),
                namespace("app").useWaypoint("wp"),
                unready("app/wp").ip("10.96.0.9"),
                pod("app/a").ips("10.0.0.1"),
                vm("app/v", "10.0.0.2"),
                service("app/web").vip("10.96.0.1"),
                entry("app/se", "a.example.com").address("10.97.0.1"));

        plain.put(network("two"));

        assertThat(plain.changed())
                .containsExactly(podUid("app/a"), vmUid("app/v"), "app/a.example.com", serviceName("app/web"));
        assertThat(plain.pod("app/a").network()).isEqualTo("two");
        assertThat(plain.kubeService("app/web").addresses())
                .extracting(NetworkAddress::network)
                .containsExactly("two");
        assertThat(plain.kubeService("app/web").waypoint()).isEqualTo(byIp("two", "10.96.0.9"));
    }

    private static VmDraft remote(String name) {
        return vm("app/" + name, endpoint("10.0.0.1").network("east").account(name))
                .label("app", "web");
    }
}
