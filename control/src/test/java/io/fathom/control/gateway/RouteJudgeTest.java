// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.Ids;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Routes in the mesh that is written below, judged as parts of the flow.
class RouteJudgeTest {
    private static final String WORLD = """
            {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: blue}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: red}}}
            ---
            {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: theirs}, spec: {controllerName: their.example/controller}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop}
            spec:
              gatewayClassName: istio
              listeners:
              - {name: http, port: 80, protocol: HTTP, hostname: "*.example.com"}
              - {name: all, port: 81, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
              - {name: blue, port: 82, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: blue}}}}}
              - {name: grpc, port: 83, protocol: HTTP, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}
              - {name: none, port: 84, protocol: HTTP, allowedRoutes: {namespaces: {from: None}}}
              - {name: tcp, port: 85, protocol: TCP}
              - {name: pass, port: 86, protocol: TLS, tls: {mode: Passthrough}}
              - {name: term, port: 87, protocol: TLS, tls: {mode: Terminate}}
              - {name: exact, port: 88, protocol: HTTP, hostname: web.example.org}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: open, namespace: shop}
            spec:
              gatewayClassName: istio
              listeners: [{name: own, port: 80, protocol: HTTP, hostname: own.example}]
              allowedListeners: {namespaces: {from: Selector, selector: {matchLabels: {team: red}}}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: ListenerSet
            metadata: {name: more, namespace: other}
            spec:
              parentRef: {name: open, namespace: shop}
              listeners:
              - {name: same, port: 80, protocol: HTTP, hostname: same.example}
              - {name: any, port: 80, protocol: HTTP, hostname: any.example, allowedRoutes: {namespaces: {from: All}}}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: ListenerSet
            metadata: {name: unwanted, namespace: shop}
            spec: {parentRef: {name: open}, listeners: [{name: x, port: 81, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: ListenerSet
            metadata: {name: foreign, namespace: shop}
            spec: {parentRef: {name: foreign}, listeners: [{name: x, port: 81, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: foreign, namespace: shop}
            spec: {gatewayClassName: theirs, listeners: [{name: http, port: 80, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: wp, namespace: shop}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: open, namespace: other}, spec: {ports: [{port: 80}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: closed, namespace: other}, spec: {ports: [{port: 80}]}}
            ---
            apiVersion: networking.istio.io/v1
            kind: ServiceEntry
            metadata: {name: ext, namespace: shop}
            spec: {hosts: [ext.example], ports: [{name: http, number: 80, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1beta1
            kind: ReferenceGrant
            metadata: {name: grant, namespace: other}
            spec:
              from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}]
              to: [{group: "", kind: Service, name: open}]
            """;

    private final ManifestReader reader = new ManifestReader(
            ReaderConfig.of("Kubernetes", "default", "istio-system").ofApiServer());
    private final AmbientMesh mesh = new AmbientMesh(AmbientConfig.defaults());

