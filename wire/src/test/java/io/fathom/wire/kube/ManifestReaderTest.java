// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestReaderTest {
    @Test
    void givenFullMetadata_thenEverythingCounts() {
        var pod = Reads.one(PodManifest.class, """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web
                  namespace: shop
                  uid: u-1
                  creationTimestamp: 2026-02-03T04:05:06Z
                  deletionTimestamp: "2026-02-03T04:05:07+01:00"
                  labels: {app: web, empty: ""}
                  annotations:
                    ambient.istio.io/redirection: enabled
                    istio.io/use-waypoint-canary-weight: "10"
                    kubectl.kubernetes.io/last-applied-configuration: "{...}"
                    prometheus.io/scrape: "true"
                """);

        assertThat(pod.metadata())
                .isEqualTo(new Metadata(
                        new ObjectKey("c1", "shop", "web"),
                        "u-1",
                        Map.of("app", "web", "empty", ""),
                        Map.of("ambient.istio.io/redirection", "enabled", "istio.io/use-waypoint-canary-weight", "10"),
                        Instant.parse("2026-02-03T04:05:06Z"),
                        Metadata.Lifecycle.TERMINATING));
    }

    @Test
    void givenBareMetadata_thenDefaultsApply() {
        var pod = Reads.one(PodManifest.class, "{apiVersion: v1, kind: Pod, metadata: {name: web}}");

        assertThat(pod.metadata())
                .isEqualTo(new Metadata(
                        new ObjectKey("c1", "default", "web"),
                        "",
                        Map.of(),
                        Map.of(),
                        Reads.FIRST_SEEN,
                        Metadata.Lifecycle.ACTIVE));
    }

    @Test
    void givenNamespace_thenItCarriesItsNameAsLabel() {
        var namespace = Reads.one(NamespaceManifest.class, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, namespace: odd, labels: {a: b}}}
                """);

        assertThat(namespace.key()).isEqualTo(new ObjectKey("c1", "", "shop"));
        assertThat(namespace.labels()).isEqualTo(Map.of("a", "b", "kubernetes.io/metadata.name", "shop"));
    }

    @Test
    void givenNode_thenOnlyItsPlaceCounts() {
        var node = Reads.one(NodeManifest.class, """
                apiVersion: v1
                kind: Node
                metadata:
                  name: n1
                  labels:
                    topology.kubernetes.io/region: r
                    topology.kubernetes.io/zone: z
                    topology.istio.io/subzone: s
                  annotations: {istio.io/x: heartbeat}
                """);

        assertThat(node.locality()).isEqualTo(new Locality("r", "z", "s"));
        assertThat(node.labels()).isEmpty();
        assertThat(node.annotations()).isEmpty();
    }

    @Test
    void givenGatewayClass_thenItsControllerIsRead() {
        var type = Reads.one(GatewayClassManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: istio-waypoint, labels: {istio.io/waypoint-for: all}}
                spec: {controllerName: istio.io/mesh-controller}
                """);

        assertThat(type.controllerName()).isEqualTo("istio.io/mesh-controller");
        assertThat(type.namespace()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "networking.istio.io/v1 | ServiceEntry | spec: {hosts: [a.example]}",
                "networking.istio.io/v1 | Gateway | spec: {}",
                "networking.istio.io/v1alpha3 | Gateway | spec: {}",
                "networking.istio.io/v1beta1 | ServiceEntry | spec: {hosts: [a.example]}",
                "networking.istio.io/v1alpha3 | ServiceEntry | spec: {hosts: [a.example]}",
                "networking.istio.io/v1 | WorkloadEntry | spec: {address: 1.2.3.4}",
                "networking.istio.io/v1alpha3 | WorkloadEntry | spec: {address: 1.2.3.4}",
                "networking.istio.io/v1alpha3 | EnvoyFilter | spec: {}",
                "security.istio.io/v1 | AuthorizationPolicy | spec: {}",
                "security.istio.io/v1beta1 | AuthorizationPolicy | spec: {}",
                "security.istio.io/v1 | PeerAuthentication | spec: {}",
                "security.istio.io/v1beta1 | PeerAuthentication | spec: {}",
                "gateway.networking.k8s.io/v1 | Gateway | spec: {gatewayClassName: c, listeners: [%s]}",
                "gateway.networking.k8s.io/v1beta1 | Gateway | spec: {gatewayClassName: c, listeners: [%s]}",
                "gateway.networking.k8s.io/v1beta1 | GatewayClass | spec: {controllerName: c.io/d}",
                "discovery.k8s.io/v1 | EndpointSlice | addressType: IPv4",
                "v1 | Service | spec: {}"
            })
    void givenServedVersion_thenItIsRead(String version, String kind, String spec) {
        var readings = Reads.all(ReaderConfig.of("c1", "", "istio-system"), """
                apiVersion: %s
                kind: %s
                metadata: {name: x}
                %s
                """.formatted(
                        version, kind, spec.formatted("{name: a, port: 80, protocol: HTTP}")));

        assertThat(readings)
                .singleElement()
                .isInstanceOfSatisfying(
                        Reading.Good.class, good -> assertThat(good.problems()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "apps/v1, ReplicaSet, apps/ReplicaSet",
        "batch/v1, Job, batch/Job",
        "serving.knative.dev/v1, Service, serving.knative.dev/Service",
        "apiextensions.k8s.io/v1, CustomResourceDefinition, apiextensions.k8s.io/CustomResourceDefinition",
        "v1, ConfigMap, ConfigMap",
        "example.com/v7, Whatever, example.com/Whatever"
    })
    void givenKindOfNoInterest_thenItIsSkipped(String version, String kind, String want) {
        var readings = Reads.all(ReaderConfig.of("c1", "", "istio-system"), """
                {apiVersion: %s, kind: %s, metadata: {name: istio, labels: {a: "1"}}}
                """.formatted(version, kind));

        assertThat(readings).containsExactly(new Reading.Skipped(want));
    }

    @Test
    void givenAKindThatHasNoEffectHere_thenItIsSkippedAndSaid() {
        var readings = Reads.all(
                ReaderConfig.of("c1", "", "istio-system"),
                "{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: a, namespace: b}, spec: {}}");

        assertThat(readings).singleElement().isInstanceOfSatisfying(Reading.Skipped.class, skipped -> {
            assertThat(skipped.kind()).isEqualTo("networking.istio.io/Sidecar");
            assertThat(skipped.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.severity()).isEqualTo(ManifestProblem.Severity.WARNING);
                assertThat(problem)
                        .hasToString("f.yaml:1: Sidecar b/a: kind: is Sidecar, which has no effect here"
                                + " (fix: delete the object)");
            });
        });
    }

    @Test
    void givenList_thenItsItemsAreReadOneByOne() {
        var readings = Reads.all(Reads.CONFIG, """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Namespace, metadata: {name: a}}
                - {apiVersion: v1, kind: Service, metadata: {name: b}, spec: {ports: [{port: 0}]}}
                - {apiVersion: v1, kind: Secret, metadata: {name: c}}
                """);

        assertThat(readings).hasSize(3);
        assertThat(readings.get(0)).isInstanceOf(Reading.Good.class);
        var bad = (Reading.Bad) readings.get(1);
        assertThat(bad.problems().getFirst().field()).isEqualTo("items[1].spec.ports[0].port");
        assertThat(bad.id()).hasValue(new ManifestId(ServiceManifest.class, new ObjectKey("c1", "default", "b")));
        assertThat(readings.get(2)).isInstanceOf(Reading.Good.class);
    }

    @Test
    void givenTypedList_thenItemsInheritTheKind() {
        var readings = Reads.all(Reads.CONFIG, """
                apiVersion: v1
                kind: NamespaceList
                items: [{metadata: {name: a}}, {metadata: {name: b}}]
                """);

        assertThat(readings).hasSize(2).allMatch(Reading.Good.class::isInstance);
    }

    @ParameterizedTest
    @CsvSource({
        "'', canary, true",
        "default, default, true",
        "default, canary, false",
        "canary, canary, true",
        "canary, default, false"
    })
    void givenRevisionLabel_thenOnlyOursIsRead(String ours, String labelled, boolean read) {
        var readings = Reads.all(ReaderConfig.of("c1", ours, "istio-system"), """
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: one, labels: {istio.io/rev: "%s"}}
                ---
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: two}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: three, labels: {istio.io/rev: other}}
                """.formatted(labelled));

        assertThat(readings.get(0) instanceof Reading.Good).isEqualTo(read);
        assertThat(readings.get(1)).isInstanceOf(Reading.Good.class);
        assertThat(readings.get(2)).isInstanceOf(Reading.Good.class);
    }

    @Test
    void givenEqualParts_thenPodsShareThem() {
        var readings = Reads.all(Reads.CONFIG, """
                apiVersion: v1
                kind: Pod
                metadata: {name: a, namespace: shop, labels: {app: web, tier: front}}
                spec: {nodeName: n1, serviceAccountName: sa, containers: [{ports: [{containerPort: 80}]}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: b, namespace: shop, labels: {tier: front, app: web}}
                spec: {nodeName: n1, serviceAccountName: sa, containers: [{ports: [{containerPort: 80}]}]}
                """);

        var pods = readings.stream()
                .map(reading -> (PodManifest) ((Reading.Good) reading).manifest())
                .toList();
        assertThat(pods.get(0).labels()).isSameAs(pods.get(1).labels());
        assertThat(pods.get(0).namespace()).isSameAs(pods.get(1).namespace());
        assertThat(pods.get(0).node()).isSameAs(pods.get(1).node());
        assertThat(pods.get(0).ports()).isSameAs(pods.get(1).ports());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Web", "web_1", "-web", "a b", "x/y"})
    void givenNameThatKubernetesRefuses_thenSoDoWe(String name) {
        var problem = Reads.problem("{apiVersion: v1, kind: Pod, metadata: {name: %s}}".formatted(name));

        assertThat(problem.field()).isEqualTo("metadata.name");
    }

    @Test
    void givenProblem_thenItReadsWell() {
        var problem = Reads.problem("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec:
                  ports:
                  - port: 70000
                """);

        assertThat(problem)
                .hasToString("f.yaml:6: Service shop/web: spec.ports[0].port: is 70000, must be from 1 to 65535"
                        + " (fix: write a number from 1 to 65535)");
        assertThat(List.of(problem.file(), problem.object())).containsExactly("f.yaml", "Service shop/web");
    }
}
