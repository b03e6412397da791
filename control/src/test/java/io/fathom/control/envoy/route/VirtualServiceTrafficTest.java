// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fathom.control.envoy.route.Ask.Answer;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.model.mesh.AppProtocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Real requests through a stock Envoy that has the routes of `VirtualServiceTrafficTest/virtual-services.yaml`, and
/// connections through what TLSRoutes and TCPRoutes say.
@Tag("slow")
class VirtualServiceTrafficTest {
    private static final String CONNECTIONS = """
            apiVersion: gateway.networking.k8s.io/v1alpha2
            kind: TCPRoute
            metadata: {name: tcp, namespace: shop}
            spec:
              parentRefs: [{group: "", kind: Service, name: v1}]
              rules: [{backendRefs: [{name: v2, port: 80}]}]
            """;
    private static final String SECURE = """
            ---
            apiVersion: gateway.networking.k8s.io/v1alpha2
            kind: TLSRoute
            metadata: {name: tls, namespace: shop}
            spec:
              parentRefs: [{group: "", kind: Service, name: v1}]
              hostnames: [v1.shop.svc.cluster.local]
              rules: [{backendRefs: [{name: secure, port: 80}]}]
            """;
    private static final RouteLab LAB = new RouteLab();
    private static final Map<String, Integer> PORTS = new HashMap<>();

    @TempDir
    static Path folder;

    private static Tokens tokens;

    @BeforeAll
    static void start() throws IOException, GeneralSecurityException {
        tokens = new Tokens();
        LAB.first("envoy.filters.http.jwt_authn", tokens.filter());
        for (var name : List.of("v1", "v2", "many", "secure", "mirror-all", "mirror-half")) {
            LAB.service(name, 1);
        }
        var all =
                Shop.virtualServices(HttpRouteTrafficTest.resource("VirtualServiceTrafficTest/virtual-services.yaml"));
        var server = Entrance.server("shop/edge", List.of("*"), all, Entrance.PlainRequests.SERVED);
        var context = RouteContext.atGateway(LAB.shop(), (_, _) -> true, (_, _, _) -> List.of());
        LAB.listen("vs", GatewayRoutes.hosts(context, RequestPort.plain(8080), List.of(server)));
        LAB.listen("tls-and-tcp", target(CONNECTIONS + SECURE));
        LAB.listen("tcp", target(CONNECTIONS));
        LAB.listen("nowhere", target(CONNECTIONS.replace("name: v2", "name: gone")));
        var redirecting =
                Entrance.server("shop/edge", List.of("fault.example"), all, Entrance.PlainRequests.REDIRECTED);
        LAB.listen("https-only", GatewayRoutes.hosts(context, RequestPort.plain(80), List.of(redirecting)));
        for (var namespace : List.of("blue", "red")) {
            LAB.listenAs("from-" + namespace, "spiffe://cluster.local/ns/" + namespace + "/sa/web", callers());
        }
        LAB.start(folder);
        for (var name : List.of("vs", "tls-and-tcp", "tcp", "nowhere", "https-only", "from-blue", "from-red")) {
            PORTS.put(name, LAB.port(name));
        }
    }

    private static RoutePlan callers() {
        return ServiceRoutes.http(
                RouteContext.inMesh(LAB.shop()),
                "shop",
                LAB.shop().get("shop", "v1"),
                new ServicePort(80, "", AppProtocol.HTTP11),
                List.of(),
                Shop.virtualServices("""
                        apiVersion: networking.istio.io/v1
                        kind: VirtualService
                        metadata: {name: callers, namespace: shop}
                        spec:
                          hosts: [v1]
                          http:
                          - match: [{sourceNamespace: blue}]
                            route: [{destination: {host: v2}}]
                          - match: [{sourceLabels: {app: any}}]
                            route: [{destination: {host: many}}]
                          - route: [{destination: {host: v1}}]
                        """));
    }

    private static TcpTarget target(String routes) {
        return TcpRoutes.service(
                RouteContext.inMesh(LAB.shop()),
                "shop",
                LAB.shop().get("shop", "v1"),
                new ServicePort(80, "", AppProtocol.TCP),
                Shop.routes(routes),
                List.of());
    }

    @AfterAll
    static void stop() {
        LAB.close();
    }

    private static Answer ask(Ask ask) throws IOException {
        return ask.at(PORTS.getOrDefault("vs", 0));
    }