    static Stream<Arguments> parents() {
        return Stream.of(
                argumentSet("a listener by name", "shop", "{name: edge, sectionName: all}", "", "Accepted at all"),
                argumentSet("by port", "shop", "{name: edge, port: 81}", "", "Accepted at all"),
                argumentSet("no such name", "shop", "{name: edge, sectionName: x}", "", "NoMatchingParent"),
                argumentSet(
                        "name and port differ",
                        "shop",
                        "{name: edge, sectionName: all, port: 80}",
                        "",
                        "NoMatchingParent"),
                argumentSet(
                        "same namespace only",
                        "other",
                        "{name: edge, namespace: shop, sectionName: http}",
                        "",
                        "NotAllowedByListeners"),
                argumentSet(
                        "all namespaces",
                        "other",
                        "{name: edge, namespace: shop, sectionName: all}",
                        "",
                        "Accepted at all"),
                argumentSet("selected namespace", "shop", "{name: edge, sectionName: blue}", "", "Accepted at blue"),
                argumentSet(
                        "namespace not selected",
                        "other",
                        "{name: edge, namespace: shop, sectionName: blue}",
                        "",
                        "NotAllowedByListeners"),
                argumentSet("nobody", "shop", "{name: edge, sectionName: none}", "", "NotAllowedByListeners"),
                argumentSet("kind not listed", "shop", "{name: edge, sectionName: grpc}", "", "NotAllowedByListeners"),
                argumentSet("kind does not fit", "shop", "{name: edge, sectionName: tcp}", "", "NotAllowedByListeners"),
                argumentSet(
                        "host below the wildcard",
                        "shop",
                        "{name: edge, sectionName: http}",
                        "a.b.example.com",
                        "Accepted at http"),
                argumentSet(
                        "wildcard over the host",
                        "shop",
                        "{name: edge, sectionName: exact}",
                        "'*.example.org'",
                        "Accepted at exact"),
                argumentSet(
                        "wildcard is not the bare name",
                        "shop",
                        "{name: edge, sectionName: http}",
                        "example.com",
                        "NoMatchingListenerHostname"),
                argumentSet(
                        "other host",
                        "shop",
                        "{name: edge, sectionName: exact}",
                        "web.example.com",
                        "NoMatchingListenerHostname"),
                argumentSet("all that fit", "shop", "{name: edge}", "x.example.net", "Accepted at all,blue"),
                argumentSet("a waypoint", "shop", "{name: wp}", "", "NotAllowedByListeners"),
                argumentSet("a ListenerSet", "other", "{kind: ListenerSet, name: more}", "", "Accepted at any,same"),
                argumentSet(
                        "a ListenerSet of another namespace",
                        "shop",
                        "{kind: ListenerSet, name: more, namespace: other}",
                        "",
                        "Accepted at any"),
                argumentSet(
                        "a listener of a ListenerSet",
                        "other",
                        "{kind: ListenerSet, name: more, sectionName: same}",
                        "",
                        "Accepted at same"),
                argumentSet(
                        "a listener of a ListenerSet at the Gateway",
                        "shop",
                        "{name: open, sectionName: any}",
                        "",
                        "NoMatchingParent"),
                argumentSet("the Gateway alone", "shop", "{name: open}", "", "Accepted at own"),
                argumentSet(
                        "a ListenerSet that the Gateway does not want",
                        "shop",
                        "{kind: ListenerSet, name: unwanted}",
                        "",
                        "NotAllowedByListeners"),
                argumentSet("a ListenerSet of others", "shop", "{kind: ListenerSet, name: foreign}", "", "none"),
                argumentSet("no such ListenerSet", "shop", "{kind: ListenerSet, name: gone}", "", "none"),
                argumentSet("a Gateway of others", "shop", "{name: foreign}", "", "none"),
                argumentSet("no such Gateway", "shop", "{name: missing}", "", "none"),
                argumentSet("a kind of others", "shop", "{group: x.example, kind: Thing, name: edge}", "", "none"),
                argumentSet("a Service", "shop", "{group: '', kind: Service, name: web}", "", "Accepted at "),
                argumentSet("a Service without a group", "shop", "{kind: Service, name: web}", "", "Accepted at "),
                argumentSet("its port", "shop", "{group: '', kind: Service, name: web, port: 80}", "", "Accepted at "),
                argumentSet(
                        "not its port",
                        "shop",
                        "{group: '', kind: Service, name: web, port: 81}",
                        "",
                        "NoMatchingParent"),
                argumentSet("no Service", "other", "{group: '', kind: Service, name: web}", "", "NoMatchingParent"),
                argumentSet(
                        "an entry",
                        "shop",
                        "{group: networking.istio.io, kind: ServiceEntry, name: ext}",
                        "",
                        "Accepted at "),
                argumentSet(
                        "no entry",
                        "shop",
                        "{group: networking.istio.io, kind: ServiceEntry, name: gone}",
                        "",
                        "NoMatchingParent"));
    }

