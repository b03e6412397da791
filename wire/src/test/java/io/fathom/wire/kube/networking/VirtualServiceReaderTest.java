// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Abort;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Callers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.CorsPolicy;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Delay;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Fault;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Headers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Mirror;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Rewrite;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TcpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TcpRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch.StringMatchType;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TlsMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TlsRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.UriCase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VirtualServiceReaderTest {
    private static final HeaderChanges NONE = new HeaderChanges(List.of(), List.of(), List.of());

    @Test
    void givenEverything_thenEverythingIsRead() {
        var read = Reads.one(VirtualServiceManifest.class, """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: web, namespace: shop}
                spec:
                  hosts: [web, "*.example.com"]
                  gateways: [edge, mesh]
                  exportTo: ["."]
                  http:
                  - name: first
                    match:
                    - name: m
                      uri: {prefix: /a}
                      ignoreUriCase: true
                      scheme: {exact: https}
                      method: {regex: "GET|PUT"}
                      authority: {exact: x}
                      headers: {h: {exact: v}, there: {}}
                      withoutHeaders: {not: {regex: "*"}}
                      queryParams: {q: {prefix: p}}
                      port: 80
                      sourceLabels: {app: a}
                      sourceNamespace: ns
                      gateways: [edge]
                      statPrefix: s
                    rewrite: {uri: /b, authority: z}
                    route:
                    - destination: {host: v1, subset: s1, port: {number: 81}}
                      weight: 90
                      headers: {response: {remove: [r]}}
                    - {destination: {host: v2}, weight: 10}
                    headers: {request: {set: {b: "2", a: "1"}, add: {c: "3"}, remove: [d]}}
                    timeout: 1.5s
                    retries:
                      attempts: 3
                      perTryTimeout: 2s
                      retryOn: 5xx,418
                      backoff: 25ms
                      retryIgnorePreviousHosts: false
                      retryRemoteLocalities: true
                    fault:
                      delay: {fixedDelay: 5s, percentage: {value: 0.1}}
                      abort: {grpcStatus: UNAVAILABLE, percentage: {value: 50}}
                    mirror: {host: shadow}
                    mirrorPercentage: {value: 12.5}
                    mirrors: [{destination: {host: other}}]
                    corsPolicy:
                      allowOrigins: [{exact: "https://a"}, {regex: "https://.*"}]
                      allowMethods: [GET]
                      allowHeaders: [x]
                      exposeHeaders: [y]
                      maxAge: 24h
                      allowCredentials: true
                      unmatchedPreflights: IGNORE
                  - redirect: {uri: /n, prefixRewrite: /p, authority: n, scheme: https, port: 8443, redirectCode: 308}
                  - redirect: {derivePort: FROM_REQUEST_PORT}
                  - directResponse: {status: 503, body: {string: "no"}}
                  - directResponse: {status: 200, body: {bytes: aGk=}}
                  - delegate: {name: d}
                  - rewrite: {uriRegexRewrite: {match: "/(.*)", rewrite: /x/}}
                    route: [{destination: {host: v1}}]
                  tls:
                  - match: [{sniHosts: [a.example], port: 443, destinationSubnets: [10.0.0.0/8]}]
                    route: [{destination: {host: v1}}]
                  tcp:
                  - match: [{port: 9000}]
                    route: [{destination: {host: v1, port: {number: 9001}}, weight: 5}]
                """);

        assertThat(read.hosts()).containsExactly("web", "*.example.com");
        assertThat(read.gateways()).containsExactly("edge", "mesh");
        assertThat(read.isVisibleIn("shop")).isTrue();
        assertThat(read.isVisibleIn("other")).isFalse();
        var rule = read.http().getFirst();
        assertThat(rule.matches())
                .containsExactly(new HttpMatch(
                        "m",
                        Optional.of(new TextMatch(StringMatchType.PREFIX, "/a")),
                        UriCase.IGNORED,
                        Optional.of(new TextMatch(StringMatchType.EXACT, "https")),
                        Optional.of(new TextMatch(StringMatchType.REGEX, "GET|PUT")),
                        Optional.of(new TextMatch(StringMatchType.EXACT, "x")),
                        new TreeMap<>(Map.of("h", new TextMatch(StringMatchType.EXACT, "v"), "there", TextMatch.ANY)),
                        new TreeMap<>(Map.of("not", TextMatch.ANY)),
                        new TreeMap<>(Map.of("q", new TextMatch(StringMatchType.PREFIX, "p"))),
                        80,
                        new Callers(Map.of("app", "a"), "ns", List.of("edge")),
                        "s"));
        assertThat(rule.action())
                .isEqualTo(new HttpAction.Forward(
                        List.of(
                                new Destination(
                                        "v1",
                                        "s1",
                                        81,
                                        90,
                                        new Headers(NONE, new HeaderChanges(List.of(), List.of(), List.of("r")))),
                                new Destination("v2", "", 0, 10, Headers.UNCHANGED)),
                        Optional.of(new Rewrite("", "/b", "z"))));
        assertThat(rule.headers().request())
                .isEqualTo(new HeaderChanges(
                        List.of(new Header("a", "1"), new Header("b", "2")),
                        List.of(new Header("c", "3")),
                        List.of("d")));
        assertThat(rule.timeout()).contains(Duration.ofMillis(1500));
        assertThat(rule.retries())
                .contains(new Retries(
                        3,
                        Optional.of(Duration.ofSeconds(2)),
                        "5xx,418",
                        Optional.of(Duration.ofMillis(25)),
                        Optional.of(false),
                        Optional.of(true)));
        assertThat(rule.fault())
                .contains(new Fault(
                        Optional.of(new Delay(Duration.ofSeconds(5), 0.1)),
                        Optional.of(new Abort(Abort.Protocol.GRPC, 14, 50))));
        assertThat(rule.mirrors())
                .containsExactly(
                        new Mirror(new Destination("shadow", "", 0, 0, Headers.UNCHANGED), 12.5),
                        new Mirror(new Destination("other", "", 0, 0, Headers.UNCHANGED), 100));
        assertThat(rule.cors())
                .contains(new CorsPolicy(
                        List.of(
                                new TextMatch(StringMatchType.EXACT, "https://a"),
                                new TextMatch(StringMatchType.REGEX, "https://.*")),
                        List.of("GET"),
                        List.of("x"),
                        List.of("y"),
                        Optional.of(Duration.ofHours(24)),
                        Optional.of(true),
                        CorsPolicy.Unmatched.ANSWERED));
        assertThat(read.http().stream().skip(1).map(VirtualServiceManifest.HttpRule::action))
                .containsExactly(
                        new HttpAction.Redirect("/n", "/p", "n", "https", 8443, 308),
                        new HttpAction.Redirect("", "", "", "", HttpAction.Redirect.PORT_OF_REQUEST, 301),
                        new HttpAction.Respond(503, "no"),
                        new HttpAction.Respond(200, "hi"),
                        new HttpAction.Delegate("shop", "d"),
                        new HttpAction.Forward(
                                List.of(new Destination("v1", "", 0, 0, Headers.UNCHANGED)),
                                Optional.of(new Rewrite("/(.*)", "/x/", ""))));
        assertThat(read.tls())
                .containsExactly(new TlsRule(
                        List.of(new TlsMatch(List.of("a.example"), List.of("10.0.0.0/8"), 443, Callers.ALL)),
                        List.of(new Destination("v1", "", 0, 0, Headers.UNCHANGED))));
        assertThat(read.tcp())
                .containsExactly(new TcpRule(
                        List.of(new TcpMatch(List.of(), 9000, Callers.ALL)),
                        List.of(new Destination("v1", "", 9001, 5, Headers.UNCHANGED))));
    }

    @Test
    void givenNoGateways_thenItIsForTheMesh() {
        var read = Reads.one(VirtualServiceManifest.class, virtual("route: [{destination: {host: a}}]"));
        assertThat(read.gateways()).containsExactly("mesh");
        assertThat(read.isVisibleIn("anywhere")).isTrue();
    }

    @Test
    void givenBracesThatRepeatNothing_thenTheyStandForThemselves() {
        var read = Reads.one(
                VirtualServiceManifest.class,
                virtual("match: [{uri: {regex: '/users/{id}'}}], route: [{destination: {host: a}}]"));
        assertThat(read.toString()).contains("/users/{id}");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("no action", "name: x", "spec.http[0].route"),
                argumentSet(
                        "a group that is not there",
                        "rewrite: {uriRegexRewrite: {match: '/(a)', rewrite: '\\2'}}, route: [{destination: {host: a}}]",
                        "spec.http[0].rewrite.uriRegexRewrite.rewrite"),
                argumentSet("no host", "route: [{destination: {}}]", "spec.http[0].route[0].destination.host"),
                argumentSet(
                        "a regular expression that looks ahead",
                        "match: [{uri: {regex: '(?!a)'}}], route: [{destination: {host: a}}]",
                        "spec.http[0].match[0].uri.regex"),
                argumentSet(
                        "no regular expression",
                        "match: [{uri: {regex: '(a'}}], route: [{destination: {host: a}}]",
                        "spec.http[0].match[0].uri.regex"),
                argumentSet(
                        "more repetitions than RE2 takes",
                        "match: [{uri: {regex: 'a{1001}'}}], route: [{destination: {host: a}}]",
                        "spec.http[0].match[0].uri.regex"),
                argumentSet(
                        "a code that redirects nobody",
                        "redirect: {redirectCode: 304}",
                        "spec.http[0].redirect.redirectCode"),
                argumentSet("no duration", "timeout: soon, route: [{destination: {host: a}}]", "spec.http[0].timeout"),
                argumentSet(
                        "more than everything",
                        "fault: {abort: {httpStatus: 500, percentage: {value: 101}}}, route: [{destination: {host: a}}]",
                        "spec.http[0].fault.abort.percentage.value"),
                argumentSet(
                        "no status of gRPC",
                        "fault: {abort: {grpcStatus: BROKEN}}, route: [{destination: {host: a}}]",
                        "spec.http[0].fault.abort.grpcStatus"),
                argumentSet(
                        "no base64",
                        "directResponse: {status: 200, body: {bytes: '!'}}",
                        "spec.http[0].directResponse.body.bytes"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whenSomethingIsWrong_thenItIsNamed(String rule, String field) {
        assertThat(Reads.problem(virtual(rule)).field()).isEqualTo(field);
    }

    @Test
    void givenAnHttpRouteWithABadExpression_thenItIsRefused() {
        var problem = Reads.problem("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: a}
                spec: {rules: [{matches: [{headers: [{name: x, type: RegularExpression, value: "a**"}]}]}]}
                """);
        assertThat(problem.field()).isEqualTo("spec.rules[0].matches[0].headers[0].value");
    }

    private static String virtual(String rule) {
        return """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: a}
                spec: {hosts: [a], http: [{%s}]}
                """.formatted(rule);
    }
}
