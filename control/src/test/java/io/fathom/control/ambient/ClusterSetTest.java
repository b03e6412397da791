// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.eastWest;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.serviceExport;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.model.peering.ServiceSummary.NameScope;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Services that ServiceExports export, `NAME.NAMESPACE.svc.clusterset.local`.
class ClusterSetTest {
    private static final String HOME = serviceName("app/web");
    private static final String SET = "app/web.app.svc.clusterset.local";
    private static final String EXPORT = "ServiceExport/app/web";
    private static final String EAST_FOLDED =
            "net-east/SplitHorizonWorkload/istio-eastwest/istio-remote-peer-east/203.0.113.1/";

    private final TestMesh mesh = new TestMesh();

    @Test
    void givenAnExport_thenTheServiceHasTheNameOfTheSet_andIsTold_andTheRestStaysLocal() {
        mesh.put(network("net-1"), namespace("app"), web(), pod("app/a").label("app", "web"));
        var _ = peer("east", "app", "other", Optional.empty());
        assertThat(mesh.find(SET)).isEmpty();

        mesh.put(serviceExport("app/web"));

        var set = mesh.service(SET);
        assertThat(set.hostname()).isEqualTo("web.app.svc.clusterset.local");
        assertThat(set.addresses())
                .hasSize(2)
                .doesNotContainAnyElementsOf(mesh.service(HOME).addresses());
        assertThat(set.ports()).extracting(Port::servicePort).containsExactly(80);
        assertThat(mesh.pod("app/a").services()).containsKeys(HOME, SET);
        assertThat(told("app/web").export()).isPresent();
        assertThat(told("app/web").scope()).isEqualTo(NameScope.MESH_NAME);
        assertThat(mesh.service(HOME).subjectAltNames()).isEmpty();
        assertThat(imported("app/web").spec().ips())
                .as("of the family that the Service has")
                .containsExactlyElementsOf(set.addresses().stream()
                        .map(address -> address.block().address())
                        .filter(address -> address.family() == Ip.Family.V4)
                        .toList());
        assertThat(imported("app/web").clusters()).containsExactly("Kubernetes");

        mesh.remove(serviceExport("app/web"));

        assertThat(mesh.names()).noneMatch(name -> name.contains("clusterset"));
        assertThat(mesh.pod("app/a").services()).containsOnlyKeys(HOME);
        assertThat(mesh.mesh().cut().of(mesh.mesh().exported()).size()).isZero();
        assertThat(mesh.mesh().cut().of(mesh.mesh().imports()).size()).isZero();
    }