    @ParameterizedTest
    @MethodSource("parents")
    void givenAParent_thenTheRouteIsAcceptedOrSaysWhyNot(String namespace, String parent, String host, String want) {
        var verdict = judged("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: %s}
                spec: {parentRefs: [%s], hostnames: [%s]}
                """.formatted(namespace, parent, host));
        var listeners =
                verdict.attached().stream().map(ListenerKey::listener).sorted().toList();
        assertThat(verdict.parents().stream()
                        .map(found -> found.accepted().reason()
                                + (found.accepted().isGood() ? " at " + String.join(",", listeners) : ""))
                        .findFirst()
                        .orElse("none"))
                .isEqualTo(want);
    }

    @Test
    void givenAListenerSet_thenRoutesAreCountedThereAndGrantsAreNeeded() {
        var verdict = judged("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: other}
                spec:
                  parentRefs: [{kind: ListenerSet, name: more, sectionName: same}]
                  rules: [{backendRefs: [{name: web, namespace: shop, port: 80}]}]
                """);
        assertThat(verdict.parents().getFirst().resolved().reason()).isEqualTo("RefNotPermitted");
        var key = new ListenerKey(
                new ObjectKey("Kubernetes", "shop", "open"),
                Optional.of(new ObjectKey("Kubernetes", "other", "more")),
                "same");
        assertThat(verdict.attached()).containsExactly(key);
        assertThat(mesh.cut().of(mesh.attachedRoutes()).find(key)).contains(1);
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                argumentSet("TCP on TCP", "TCPRoute", "tcp", "Accepted"),
                argumentSet("TCP after termination", "TCPRoute", "term", "Accepted"),
                argumentSet("TLS passed through", "TLSRoute", "pass", "Accepted"),
                argumentSet("TLS after termination", "TLSRoute", "term", "Accepted"),
                argumentSet("TCP on HTTP", "TCPRoute", "all", "NotAllowedByListeners"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenAKind_thenTheProtocolOfTheListenerCounts(String kind, String listener, String want) {
        var verdict = judged("""
                apiVersion: gateway.networking.k8s.io/v1alpha2
                kind: %s
                metadata: {name: r, namespace: shop}
                spec: {parentRefs: [{name: edge, sectionName: %s}], rules: [{backendRefs: [{name: web, port: 80}]}]}
                """.formatted(kind, listener));
        assertThat(verdict.parents().getFirst().accepted().reason()).isEqualTo(want);
    }

    static Stream<Arguments> backends() {
        return Stream.of(
                argumentSet("own namespace", "{name: web, port: 80}", "ResolvedRefs", "ResolvedRefs"),
                argumentSet("missing", "{name: gone, port: 80}", "BackendNotFound", "BackendNotFound"),
                argumentSet("granted", "{name: open, namespace: other, port: 80}", "ResolvedRefs", "ResolvedRefs"),
                argumentSet(
                        "not granted", "{name: closed, namespace: other, port: 80}", "RefNotPermitted", "ResolvedRefs"),
                argumentSet(
                        "not granted comes before missing",
                        "{name: gone, namespace: other, port: 80}",
                        "RefNotPermitted",
                        "BackendNotFound"),
                argumentSet("other kind", "{kind: Pod, name: web}", "InvalidKind", "InvalidKind"),
                argumentSet(
                        "an entry",
                        "{group: networking.istio.io, kind: ServiceEntry, name: ext, port: 80}",
                        "ResolvedRefs",
                        "ResolvedRefs"),
                argumentSet(
                        "a host name",
                        "{group: networking.istio.io, kind: Hostname, name: ext.example, port: 80}",
                        "ResolvedRefs",
                        "ResolvedRefs"));
    }

    @ParameterizedTest
    @MethodSource("backends")
    void givenABackend_thenGatewaysNeedGrantsAndTheMeshDoesNot(String backend, String atGateway, String inMesh) {
        var verdict = judged("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: shop}
                spec:
                  parentRefs: [{name: edge, sectionName: all}, {group: "", kind: Service, name: web}]
                  rules: [{backendRefs: [%s]}]
                """.formatted(backend));
        assertThat(verdict.parents())
                .extracting(parent -> parent.resolved().reason())
                .containsExactly(atGateway, inMesh);
    }

    @Test
    void givenAFilterThatNobodyKnows_thenItIsNamed() {
        var verdict = judged("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: r, namespace: shop}
                spec:
                  parentRefs: [{name: edge, sectionName: all}]
                  rules:
                  - filters: [{type: ExtensionRef, extensionRef: {group: g.example, kind: Magic, name: m}}]
                    backendRefs: [{name: web, port: 80}]
                """);
        var resolved = verdict.parents().getFirst().resolved();
        assertThat(resolved.reason()).isEqualTo("InvalidKind");
        assertThat(resolved.message()).contains("g.example/Magic");
    }

    @Test
    void whenSurroundingsChange_thenTheVerdictAndTheCountsFollow() {
        var route = """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s, namespace: shop}
                spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: late, port: 80}]}]}
                """;
        apply(route.formatted("one"));
        assertThat(mesh.cut()
                        .of(mesh.routes())
                        .find(Ids.of("HTTPRoute/shop/one"))
                        .orElseThrow()
                        .parents())
                .isEmpty();
        apply(WORLD);
        apply(route.formatted("two"));
        assertThat(count("all")).isEqualTo(2);
        assertThat(count("tcp")).isZero();
        var reasons = mesh.cut()
                .of(mesh.routes())
                .find(Ids.of("HTTPRoute/shop/one"))
                .orElseThrow()
                .parents();
        assertThat(reasons.getFirst().resolved().reason()).isEqualTo("BackendNotFound");
        apply("{apiVersion: v1, kind: Service, metadata: {name: late, namespace: shop}, spec: {ports: [{port: 80}]}}");
        assertThat(mesh.cut()
                        .of(mesh.routes())
                        .find(Ids.of("HTTPRoute/shop/one"))
                        .orElseThrow()
                        .parents()
                        .getFirst()
                        .resolved()
                        .isGood())
                .isTrue();
        mesh.apply(List.of(
                new ManifestChange.Remove(HttpRouteManifest.class, new ObjectKey("Kubernetes", "shop", "two"))));
        assertThat(count("all")).isEqualTo(1);
    }

    private int count(String listener) {
        return mesh.cut()
                .of(mesh.attachedRoutes())
                .find(new ListenerKey(new ObjectKey("Kubernetes", "shop", "edge"), listener))
                .orElse(0);
    }

    private RouteVerdict judged(String route) {
        apply(WORLD);
        var manifest = apply(route).getFirst();
        return mesh.cut().of(mesh.routes()).find(ManifestId.of(manifest)).orElseThrow();
    }

    private List<Manifest> apply(String yaml) {
        var manifests = new ArrayList<Manifest>();
        for (var document : Documents.ofYaml("test", yaml, Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                manifests.add(((Reading.Good) reading).manifest());
            }
        }
        mesh.apply(
                manifests.stream().<ManifestChange>map(ManifestChange.Put::new).toList());
        return manifests;
    }
}
