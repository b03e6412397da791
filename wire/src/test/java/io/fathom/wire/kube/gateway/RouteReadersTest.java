// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.GrpcMatch;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.MethodMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.HttpMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Retry;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Timeouts;
import io.fathom.wire.kube.gateway.RouteFilter.Cors;
import io.fathom.wire.kube.gateway.RouteFilter.ExternalAuth;
import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import io.fathom.wire.kube.gateway.RouteFilter.PathChange;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.gateway.RouteManifest.Comparison;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.RouteManifest.ValueMatch;
import io.fathom.wire.kube.gateway.RouteManifest.WeightedBackend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RouteReadersTest {
    @Test
    void givenHttpRoute_thenEverythingIsRead() {
        var route = Reads.one(HttpRouteManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: web, namespace: shop}
                spec:
                  parentRefs:
                  - {name: edge}
                  - {group: "", kind: Service, namespace: other, name: api, sectionName: http, port: 80}
                  hostnames: [web.example.com, "*.example.com"]
                  rules:
                  - name: all
                    matches:
                    - path: {type: Exact, value: /a}
                      headers: [{name: x, value: "1"}, {name: y, type: RegularExpression, value: ".*"}]
                      queryParams: [{name: q, value: v}]
                      method: GET
                    - headers: [{name: z, value: "2"}]
                    filters:
                    - type: RequestHeaderModifier
                      requestHeaderModifier:
                        {set: [{name: a, value: b}], add: [{name: c, value: d}], remove: [e]}
                    - type: ResponseHeaderModifier
                      responseHeaderModifier: {remove: [f]}
                    - type: RequestMirror
                      requestMirror: {backendRef: {name: shadow, port: 8080}, percent: 5}
                    - type: RequestMirror
                      requestMirror: {backendRef: {name: shadow2, namespace: far}, fraction: {numerator: 1, denominator: 3}}
                    - type: RequestRedirect
                      requestRedirect:
                        {scheme: https, hostname: new.example, port: 8443, statusCode: 301,
                         path: {type: ReplaceFullPath, replaceFullPath: /x}}
                    - type: URLRewrite
                      urlRewrite: {hostname: h, path: {type: ReplacePrefixMatch, replacePrefixMatch: /y}}
                    - type: CORS
                      cors: {allowOrigins: ["https://a"], allowMethods: [GET], allowHeaders: [h], allowCredentials: true}
                    - type: ExternalAuth
                      externalAuth:
                        protocol: HTTP
                        backendRef: {name: auth, port: 9000}
                        http: {path: /check, allowedHeaders: [cookie], allowedResponseHeaders: [x-user]}
                        forwardBody: {maxSize: 100}
                    - type: ExtensionRef
                      extensionRef: {group: g.example, kind: Thing, name: t}
                    backendRefs:
                    - {name: v1, port: 80, weight: 9}
                    - name: v2
                      namespace: far
                      port: 81
                      filters: [{type: RequestHeaderModifier, requestHeaderModifier: {remove: [v]}}]
                    timeouts: {request: 10s, backendRequest: 1m500ms}
                    retry: {codes: [502, 503], attempts: 3, backoff: 100ms}
                    sessionPersistence:
                      {sessionName: s, type: Cookie, absoluteTimeout: 1h, cookieConfig: {lifetimeType: Permanent}}
                  - backendRefs: [{name: rest, port: 80}]
                """);

        assertThat(route.parents())
                .containsExactly(
                        new ParentRef("gateway.networking.k8s.io", "Gateway", "", "edge", "", 0),
                        new ParentRef("", "Service", "other", "api", "http", 80));
        assertThat(route.hostnames()).containsExactly("web.example.com", "*.example.com");
        var rule = route.rules().getFirst();
        assertThat(rule.name()).isEqualTo("all");
        assertThat(rule.matches())
                .containsExactly(
                        new HttpMatch(
                                new PathMatch(PathMatch.PathMatchType.EXACT, "/a"),
                                List.of(
                                        new ValueMatch("x", Comparison.EXACT, "1"),
                                        new ValueMatch("y", Comparison.REGEX, ".*")),
                                List.of(new ValueMatch("q", Comparison.EXACT, "v")),
                                "GET"),
                        new HttpMatch(
                                PathMatch.ALL, List.of(new ValueMatch("z", Comparison.EXACT, "2")), List.of(), ""));
        assertThat(rule.filters())
                .containsExactly(
                        new RouteFilter.RequestHeaders(new HeaderChanges(
                                List.of(new Header("a", "b")), List.of(new Header("c", "d")), List.of("e"))),
                        new RouteFilter.ResponseHeaders(new HeaderChanges(List.of(), List.of(), List.of("f"))),
                        new RouteFilter.Mirror(service("", "shadow", 8080), 5, 100),
                        new RouteFilter.Mirror(service("far", "shadow2", 0), 1, 3),
                        new RouteFilter.Redirect(
                                "https", "new.example", Optional.of(new PathChange.Whole("/x")), 8443, 301),
                        new RouteFilter.Rewrite("h", Optional.of(new PathChange.Prefix("/y"))),
                        new Cors(
                                List.of("https://a"),
                                List.of("GET"),
                                List.of("h"),
                                List.of(),
                                Cors.Credentials.ALLOWED,
                                5),
                        new ExternalAuth(
                                ExternalAuth.Protocol.HTTP,
                                service("", "auth", 9000),
                                "/check",
                                List.of("cookie"),
                                List.of("x-user"),
                                100),
                        new RouteFilter.Extension("g.example", "Thing", "t"));
        assertThat(rule.backends())
                .containsExactly(
                        new WeightedBackend(service("", "v1", 80), 9, List.of()),
                        new WeightedBackend(
                                service("far", "v2", 81),
                                1,
                                List.of(new RouteFilter.RequestHeaders(
                                        new HeaderChanges(List.of(), List.of(), List.of("v"))))));
        assertThat(rule.timeouts())
                .isEqualTo(new Timeouts(Optional.of(Duration.ofSeconds(10)), Optional.of(Duration.ofMillis(60_500))));
        assertThat(rule.retry()).contains(new Retry(List.of(502, 503), 3, Optional.of(Duration.ofMillis(100))));
        assertThat(rule.persistence())
                .contains(new SessionPersistence(
                        "s",
                        SessionPersistence.By.COOKIE,
                        Optional.of(Duration.ofHours(1)),
                        SessionPersistence.CookieLife.PERMANENT));
        var rest = route.rules().get(1);
        assertThat(rest.matches()).containsExactly(new HttpMatch(PathMatch.ALL, List.of(), List.of(), ""));
        assertThat(rest.timeouts()).isEqualTo(Timeouts.NONE);
        assertThat(route.backends().map(BackendRef::name))
                .containsExactly("shadow", "shadow2", "auth", "v1", "v2", "rest");
    }

    @Test
    void givenHttpRouteWithoutRules_thenAllRequestsMatch() {
        var route = Reads.one(HttpRouteManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1beta1
                kind: HTTPRoute
                metadata: {name: web}
                """);
        assertThat(route.rules()).hasSize(1);
        assertThat(route.rules().getFirst().matches()).hasSize(1);
        assertThat(route.parents()).isEmpty();
    }

    @Test
    void givenGrpcTcpAndTlsRoutes_thenEverythingIsRead() {
        var grpc = Reads.one(GrpcRouteManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GRPCRoute
                metadata: {name: calls, namespace: shop}
                spec:
                  parentRefs: [{name: edge, port: 443}]
                  hostnames: [api.example.com]
                  rules:
                  - matches:
                    - method: {service: a.B, method: C}
                      headers: [{name: k, value: v}]
                    - method: {type: RegularExpression, service: "a.*"}
                    backendRefs: [{name: calls, port: 50051}]
                """);
        assertThat(grpc.rules().getFirst().matches())
                .containsExactly(
                        new GrpcMatch(
                                Optional.of(new MethodMatch(Comparison.EXACT, "a.B", "C")),
                                List.of(new ValueMatch("k", Comparison.EXACT, "v"))),
                        new GrpcMatch(Optional.of(new MethodMatch(Comparison.REGEX, "a.*", "")), List.of()));
        var tcp = Reads.one(TcpRouteManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1alpha2
                kind: TCPRoute
                metadata: {name: db}
                spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: db, port: 5432}, {name: db2, weight: 0}]}]}
                """);
        assertThat(tcp.rules().getFirst().backends())
                .containsExactly(
                        new WeightedBackend(service("", "db", 5432), 1, List.of()),
                        new WeightedBackend(service("", "db2", 0), 0, List.of()));
        var tls = Reads.one(TlsRouteManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1alpha3
                kind: TLSRoute
                metadata: {name: tls}
                spec: {hostnames: [a.example], rules: [{name: r, backendRefs: [{name: x, port: 443}]}]}
                """);
        assertThat(tls.hostnames()).containsExactly("a.example");
        assertThat(tls.kind()).isEqualTo("TLSRoute");
        assertThat(tcp.hostnames()).isEmpty();
    }

    @Test
    void givenReferenceGrant_thenItPermitsWhatItNames() {
        var grant = Reads.one(ReferenceGrantManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1beta1
                kind: ReferenceGrant
                metadata: {name: g, namespace: far}
                spec:
                  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}]
                  to: [{group: "", kind: Service, name: api}, {group: "", kind: Secret}]
                """);
        var shop = new ReferenceGrantManifest.From("gateway.networking.k8s.io", "HTTPRoute", "shop");
        assertThat(grant.permits(shop, "", "Service", "api")).isTrue();
        assertThat(grant.permits(shop, "", "Service", "other")).isFalse();
        assertThat(grant.permits(shop, "", "Secret", "any")).isTrue();
        assertThat(grant.permits(
                        new ReferenceGrantManifest.From("gateway.networking.k8s.io", "TCPRoute", "shop"),
                        "",
                        "Service",
                        "api"))
                .isFalse();
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("host name", "hostnames: ['web.example.com:80']", "spec.hostnames[0]"),
                argumentSet("path", "rules: [{matches: [{path: {value: a}}]}]", "spec.rules[0].matches[0].path.value"),
                argumentSet(
                        "path type",
                        "rules: [{matches: [{path: {type: Prefix}}]}]",
                        "spec.rules[0].matches[0].path.type"),
                argumentSet(
                        "weight",
                        "rules: [{backendRefs: [{name: a, weight: -1}]}]",
                        "spec.rules[0].backendRefs[0].weight"),
                argumentSet("no name", "rules: [{backendRefs: [{port: 1}]}]", "spec.rules[0].backendRefs[0].name"),
                argumentSet("filter type", "rules: [{filters: [{type: Rewrite}]}]", "spec.rules[0].filters[0].type"),
                argumentSet(
                        "filter without its part",
                        "rules: [{filters: [{type: URLRewrite}]}]",
                        "spec.rules[0].filters[0].urlRewrite"),
                argumentSet(
                        "redirect code",
                        "rules: [{filters: [{type: RequestRedirect, requestRedirect: {statusCode: 304}}]}]",
                        "spec.rules[0].filters[0].requestRedirect.statusCode"),
                argumentSet("timeout", "rules: [{timeouts: {request: '10'}}]", "spec.rules[0].timeouts.request"),
                argumentSet("parent", "parentRefs: [{namespace: a}]", "spec.parentRefs[0].name"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheFieldIsNamed(String spec, String path) {
        var problem = Reads.problem("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: web, namespace: shop}
                spec:
                  %s
                """.formatted(spec));
        assertThat(problem.toString()).contains(path).contains("HTTPRoute shop/web");
    }

    private static BackendRef service(String namespace, String name, int port) {
        return new BackendRef("", "Service", namespace, name, port);
    }
}
