// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.peers.RemoteSecretText;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.tree.Field;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the conformance suite of the Multi-Cluster Services API checks of ServiceExports and ServiceImports, over two
/// real API servers with a control plane each: docs/conformance/mcs.md says which test stands for which of its cases.
/// Each test has a namespace of its own.
@Tag("slow")
@Tag("interop")
class McsApiIT {
    private static final String PORTS = "[{name: tcp, port: 42, protocol: TCP}, {name: udp, port: 42, protocol: UDP}]";

    @SuppressWarnings("NullAway.Init")
    private static Side west;

    @SuppressWarnings("NullAway.Init")
    private static Side east;

    /// A cluster: its API server and its control plane.
    private static final class Side implements AutoCloseable {
        private final KubeApiServer server;
        private final KubeClient client;
        private final ManifestApplier applier;
        private Optional<RunningFathomd> fathomd = Optional.empty();

        Side() {
            server = KubeApiServer.start(InstantSource.system());
            client = new KubeClient(KubeConfig.fromFile(server.kubeconfig()), KubeSettings.DEFAULT);
            applier = new ManifestApplier(server);
        }

        void join(String id, String other, Side peer) {
            apply("""
                    apiVersion: v1
                    kind: Namespace
                    metadata: {name: istio-system, labels: {topology.istio.io/network: net-%s}}
                    """.formatted(id));
            applier.apply(List.of(
                    RemoteSecretText.secret("istio-system", "peers", Map.of(other, peer.server.portableKubeconfig()))));
            fathomd = Optional.of(RunningFathomd.governing(
                    server.kubeconfig(), Map.of("CLUSTER_ID", id, "AMBIENT_ENABLE_MULTI_NETWORK", "true")));
        }

        void apply(String text) {
            applier.apply(documents(text));
        }

        void delete(String kind, String namespace, String name) {
            applier.run("", "delete", kind, name, "-n", namespace, "--wait=false");
        }

        Optional<KubeObject> imported(String namespace) {
            return client.get(KubeResource.of(ServiceImportManifest.class), namespace, "hello");
        }

        Field spec(String namespace) {
            return imported(namespace)
                    .map(object -> object.root().at("spec"))
                    .orElseThrow(() -> new AssertionError("not imported"));
        }

        /// `Status/Reason` of a condition of the export.
        String condition(String namespace, String type) {
            return client.get(KubeResource.of(ServiceExportManifest.class), namespace, "hello").stream()
                    .flatMap(object -> object.root().at("status").at("conditions").items().stream())
                    .filter(condition -> condition.at("type").text().equals(type))
                    .map(condition -> condition.at("status").text() + "/"
                            + condition.at("reason").text())
                    .findFirst()
                    .orElse("-");
        }

        @Override
        public void close() {
            fathomd.ifPresent(RunningFathomd::close);
            client.close();
            server.close();
        }
    }

    @BeforeAll
    static void start() {
        west = new Side();
        east = new Side();
        west.join("west", "east", east);
        east.join("east", "west", west);
    }

    @AfterAll
    static void stop() {
        if (east != null) {
            east.close();
        }
        if (west != null) {
            west.close();
        }
    }

    @Test
    void givenClusterIpService_whenItIsExported_thenEachClusterImportsItAsItIs_untilItIsNot() {
        namespaces("cip");
        west.apply(service("cip", PORTS, """
                , sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 10}}\
                , trafficDistribution: PreferClose, ipFamilyPolicy: PreferDualStack"""));
        west.apply(export("cip", ""));

        await(() -> {
            for (var side : List.of(west, east)) {
                var spec = side.spec("cip");
                assertThat(spec.at("type").text()).isEqualTo("ClusterSetIP");
                assertThat(ports(spec)).containsExactlyInAnyOrder("tcp 42 TCP", "udp 42 UDP");
                assertThat(spec.at("sessionAffinity").text()).isEqualTo("ClientIP");
                assertThat(spec.at("sessionAffinityConfig")
                                .at("clientIP")
                                .at("timeoutSeconds")
                                .integer(1, 100))
                        .hasValue(10);
                assertThat(spec.at("internalTrafficPolicy").text()).isEqualTo("Cluster");
                assertThat(spec.at("trafficDistribution").text()).isEqualTo("PreferClose");
                assertThat(spec.at("ipFamilies").texts()).containsExactly("IPv4", "IPv6");
                assertThat(spec.at("ips").texts()).hasSize(2);
                assertThat(spec.at("ips").texts().getFirst()).startsWith("240.240.");
                assertThat(clusters(side, "cip")).containsExactly("west");
            }
        });
        assertThat(west.spec("cip").at("ips").texts())
                .describedAs("addresses follow from the name")
                .isEqualTo(east.spec("cip").at("ips").texts());
        await(() -> {
            assertThat(west.condition("cip", "Valid")).isEqualTo("True/Valid");
            assertThat(west.condition("cip", "Ready")).isEqualTo("True/Exported");
            assertThat(west.condition("cip", "Conflict")).isEqualTo("False/NoConflicts");
        });

        // an import that somebody changes is mended
        east.applier.run(
                "",
                "patch",
                "serviceimport",
                "hello",
                "-n",
                "cip",
                "--type=merge",
                "-p",
                "{\"spec\":{\"type\":\"Headless\"}}");
        await(() -> assertThat(east.spec("cip").at("type").text()).isEqualTo("ClusterSetIP"));

        west.delete("serviceexport", "cip", "hello");
        await(() -> {
            assertThat(west.imported("cip")).isEmpty();
            assertThat(east.imported("cip")).isEmpty();
        });
    }

