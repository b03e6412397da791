// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import static io.fathom.control.gateway.RouteVerdict.NOT_IN_EFFECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.control.Ids;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.gateway.RouteAttachPoint.AtService;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Routes for Services: `shop/web`, `shop/db` and `shop/mail` go through waypoint `infra/wp`, `shop/plain` through
/// none.
class MeshRoutesTest {
    private static final String WORLD = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: wp, namespace: infra}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE, allowedRoutes: {namespaces: {from: All}}}]
            status: {addresses: [{type: Hostname, value: wp.infra.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: &wp {istio.io/use-waypoint: wp, istio.io/use-waypoint-namespace: infra}}
            spec: {clusterIP: 10.0.0.1, ports: [{name: http, port: 80}, {name: admin, port: 81, appProtocol: http}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: db, namespace: shop, labels: {istio.io/use-waypoint: wp, istio.io/use-waypoint-namespace: infra}}
            spec: {clusterIP: 10.0.0.2, ports: [{name: tcp-db, port: 5432}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: plain, namespace: shop}
            spec: {clusterIP: 10.0.0.3, ports: [{name: http, port: 80}]}
            """;

    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    private final AmbientMesh mesh = new AmbientMesh(AmbientConfig.defaults());

    static Stream<Arguments> cases() {
        var web = "{kind: Service, name: web, namespace: shop}";
        return Stream.of(
                argumentSet("its own namespace", "HTTPRoute", "shop", web, "Accepted at 80,81"),
                argumentSet("that of the waypoint", "HTTPRoute", "infra", web, "Accepted at 80,81"),
                argumentSet("a third one", "HTTPRoute", "clients", web, "NotAllowedByListeners at "),
                argumentSet("a port", "HTTPRoute", "shop", web.replace("}", ", port: 81}"), "Accepted at 81"),
                argumentSet(
                        "a port by name",
                        "HTTPRoute",
                        "shop",
                        web.replace("}", ", sectionName: admin}"),
                        "Accepted at 81"),
                argumentSet(
                        "no port of that name",
                        "HTTPRoute",
                        "shop",
                        web.replace("}", ", sectionName: htpp}"),
                        "NoMatchingParent at "),
                argumentSet(
                        "name and number of different ports",
                        "HTTPRoute",
                        "shop",
                        web.replace("}", ", sectionName: admin, port: 80}"),
                        "NoMatchingParent at "),
                argumentSet(
                        "requests where there are connections",
                        "HTTPRoute",
                        "shop",
                        "{kind: Service, name: db}",
                        "NoMatchingParent at "),
                argumentSet("connections", "TCPRoute", "shop", "{kind: Service, name: db}", "Accepted at 5432"),
                argumentSet(
                        "connections where there are requests",
                        "TCPRoute",
                        "shop",
                        web.replace("}", ", port: 81}"),
                        "NoMatchingParent at "));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenAParent_thenTheRouteIsInEffectOrNotAccepted(String kind, String namespace, String parent, String want) {
        apply(WORLD);
        apply(route(kind, namespace, "r", parent, 1));
        var verdict = verdict(kind + "/" + namespace + "/r");
        var own = verdict.parents().getFirst();
        assertThat(own.accepted().reason() + " at " + ports(verdict)).isEqualTo(want);
        assertThat(own.effects()).isEqualTo(verdict.effects().keySet());
        assertThat(verdict.effects().keySet())
                .allMatch(place -> place instanceof AtService(var waypoint, var _, var _)
                        && waypoint.equals(new ObjectKey("Kubernetes", "infra", "wp")));
        assertThat(problem(kind + "/" + namespace + "/r")).isEqualTo("");
    }

    @Test
    void givenNoWaypoint_thenThatIsACondition() {
        apply(WORLD);
        apply(route("HTTPRoute", "shop", "r", "{kind: Service, name: plain}", 1));
        var own = verdict("HTTPRoute/shop/r").parents().getFirst();
        assertThat(own.accepted().isGood()).isTrue();
        assertThat(own.accepted().message()).contains("not in effect");
        assertThat(own.waypoints().orElseThrow().reason()).isEqualTo("MissingUseWaypointLabel");
        assertThat(problem("HTTPRoute/shop/r")).isEqualTo("route-not-in-effect");
    }

    @Test
    void givenATlsRouteForOtherNames_thenItIsNotAccepted() {
        apply(WORLD);
        apply(route("TLSRoute", "shop", "r", "{kind: Service, name: db}", 1)
                .replace("rules:", "hostnames: [other.example]\n  rules:"));
        assertThat(verdict("TLSRoute/shop/r").parents().getFirst().accepted().reason())
                .isEqualTo("NoMatchingListenerHostname");
        apply(route("TLSRoute", "shop", "r", "{kind: Service, name: db}", 1)
                .replace("rules:", "hostnames: [db.shop.svc.cluster.local]\n  rules:"));
        assertThat(ports(verdict("TLSRoute/shop/r"))).isEqualTo("5432");
    }

    @Test
    void givenSeveralRoutesForConnections_thenOneHasThem() {
        apply(WORLD);
        apply(route("TCPRoute", "shop", "young", "{kind: Service, name: db}", 2));
        assertThat(ports(verdict("TCPRoute/shop/young"))).isEqualTo("5432");
        apply(route("TCPRoute", "shop", "old", "{kind: Service, name: db}", 1));
        assertThat(ports(verdict("TCPRoute/shop/old"))).isEqualTo("5432");
        assertThat(ports(verdict("TCPRoute/shop/young"))).isEqualTo("");
        assertThat(verdict("TCPRoute/shop/young")
                        .parents()
                        .getFirst()
                        .accepted()
                        .message())
                .contains("not in effect: TCPRoute shop/old");
        apply(route("TLSRoute", "shop", "names", "{kind: Service, name: db}", 3));
        assertThat(ports(verdict("TLSRoute/shop/names"))).isEqualTo("5432");
        assertThat(ports(verdict("TCPRoute/shop/old"))).isEqualTo("");
    }

    @Test
    void givenAParentThatIsNotThere_thenItIsAProblemAndNoCondition() {
        apply(route("HTTPRoute", "shop", "r", "{name: lost}", 1));
        assertThat(verdict("HTTPRoute/shop/r").parents()).isEmpty();
        assertThat(problem("HTTPRoute/shop/r")).isEqualTo("route-parent-missing");
        apply(route("HTTPRoute", "shop", "r", "{kind: Gatway, name: lost}", 1));
        assertThat(problem("HTTPRoute/shop/r")).isEqualTo("route-parent-unknown");
        apply(route("HTTPRoute", "shop", "r", "{group: example.com, kind: Door, name: lost}", 1));
        assertThat(problem("HTTPRoute/shop/r")).isEqualTo("");
    }

    private static String route(String kind, String namespace, String name, String parent, int day) {
        return """
                apiVersion: gateway.networking.k8s.io/%s
                kind: %s
                metadata: {name: %s, namespace: %s, creationTimestamp: "2026-01-0%dT00:00:00Z"}
                spec:
                  parentRefs: [%s]
                  rules: [{backendRefs: [{name: web, namespace: shop, port: 80}]}]
                """.formatted(kind.equals("HTTPRoute") ? "v1" : "v1alpha2", kind, name, namespace, day, parent);
    }

    private static String ports(RouteVerdict verdict) {
        return verdict.effects().keySet().stream()
                .map(place -> ((AtService) place).port())
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(","));
    }

    private RouteVerdict verdict(String row) {
        return mesh.cut().of(mesh.routes()).find(Ids.of(row)).orElseThrow();
    }

    /// The code of what no condition says of it.
    private String problem(String row) {
        var verdict = verdict(row);
        return verdict.unsaid().values().stream()
                .map(Problem::code)
                .findFirst()
                .orElse(verdict.parents().stream().anyMatch(ParentVerdict::isAcceptedInVain) ? NOT_IN_EFFECT : "");
    }

    private void apply(String yaml) {
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test", yaml, Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
    }
}