    /// KEP-1645: only clusters that export it answer, also where ours has a Service of that name.
    @Test
    void givenServiceThatOnlyAPeerExports_thenOursOfThatNameIsNotBehindIt() {
        mesh.put(network("net-1"), namespace("app"), web(), pod("app/a").label("app", "web"));

        var _ = peer("east", "app", "web", Optional.of(export(2_000)));

        assertThat(mesh.pod("app/a").services()).containsOnlyKeys(HOME);
        assertThat(mesh.workload(EAST_FOLDED + SET).services()).containsOnlyKeys(SET);
        assertThat(mesh.service(SET).subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/web");
        assertThat(mesh.names()).noneMatch(name -> name.contains("mesh.internal"));
        assertThat(imported("app/web").clusters()).containsExactly("east");

        mesh.put(serviceExport("app/web"));
        assertThat(mesh.pod("app/a").services()).containsKey(SET);
        assertThat(imported("app/web").clusters()).containsExactly("Kubernetes", "east");

        mesh.remove(serviceExport("app/web"));
        assertThat(imported("app/web").clusters()).containsExactly("east");
        mesh.mesh().peers().remove("east");
        assertThat(mesh.find(SET)).isEmpty();
    }

    @Test
    void givenServiceThatAClusterExportsWhichWeRead_thenLikewise() {
        var several = new TestMesh(AmbientConfig.defaults().with(Feature.MULTI_NETWORK));
        several.put(network("net-1"), namespace("app"), web());

        several.putIn(
                "east",
                network("net-east"),
                namespace("app"),
                eastWest("istio-system/east", "net-east").ip("203.0.113.20"),
                web(),
                serviceExport("app/web"),
                pod("app/a").label("app", "web").account("a"));

        var folded = "net-east/SplitHorizonWorkload/istio-system/east/203.0.113.20/";
        assertThat(several.workload(folded + SET).services()).containsOnlyKeys(SET);
        assertThat(several.service(SET).subjectAltNames()).containsExactly("spiffe://cluster.local/ns/app/sa/a");
        assertThat(several.find(folded + HOME)).isEmpty();
        assertThat(several.names()).noneMatch(name -> name.contains("mesh.internal"));

        several.removeIn("east", serviceExport("app/web"));
        assertThat(several.names()).noneMatch(name -> name.contains("clusterset") || name.contains("SplitHorizon"));
    }

    /// Namespace sameness: a cluster without the namespace imports nothing.
    @Test
    void givenNamespaceThatIsNotHere_thenNothingIsImported_untilItComes() {
        mesh.put(network("net-1"));
        var _ = peer("east", "far", "db", Optional.of(export(2_000)));
        assertThat(mesh.names()).noneMatch(name -> name.contains("clusterset"));
        assertThat(mesh.mesh().cut().of(mesh.mesh().imports()).size()).isZero();

        mesh.put(namespace("far"));

        assertThat(mesh.service("far/db.far.svc.clusterset.local").addresses()).hasSize(2);
        assertThat(imported("far/db").spec().ports()).containsExactly(new ExportedPort("http", 80, "TCP", ""));
    }

    @Test
    void givenTheSameNamesInAnotherOrder_thenTheyHaveTheSameAddresses() {
        mesh.put(network("net-1"), namespace("app"), web(), serviceExport("app/web"));
        var _ = peer("east", "app", "db", Optional.of(export(2_000)));

        var other = new TestMesh();
        other.put(namespace("app"), network("net-1"), service("app/db").port("http", 80, 80), serviceExport("app/db"));
        other.put(serviceExport("app/web"), web());

        for (var name : List.of(SET, "app/db.app.svc.clusterset.local")) {
            if (other.find(name).isPresent()) {
                assertThat(other.service(name).addresses().isEmpty()
                                || other.service(name)
                                        .addresses()
                                        .equals(mesh.service(name).addresses()))
                        .isTrue();
            }
        }
        assertThat(other.service(SET).addresses()).isEqualTo(mesh.service(SET).addresses());
    }

    @Test
    void givenHeadlessService_thenItsNameHasNoAddressAndItsEndpointsAreBehindIt() {
        mesh.put(
                network("net-1"),
                namespace("app"),
                service("app/web").selects("app", "web").port("http", 80, 8080),
                pod("app/a").label("app", "web"),
                serviceExport("app/web"));

        assertThat(mesh.service(SET).addresses()).isEmpty();
        assertThat(mesh.pod("app/a").services()).containsKey(SET);
        assertThat(imported("app/web").spec().kind()).isEqualTo(ExportedService.ExportType.HEADLESS);
        assertThat(imported("app/web").spec().ips()).isEmpty();
    }

    @Test
    void givenNothingToExport_thenTheExportSaysWhy() {
        mesh.put(web(), serviceExport("app/web"));
        assertThat(mesh.condition(EXPORT, "Valid")).isEqualTo("False/NoNamespace");

        mesh.remove(web()).put(namespace("app"));
        assertThat(mesh.condition(EXPORT, "Valid")).isEqualTo("False/NoService");
        assertThat(mesh.condition(EXPORT, "Ready")).isEqualTo("False/Failed");
        assertThat(mesh.condition(EXPORT, "Conflict")).isEqualTo("-");

        mesh.put(web().type(ServiceManifest.Type.EXTERNAL_NAME));
        assertThat(mesh.condition(EXPORT, "Valid")).isEqualTo("False/InvalidServiceType");
        assertThat(mesh.find(SET)).isEmpty();

        mesh.put(web());
        assertThat(mesh.condition(EXPORT, "Valid")).isEqualTo("True/Valid");
        assertThat(mesh.condition(EXPORT, "Ready")).isEqualTo("True/Exported");
        assertThat(mesh.condition(EXPORT, "Conflict")).isEqualTo("False/NoConflicts");
    }

    /// Whoever exported first counts, and both are told.
    @ParameterizedTest
    @CsvSource({"500, east", "1500, Kubernetes", "1000, Kubernetes"})
    void whenClustersDisagree_thenTheOldestExportCountsAndEachIsTold(long created, String winner) {
        mesh.put(
                network("net-1"),
                namespace("app"),
                web().sticky(60).distribution("PreferClose"),
                serviceExport("app/web", Map.of("team", "a")).createdAt(1_000));

        var _ = peer(
                "east",
                "app",
                "web",
                Optional.of(new ExportedService(
                        Instant.ofEpochSecond(created),
                        ExportedService.ExportType.HEADLESS,
                        List.of(new ExportedPort("http", 81, "TCP", ""), new ExportedPort("grpc", 90, "TCP", "")),
                        List.of(Ip.Family.V4),
                        Optional.empty(),
                        "Local",
                        "",
                        Map.of("team", "b"),
                        Map.of("note", "b"))));

        assertThat(mesh.condition(EXPORT, "Conflict"))
                .isEqualTo("True/PortConflict,TypeConflict,SessionAffinityConflict,InternalTrafficPolicyConflict,"
                        + "TrafficDistributionConflict,LabelsConflict,AnnotationsConflict");
        assertThat(message("Conflict")).contains("Kubernetes http 80/TCP", "east http 81/TCP", winner + ", counts");
        var spec = imported("app/web").spec();
        var isOurs = winner.equals("Kubernetes");
        assertThat(spec.kind())
                .isEqualTo(isOurs ? ExportedService.ExportType.CLUSTER_SET_IP : ExportedService.ExportType.HEADLESS);
        assertThat(spec.ports())
                .extracting(ExportedPort::number)
                .describedAs("all of them, each once")
                .containsExactly(isOurs ? 80 : 81, 90);
        assertThat(spec.affinity()).isEqualTo(isOurs ? Optional.of(60) : Optional.empty());
        assertThat(spec.policy()).isEqualTo(isOurs ? "Cluster" : "Local");
        assertThat(imported("app/web").labels()).containsEntry("team", isOurs ? "a" : "b");

        var _ = peer("east", "app", "web", Optional.of(told("app/web").export().orElseThrow()));
        assertThat(mesh.condition(EXPORT, "Conflict")).isEqualTo("False/NoConflicts");
    }

    /// Each port leads to the clusters that have it, and to no other.
    @Test
    void whenPortsDiffer_thenEachLeadsToItsOwnClusters() {
        mesh.put(network("net-1"), namespace("app"), web(), pod("app/a").label("app", "web"), serviceExport("app/web"));
        var export = export(2_000);
        var _ = peer(
                "east",
                "app",
                "web",
                Optional.of(new ExportedService(
                        export.created(),
                        export.kind(),
                        List.of(new ExportedPort("other", 4242, "TCP", "")),
                        export.families(),
                        export.affinity(),
                        export.policy(),
                        export.distribution(),
                        Map.of(),
                        Map.of())),
                new Port(4242, 42, AppProtocol.UNKNOWN));

        assertThat(mesh.service(SET).ports()).extracting(Port::servicePort).containsExactly(80, 4242);
        assertThat(TestMesh.ports(mesh.pod("app/a"), SET)).containsExactly("80>8080");
        assertThat(TestMesh.ports(mesh.workload(EAST_FOLDED + SET), SET)).containsExactly("4242>42");
    }

    @Test
    void whenSettingsSaySo_thenTheNameInKubernetesMeansAllClustersToo_orThereIsNoOther() {
        var discovery = AmbientConfig.defaults().with(Feature.MCS_DISCOVERY);
        for (var config : List.of(
                discovery,
                discovery.with(Feature.MCS_CLUSTER_LOCAL),
                AmbientConfig.defaults().without(Feature.MCS_HOSTS))) {
            var one = new TestMesh(config);
            one.put(network("net-1"), namespace("app"), web(), serviceExport("app/web"));
            one.put(remoteGateway("istio-eastwest/istio-remote-peer-east", "net-east")
                    .specAddress("IPAddress", "203.0.113.1"));
            tell(one, "east", summary("app", "web", Optional.of(export(2_000)), List.of(HTTP)));

            assertThat(one.find(EAST_FOLDED + HOME).isPresent())
                    .isEqualTo(config.has(Feature.MCS_DISCOVERY) && !config.has(Feature.MCS_CLUSTER_LOCAL));
            assertThat(one.find(SET).isPresent()).isEqualTo(config.has(Feature.MCS_HOSTS));
            assertThat(one.find(EAST_FOLDED + SET).isPresent()).isEqualTo(config.has(Feature.MCS_HOSTS));
        }
    }

    @Test
    void whenEveryServiceCountsAsExported_thenNoExportIsNeeded() {
        var all = new TestMesh(AmbientConfig.defaults().with(Feature.MCS_AUTO_EXPORT));
        all.put(
                namespace("app"),
                namespace("kube-system"),
                web(),
                service("kube-system/dns").port("dns", 53, 53));

        assertThat(all.find(SET)).isPresent();
        assertThat(all.names()).noneMatch(name -> name.contains("dns.kube-system.svc.clusterset"));
    }

    private static final Port HTTP = new Port(80, 8080, AppProtocol.HTTP11);

    private ServiceSummary told(String path) {
        return mesh.mesh()
                .cut()
                .of(mesh.mesh().exported())
                .find(TestMesh.key("app", path.substring(path.indexOf('/') + 1)))
                .orElseThrow();
    }

    private ServiceImportManifest imported(String path) {
        var slash = path.indexOf('/');
        return mesh.mesh()
                .cut()
                .of(mesh.mesh().imports())
                .find(TestMesh.key(path.substring(0, slash), path.substring(slash + 1)))
                .orElseThrow();
    }

    private String message(String type) {
        return mesh.status(EXPORT).orElseThrow().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .map(StatusCondition::message)
                .findFirst()
                .orElseThrow();
    }

    private static ServiceDraft web() {
        return service("app/web").vip("10.96.0.1").selects("app", "web").port("http", 80, 8080);
    }

    private static ExportedService export(long created) {
        return new ExportedService(
                Instant.ofEpochSecond(created),
                ExportedService.ExportType.CLUSTER_SET_IP,
                List.of(new ExportedPort("http", 80, "TCP", "")),
                List.of(Ip.Family.V4),
                Optional.empty(),
                "Cluster",
                "",
                Map.of(),
                Map.of());
    }

    private ServiceSummary peer(
            String cluster, String namespace, String name, Optional<ExportedService> export, Port... ports) {
        mesh.put(remoteGateway("istio-eastwest/istio-remote-peer-" + cluster, "net-" + cluster)
                .specAddress("IPAddress", "203.0.113.1"));
        var summary = summary(namespace, name, export, ports.length == 0 ? List.of(HTTP) : List.of(ports));
        tell(mesh, cluster, summary);
        return summary;
    }

    private static void tell(TestMesh mesh, String cluster, ServiceSummary summary) {
        mesh.mesh().peers().put(cluster, new ClusterSummary(cluster, "net-" + cluster, "cluster.local"));
        mesh.mesh().peers().apply(cluster, List.of(summary), List.of());
    }

    private static ServiceSummary summary(
            String namespace, String name, Optional<ExportedService> export, List<Port> ports) {
        return new ServiceSummary(
                namespace,
                name,
                ports,
                List.of(new LocalityShare(Locality.NONE, 2)),
                2,
                List.of(namespace + "/" + name),
                NameScope.MESH_NAME,
                "",
                export);
    }
}