    @Test
    void givenTwoExportingClusters_thenTheImportIsThereAsLongAsOneExports() {
        both("two", PORTS, PORTS);
        await(() -> assertThat(clusters(west, "two")).containsExactly("east", "west"));

        west.delete("serviceexport", "two", "hello");
        await(() -> {
            assertThat(clusters(west, "two")).containsExactly("east");
            assertThat(clusters(east, "two")).containsExactly("east");
        });

        east.delete("serviceexport", "two", "hello");
        await(() -> {
            assertThat(west.imported("two")).isEmpty();
            assertThat(east.imported("two")).isEmpty();
        });
    }

    @Test
    void givenHeadlessService_thenTheImportIsHeadlessAndHasNoAddress() {
        namespaces("headless");
        west.apply(service("headless", PORTS, ", clusterIP: None"));
        west.apply(export("headless", ""));

        await(() -> {
            for (var side : List.of(west, east)) {
                assertThat(side.spec("headless").at("type").text()).isEqualTo("Headless");
                assertThat(side.spec("headless").at("ips").texts()).isEmpty();
                assertThat(side.spec("headless").at("ipFamilies").texts()).isNotEmpty();
            }
        });
    }

    @Test
    void givenNothingThatCanBeExported_thenTheExportSaysSoAndNothingIsImported() {
        namespaces("invalid");
        west.apply(export("invalid", ""));
        await(() -> assertThat(west.condition("invalid", "Valid")).isEqualTo("False/NoService"));

        west.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: hello, namespace: invalid}
                spec: {type: ExternalName, externalName: example.com}
                """);
        await(() -> assertThat(west.condition("invalid", "Valid")).isEqualTo("False/InvalidServiceType"));
        assertThat(west.imported("invalid")).isEmpty();
        assertThat(east.imported("invalid")).isEmpty();
    }

    @Test
    void givenOtherPortsInTheSecondCluster_thenTheImportHasAllAndBothExportsAreTold() {
        both("union", PORTS, "[{name: tcp, port: 42, protocol: TCP}, {name: stcp, port: 142, protocol: SCTP}]");
        await(() -> {
            assertThat(west.condition("union", "Conflict")).isEqualTo("True/PortConflict");
            assertThat(east.condition("union", "Conflict")).isEqualTo("True/PortConflict");
            assertThat(ports(west.spec("union")))
                    .containsExactlyInAnyOrder("tcp 42 TCP", "udp 42 UDP", "stcp 142 SCTP");
        });
    }

    @Test
    void givenAPortWithAnotherNumber_thenTheOldestExportCountsAndBothAreTold() {
        both("number", PORTS, "[{name: tcp, port: 43, protocol: TCP}]");
        await(() -> {
            assertThat(west.condition("number", "Conflict")).isEqualTo("True/PortConflict");
            assertThat(east.condition("number", "Conflict")).isEqualTo("True/PortConflict");
            assertThat(ports(west.spec("number"))).containsExactlyInAnyOrder("tcp 42 TCP", "udp 42 UDP");
            assertThat(ports(east.spec("number"))).containsExactlyInAnyOrder("tcp 42 TCP", "udp 42 UDP");
        });
    }

    @Test
    void givenAHeadlessOneInTheSecondCluster_thenTheOldestExportCountsAndBothAreTold() {
        namespaces("type");
        west.apply(service("type", PORTS, ""));
        west.apply(export("type", ""));
        later();
        east.apply(service("type", PORTS, ", clusterIP: None"));
        east.apply(export("type", ""));
        await(() -> {
            assertThat(west.condition("type", "Conflict")).isEqualTo("True/TypeConflict");
            assertThat(east.condition("type", "Conflict")).isEqualTo("True/TypeConflict");
            assertThat(west.spec("type").at("type").text()).isEqualTo("ClusterSetIP");
            assertThat(east.spec("type").at("type").text()).isEqualTo("ClusterSetIP");
        });
    }

    @Test
    void givenLabelsAndAnnotationsThatAreExported_thenTheImportHasTheseAndNoOthers_ofTheOldestExport() {
        namespaces("labels");
        west.apply(service("labels", PORTS, ""));
        west.apply(export("labels", "exportedLabels: {team: a}, exportedAnnotations: {note: a}"));
        await(() -> {
            assertThat(labels(east, "labels")).containsEntry("team", "a").doesNotContainKey("app");
            assertThat(annotations(east, "labels")).containsEntry("note", "a").doesNotContainKey("dummy-svc");
        });
        later();
        east.apply(service("labels", PORTS, ""));
        east.apply(export("labels", "exportedLabels: {other: b}, exportedAnnotations: {other: b}"));
        await(() -> {
            assertThat(west.condition("labels", "Conflict")).isEqualTo("True/LabelsConflict,AnnotationsConflict");
            assertThat(east.condition("labels", "Conflict")).isEqualTo("True/LabelsConflict,AnnotationsConflict");
        });
        assertThat(labels(east, "labels")).containsEntry("team", "a").doesNotContainKey("other");
    }

    @Test
    void givenAnImportOfSomebodyElse_thenItIsNeverTouched() {
        namespaces("foreign");
        namespaces("cip2");
        east.apply("""
                apiVersion: multicluster.x-k8s.io/v1beta1
                kind: ServiceImport
                metadata: {name: hello, namespace: foreign}
                spec: {type: ClusterSetIP, ports: [{port: 9}]}
                """);
        west.apply(service("foreign", PORTS, ""));
        west.apply(export("foreign", ""));
        await(() -> assertThat(west.spec("foreign").at("type").text()).isEqualTo("ClusterSetIP"));
        // one that comes later has been written here as well
        west.apply(service("cip2", PORTS, ""));
        west.apply(export("cip2", ""));
        await(() -> assertThat(east.imported("cip2")).isPresent());
        assertThat(ports(east.spec("foreign"))).containsExactly(" 9 ");

        west.delete("serviceexport", "foreign", "hello");
        west.delete("serviceexport", "cip2", "hello");
        await(() -> assertThat(east.imported("cip2")).isEmpty());
        assertThat(east.imported("foreign")).isPresent();
    }

    @Test
    void givenNamespaceThatAClusterDoesNotHave_thenItImportsNothing_untilItHasIt() {
        west.apply(namespace("only"));
        west.apply(service("only", PORTS, ""));
        west.apply(export("only", ""));
        await(() -> assertThat(west.imported("only")).isPresent());
        assertThat(east.imported("only")).isEmpty();

        east.apply(namespace("only"));
        await(() -> assertThat(east.imported("only")).isPresent());
    }

    private static void both(String namespace, String ports, String portsInTheEast) {
        namespaces(namespace);
        west.apply(service(namespace, ports, ""));
        west.apply(export(namespace, ""));
        later();
        east.apply(service(namespace, portsInTheEast, ""));
        east.apply(export(namespace, ""));
    }

    /// Ages have seconds: waits for the next one.
    private static void later() {
        var second = InstantSource.system().instant().getEpochSecond();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(50))
                .until(() -> InstantSource.system().instant().getEpochSecond() > second);
    }

    private static void namespaces(String name) {
        for (var side : List.of(west, east)) {
            side.apply(namespace(name));
        }
    }

    private static String namespace(String name) {
        return """
                apiVersion: v1
                kind: Namespace
                metadata: {name: %s}
                """.formatted(name);
    }

    private static String service(String namespace, String ports, String more) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: hello, namespace: %s, labels: {app: hello}, annotations: {dummy-svc: dummy}}
                spec: {selector: {app: hello}, ports: %s%s}
                """.formatted(namespace, ports, more);
    }

    private static String export(String namespace, String spec) {
        return """
                apiVersion: multicluster.x-k8s.io/v1beta1
                kind: ServiceExport
                metadata: {name: hello, namespace: %s}
                spec: {%s}
                """.formatted(namespace, spec);
    }

    private static List<String> ports(Field spec) {
        return spec.at("ports").items().stream()
                .map(port -> port.at("name").text() + " " + port.at("port").requiredInteger(1, 65535) + " "
                        + port.at("protocol").text())
                .toList();
    }

    private static Set<String> clusters(Side side, String namespace) {
        var found = new TreeSet<String>();
        side.imported(namespace)
                .ifPresent(object -> object.root().at("status").at("clusters").items().stream()
                        .map(cluster -> cluster.at("cluster").text())
                        .forEach(found::add));
        return found;
    }

    private static Map<String, String> labels(Side side, String namespace) {
        return side.imported(namespace)
                .map(object -> object.metadata().at("labels").textMap())
                .orElse(Map.of());
    }

    private static Map<String, String> annotations(Side side, String namespace) {
        return side.imported(namespace)
                .map(object -> object.metadata().at("annotations").textMap())
                .orElse(Map.of());
    }

    private static void await(Runnable check) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .untilAsserted(check::run);
    }

    private static List<ManifestDocument> documents(String text) {
        return Arrays.stream(text.split("(?m)^---$"))
                .map(part -> ManifestDocument.parse(part).orElseThrow())
                .toList();
    }
}