    static Stream<Arguments> claims() {
        return Stream.of(
                arguments("\"role\":\"admin\"", "v2"),
                arguments("\"role\":[\"user\",\"admin\"]", "v2"),
                arguments("\"role\":\"user\"", "v1"),
                arguments("\"team\":{\"name\":\"blue-1\"}", "many"),
                arguments("\"team\":{\"name\":\"red\"}", "v1"));
    }

    @ParameterizedTest
    @MethodSource("claims")
    void givenAToken_thenItsClaimsChoose(String claims, String backend) throws Exception {
        var answer = ask(Ask.get("claims.example", "/").with("authorization", "Bearer " + tokens.issue(claims)));
        assertThat(answer.echo("backend")).isEqualTo(backend);
    }

    @Test
    void givenNoToken_thenThereIsNoClaim() throws IOException {
        assertThat(ask(Ask.get("claims.example", "/")).echo("backend")).isEqualTo("v1");
        assertThat(ask(Ask.get("claims.example", "/").with("role", "admin")).echo("backend"))
                .isEqualTo("v1");
    }

    @ParameterizedTest
    @CsvSource({
        "/words, 2, 418, 200, 3",
        "/words, 2, 500, 200, 3",
        "/words, 9, 503, 503, 3",
        "/words, 1, 404, 404, 1",
        "/usual, 1, 503, 503, 1"
    })
    void givenWordsAndCodes_thenTheySayWhatIsTriedAgain(String path, int failures, int code, int status, int attempts)
            throws IOException {
        var answer = ask(Ask.get("retry.example", path)
                .with("x-id", path + failures + code)
                .with("x-fail-first", Integer.toString(failures))
                .with("x-fail-with", Integer.toString(code)));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.echo("attempt")).isEqualTo(Integer.toString(attempts));
    }

    @Test
    void givenATimeout_thenItEndsTheRequest() throws IOException {
        var late = Ask.get("retry.example", "/timeout")
                .with("x-id", "timeout")
                .with("x-fail-first", "9")
                .with("x-late", "15000");
        assertThat(ask(late).status()).isEqualTo(504);
    }

    @ParameterizedTest
    @CsvSource({
        "/forward, https://app.example, https://app.example, ''",
        "/forward, http://dev1, http://dev1, ''",
        "/forward, https://evil.example, '', v1",
        "/ignore, https://a.wild, https://a.wild, ''",
        "/ignore, https://evil.example, '', ''"
    })
    void givenAPreflightOfAnotherOrigin_thenItPassesUnlessIgnored(
            String path, String origin, String allowed, String backend) throws IOException {
        var preflight = ask(Ask.method("OPTIONS", "cors.example", path)
                .with("origin", origin)
                .with("access-control-request-method", "GET"));
        assertThat(preflight.header("access-control-allow-origin")).isEqualTo(allowed);
        assertThat(preflight.echo("backend")).isEqualTo(backend);
        if (path.equals("/forward") && !allowed.isEmpty()) {
            assertThat(preflight.header("access-control-max-age")).isEqualTo("3600");
        }
    }

    @Test
    void givenADelay_thenTheAnswerIsLate() throws IOException {
        var start = System.nanoTime();
        assertThat(ask(Ask.get("fault.example", "/delay")).status()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(650));
    }

    @Test
    void givenAnAbort_thenItsPartOfRequestsFails() throws IOException {
        assertThat(ask(Ask.get("fault.example", "/abort")).status()).isEqualTo(418);
        assertThat(ask(Ask.get("fault.example", "/never")).status()).isEqualTo(200);
        var call = ask(Ask.method("POST", "fault.example", "/grpc").with("content-type", "application/grpc"));
        assertThat(call.header("grpc-status")).isEqualTo("8");
        var aborted = 0;
        for (var i = 0; i < 100; i++) {
            aborted += ask(Ask.get("fault.example", "/half")).status() == 418 ? 1 : 0;
        }
        assertThat(aborted).isBetween(15, 85);
    }

    static Stream<Arguments> matches() {
        return Stream.of(
                arguments(Ask.get("match.example", "/foobar"), "prefix"),
                arguments(Ask.get("match.example", "/case"), "case"),
                arguments(Ask.get("match.example", "/headers").with("x-there", "any"), "headers"),
                arguments(
                        Ask.get("match.example", "/headers")
                                .with("x-there", "any")
                                .with("x-not", "2"),
                        "headers"),
                arguments(
                        Ask.get("match.example", "/headers")
                                .with("x-there", "any")
                                .with("x-not", "1"),
                        ""),
                arguments(Ask.get("match.example", "/headers"), ""),
                arguments(Ask.method("PATCH", "match.example", "/"), "several"),
                arguments(Ask.get("match.example", "/?q=abc"), "several"),
                arguments(Ask.get("match.example", "/re12"), "several"),
                arguments(Ask.get("match.example", "/re12x"), ""));
    }

    @ParameterizedTest
    @MethodSource("matches")
    void whenMatched(Ask ask, String rule) throws IOException {
        var answer = ask(ask);
        assertThat(answer.header("x-rule")).isEqualTo(rule);
        assertThat(answer.status()).isEqualTo(rule.isEmpty() ? 404 : 200);
    }

    @Test
    void whenNobodyIsAsked() throws IOException {
        var redirect = ask(Ask.get("action.example", "/redirect"));
        assertThat(redirect.status()).isEqualTo(302);
        assertThat(redirect.header("location")).isEqualTo("http://new.example/new");
        assertThat(ask(Ask.get("action.example", "/same-port")).header("location"))
                .isEqualTo("http://new.example:8080/same-port");
        var direct = ask(Ask.get("action.example", "/direct"));
        assertThat(direct.status()).isEqualTo(451);
        assertThat(direct.body()).isEqualTo("not here");
        assertThat(ask(Ask.get("action.example", "/gone")).status()).isEqualTo(503);
        assertThat(ask(Ask.get("action.example", "/zero")).status()).isEqualTo(500);
    }

    @Test
    void whenRequestsAreChangedOnTheWay() throws IOException {
        var prefix = ask(Ask.get("action.example", "/prefix/a"));
        assertThat(prefix.echo("path")).isEqualTo("/a");
        assertThat(prefix.echo("host")).isEqualTo("inner.example");
        assertThat(ask(Ask.get("action.example", "/regex/abc/x")).echo("path")).isEqualTo("/x/abc");
        var headers =
                ask(Ask.get("action.example", "/headers").with("x-add", "first").with("x-gone", "here"));
        assertThat(headers.echo("x-path")).isEqualTo("/headers");
        assertThat(headers.echo("host")).isEqualTo("set.example");
        assertThat(headers.echo("x-add")).isEqualTo("first,more");
        assertThat(headers.echo("x-gone")).isEmpty();
        assertThat(headers.headers()).doesNotContainKey("x-internal");
    }

    @Test
    void givenMirrors_thenEveryOneThatIsThereGetsCopies() throws IOException {
        for (var i = 0; i < 60; i++) {
            assertThat(ask(Ask.get("action.example", "/mirror")).echo("backend"))
                    .isEqualTo("v1");
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(LAB.backend("mirror-all").requests()).isEqualTo(60));
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(LAB.backend("mirror-half").requests()).isBetween(5, 55));
    }

    @Test
    void givenADelegate_thenItDecides() throws IOException {
        assertThat(ask(Ask.get("action.example", "/api/v2/x")).echo("backend")).isEqualTo("v2");
        assertThat(ask(Ask.get("action.example", "/api/x")).echo("backend")).isEqualTo("v1");
        assertThat(ask(Ask.get("action.example", "/other")).status()).isEqualTo(404);
    }

    @Test
    void givenAServerThatRedirects_thenPlainRequestsAreSentToHttps() throws IOException {
        var answer = Ask.get("fault.example", "/never").at(PORTS.getOrDefault("https-only", 0));
        assertThat(answer.status()).isEqualTo(301);
        assertThat(answer.header("location")).isEqualTo("https://fault.example/never");
    }

    @ParameterizedTest
    @CsvSource({"from-blue, v2", "from-red, v1"})
    void givenCallersOfANamespace_thenAWaypointTellsThemApart(String listener, String backend) throws IOException {
        var answer = Ask.get("v1", "/").at(PORTS.getOrDefault(listener, 0));
        assertThat(answer.echo("backend")).isEqualTo(backend);
    }

    @ParameterizedTest
    @CsvSource({"tls-and-tcp, secure", "tcp, v2"})
    void givenATlsRoute_thenItComesBeforeATcpRoute(String listener, String backend) throws IOException {
        var answer = Ask.get("any.example", "/").at(PORTS.getOrDefault(listener, 0));
        assertThat(answer.echo("backend")).isEqualTo(backend);
    }

    @Test
    void givenNobody_thenConnectionsAreClosed() throws IOException {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), PORTS.getOrDefault("nowhere", 0))) {
            socket.setSoTimeout(30_000);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
