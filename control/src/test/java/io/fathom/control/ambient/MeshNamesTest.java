// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.eastWest;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.model.peering.ServiceSummary.NameScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Names that mean a service of all clusters, `NAME.NAMESPACE.mesh.internal`.
class MeshNamesTest {
    private static final String HOME = serviceName("app/web");
    private static final String WIDE = "app/web.app.mesh.internal";
    private static final String SCOPE = "solo.io/service-scope";
    private static final String EAST_FOLDED =
            "net-east/SplitHorizonWorkload/istio-eastwest/istio-remote-peer-east/203.0.113.1/";

    private final TestMesh mesh = new TestMesh();

    @Test
    void givenSharedService_thenItHasANameForAllClustersWithAddressesOfItsOwn() {
        mesh.put(
                network("net-1"),
                namespace("app"),
                web().label("istio.io/global", "true").port("grpc", 90, 9090),
                pod("app/a").label("app", "web"));

        var wide = mesh.service(WIDE);
        assertThat(wide.hostname()).isEqualTo("web.app.mesh.internal");
        assertThat(wide.addresses())
                .hasSize(2)
                .allMatch(address -> address.network().equals("net-1"))
                .doesNotContainAnyElementsOf(mesh.service(HOME).addresses());
        assertThat(wide.addresses().getFirst().alias()).startsWith("net-1/240.240.");
        assertThat(wide.ports())
                .containsExactly(new Port(80, 8080, AppProtocol.HTTP11), new Port(90, 9090, AppProtocol.GRPC));
        assertThat(wide.loadBalancing().preference()).containsExactly(Scope.NETWORK);
        assertThat(mesh.service(HOME).loadBalancing()).isEqualTo(LoadBalancing.NONE);
        assertThat(mesh.pod("app/a").services()).containsOnlyKeys(HOME, WIDE);
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', false, false",
        "global, '', true, false",
        "'', global, true, false",
        "cluster, global, false, false",
        "global+takeover, '', true, true",
        "istio.io/global, '', true, true"
    })
    void whenLabelsSayWhoMayCall(String ofService, String ofNamespace, boolean wide, boolean home) {
        var shop = namespace("app");
        var service = web();
        if (!ofNamespace.isEmpty()) {
            shop.label(SCOPE, ofNamespace);
        }
        switch (ofService) {
            case "" -> {}
            case "global+takeover" -> service.label(SCOPE, "global").label("solo.io/service-takeover", "true");
            case "istio.io/global" -> service.label("istio.io/global", "true");
            default -> service.label(SCOPE, ofService);
        }
        mesh.put(network("net-1"), shop, service);
        var _ = peer("east", "app", "web", 3);

        assertThat(mesh.find(WIDE).isPresent()).isEqualTo(wide);
        assertThat(mesh.find(EAST_FOLDED + WIDE).isPresent()).isEqualTo(wide);
        assertThat(mesh.find(EAST_FOLDED + HOME).isPresent()).isEqualTo(home);
        assertThat(mesh.service(HOME).subjectAltNames().isEmpty()).isEqualTo(!home);
        assertThat(mesh.mesh().cut().of(mesh.mesh().exported()).size()).isEqualTo(wide ? 1 : 0);
    }

    @Test
    void givenServiceThatOnlyAPeerHas_thenItsNameIsThereWithPortsIdentitiesAndEndpoints() {
        mesh.put(network("net-1"));

        var _ = peer("east", "far", "db", 4);

        var wide = mesh.service("far/db.far.mesh.internal");
        assertThat(wide.addresses()).hasSize(2);
        assertThat(TestMesh.text(wide.ports())).containsExactly("80>8080");
        assertThat(wide.subjectAltNames()).containsExactly("spiffe://cluster.local/ns/far/sa/db");
        assertThat(wide.loadBalancing().preference())
                .describedAs("as its own cluster wishes")
                .containsExactly(Scope.NETWORK, Scope.REGION, Scope.ZONE);
        var folded = mesh.workload(EAST_FOLDED + "far/db.far.mesh.internal");
        assertThat(folded.capacity()).isEqualTo(4);
        assertThat(mesh.find(serviceName("far/db"))).isEmpty();

        mesh.mesh().peers().apply("east", List.of(), List.of("far/db"));
        assertThat(mesh.names()).noneMatch(name -> name.contains("db"));
    }

    @Test
    void givenServiceThatOnlyAClusterHasWhichWeRead_thenLikewise() {
        var several = new TestMesh(AmbientConfig.defaults().with(Feature.MULTI_NETWORK));
        several.put(network("net-1"), namespace("app"));

        several.putIn(
                "east",
                network("net-east"),
                namespace("app"),
                eastWest("istio-system/east", "net-east").ip("203.0.113.20"),
                web().label(SCOPE, "global").annotation("networking.istio.io/traffic-distribution", "PreferRegion"),
                pod("app/a").label("app", "web").account("a"));

        assertThat(several.service(WIDE).subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/a");
        assertThat(several.service(WIDE).loadBalancing().preference()).containsExactly(Scope.NETWORK, Scope.REGION);
        assertThat(several.workload("net-east/SplitHorizonWorkload/istio-system/east/203.0.113.20/" + WIDE)
                        .services())
                .containsOnlyKeys(WIDE);
        assertThat(several.find(HOME)).describedAs("asked for by nobody").isEmpty();
    }

    /// Both sides decide: nothing of others counts for a service that our cluster keeps to itself.
    @Test
    void case8_whenTheServiceIsKeptHere_thenItsNameForAllClustersGoes() {
        mesh.put(network("net-1"), namespace("app"), web().label(SCOPE, "global"));
        var _ = peer("east", "app", "web", 2);
        assertThat(mesh.find(EAST_FOLDED + WIDE)).isPresent();

        mesh.put(web());

        assertThat(mesh.names()).noneMatch(name -> name.contains("mesh.internal"));
        assertThat(mesh.mesh().cut().of(mesh.mesh().exported()).size()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "PreferClose, 'NETWORK,REGION,ZONE'",
        "PreferRegion, 'NETWORK,REGION'",
        "PreferNetwork, NETWORK",
        "Any, ''",
        "nonsense, ''"
    })
    void whenADistributionIsAskedFor(String word, String preference) {
        mesh.put(
                namespace("app"),
                web().label(SCOPE, "global").annotation("networking.istio.io/traffic-distribution", word));

        var found = mesh.service(WIDE).loadBalancing().preference().stream()
                .map(Enum::name)
                .toList();
        assertThat(String.join(",", found)).isEqualTo(preference);
        assertThat(mesh.service(HOME).loadBalancing())
                .isEqualTo(mesh.service(WIDE).loadBalancing());
    }

    @Test
    void givenWaypoint_thenTheNameForAllClustersGoesThroughItToo() {
        mesh.put(
                namespace("app"),
                waypoint("app/wp"),
                web().label(SCOPE, "global").useWaypoint("wp"));

        assertThat(mesh.service(WIDE).waypoint())
                .isPresent()
                .isEqualTo(mesh.service(HOME).waypoint());
        assertThat(mesh.names()).noneMatch(name -> name.contains("wp.app.mesh.internal"));
    }

    @Test
    void givenWaypointForOneAccount_thenNobodyGetsAroundItByTheOtherName() {
        mesh.put(
                namespace("app"),
                waypoint("app/wp").forAccount("a"),
                web().label(SCOPE, "global"),
                pod("app/a").label("app", "web").account("a"));

        assertThat(mesh.service(WIDE).waypoint())
                .isPresent()
                .isEqualTo(mesh.service(HOME).waypoint());
    }

    @Test
    void givenEndpointsWrittenByHand_thenTheyAreBehindBothNames() {
        mesh.put(
                namespace("app"),
                service("app/web").vip("10.96.0.1").port("http", 80, 8080).label(SCOPE, "global"),
                slice("app/web-1", "web").endpoint("10.9.9.9").port("http", 8080));

        assertThat(mesh.workload(TestMesh.sliceUid("app/web-1/10.9.9.9")).services())
                .containsOnlyKeys(HOME, WIDE);
    }

    /// Nobody writes these addresses down, so they have to follow from the names.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whenServicesComeInAnyOrderAndSomeGo_thenAddressesAreThoseOfAFreshStart(long seed) {
        var random = new Random(seed);
        var names = new ArrayList<String>();
        for (int i = 0; i < 120; i++) {
            names.add("s" + random.nextInt(100_000));
        }
        // a small pool, so that names get in each other's way
        var first = new TestMesh(small());
        names.forEach(name -> first.put(shared(name)));
        var gone = names.stream().filter(_ -> random.nextInt(4) == 0).distinct().toList();
        gone.forEach(name -> first.remove(service("app/" + name)));
        names.removeAll(gone);
        Collections.shuffle(names, random);

        var second = new TestMesh(small());
        names.forEach(name -> second.put(shared(name)));

        assertThat(addresses(first))
                .isEqualTo(addresses(second))
                .hasSize(names.stream().distinct().toList().size());
        assertThat(addresses(first).values().stream().flatMap(List::stream)).doesNotHaveDuplicates();
    }

    @Test
    void case46_whenThePeerComesBack_thenItsServicesHaveTheSameAddresses() {
        mesh.put(network("net-1"));
        var _ = peer("east", "far", "db", 4);
        var before = mesh.service("far/db.far.mesh.internal").addresses();

        mesh.mesh().peers().remove("east");
        mesh.put(entry("app/other", "other.example.com"));
        var _ = peer("east", "far", "db", 1);

        assertThat(mesh.service("far/db.far.mesh.internal").addresses()).isEqualTo(before);
    }

    /// Where an API server keeps addresses of ServiceEntries, nobody writes these down all the same.
    @Test
    void givenAddressesThatCountOnlyOnceTheyAreWritten_thenThoseOfNamesCountAtOnce() {
        var plain = new TestMesh(AmbientConfig.defaults().without(Feature.SERVE_PLANNED_ADDRESSES));
        plain.put(namespace("app"), web().label(SCOPE, "global"), entry("app/other", "other.example.com"));
        mesh.put(namespace("app"), web().label(SCOPE, "global"));

        assertThat(plain.service(WIDE).addresses())
                .hasSize(2)
                .isEqualTo(mesh.service(WIDE).addresses());
        assertThat(plain.service("app/other.example.com").addresses()).isEmpty();
    }

    @Test
    void givenUserWhoWroteThatAddress_thenTheNameGetsAnother() {
        mesh.put(namespace("app"), web().label(SCOPE, "global"));
        var taken = mesh.service(WIDE).addresses().getFirst().block().address().toString();

        mesh.put(entry("app/mine", "mine.example.com").address(taken));

        assertThat(mesh.service(WIDE).addresses())
                .isNotEmpty()
                .noneMatch(address -> address.block().address().toString().equals(taken));
    }

    @Test
    void givenEntryThatClaimsTheName_thenItDoesNotGetIt() {
        mesh.put(
                namespace("app"),
                namespace("evil"),
                web().label(SCOPE, "global"),
                entry("app/mine", "web.app.mesh.internal").address("10.97.0.1"),
                entry("evil/mine", "web.app.mesh.internal").address("10.97.0.2"));

        assertThat(mesh.service(WIDE).addresses().getFirst().alias()).startsWith("/240.240.");
        assertThat(mesh.service(WIDE).canonical()).isEqualTo(io.fathom.model.mesh.Service.Canonical.YES);
        assertThat(mesh.service("evil/web.app.mesh.internal").canonical())
                .isEqualTo(io.fathom.model.mesh.Service.Canonical.NO);
        assertThat(mesh.status("ServiceEntry/app/web:mesh-wide")).isEmpty();
    }

    @Test
    void givenTheSetting_thenThereAreNoSuchNames() {
        var plain = new TestMesh(AmbientConfig.defaults().without(Feature.MESH_WIDE_NAMES));

        plain.put(
                namespace("app"),
                web().label("istio.io/global", "true"),
                pod("app/a").label("app", "web"));

        assertThat(plain.names()).containsExactlyInAnyOrder(HOME, TestMesh.podUid("app/a"));
        assertThat(plain.pod("app/a").services()).containsOnlyKeys(HOME);
    }

    private static AmbientConfig small() {
        var settings = new TreeMap<String, String>();
        settings.put("PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", "240.240.0.0/23");
        return AmbientConfig.of(settings);
    }

    private static Draft<?>[] shared(String name) {
        return new Draft<?>[] {
            namespace("app"), service("app/" + name).port("http", 80, 80).label(SCOPE, "global")
        };
    }

    private static Map<String, List<String>> addresses(TestMesh mesh) {
        var result = new TreeMap<String, List<String>>();
        mesh.names().stream()
                .filter(name -> name.endsWith(".mesh.internal"))
                .forEach(name -> result.put(
                        name,
                        mesh.service(name).addresses().stream()
                                .map(NetworkAddress::alias)
                                .toList()));
        return result;
    }

    private static ServiceDraft web() {
        return service("app/web").vip("10.96.0.1").selects("app", "web").port("http", 80, 8080);
    }

    @Test
    void givenSixHundredClusters_thenEachHasItsPart() {
        mesh.put(network("net-1"), namespace("app"), web().label("istio.io/global", "true"));

        for (int i = 0; i < 600; i++) {
            var _ = peer("c-" + i, "app", "web", 1);
        }

        assertThat(mesh.names()).filteredOn(name -> name.endsWith("/" + WIDE)).hasSize(600);
        mesh.mesh().peers().remove("c-599");
        assertThat(mesh.names()).filteredOn(name -> name.endsWith("/" + WIDE)).hasSize(599);
    }

    private ServiceSummary peer(String cluster, String namespace, String name, int ready) {
        mesh.put(remoteGateway("istio-eastwest/istio-remote-peer-" + cluster, "net-" + cluster)
                .specAddress("IPAddress", "203.0.113.1"));
        var summary = new ServiceSummary(
                namespace,
                name,
                List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                List.of(new LocalityShare(Locality.NONE, ready)),
                ready,
                List.of(namespace + "/" + name),
                NameScope.BOTH_NAMES,
                "PreferClose");
        mesh.mesh().peers().put(cluster, new ClusterSummary(cluster, "net-" + cluster, "cluster.local"));
        mesh.mesh().peers().apply(cluster, List.of(summary), List.of());
        return summary;
    }
}
