// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fathom.control.envoy.route.Ask.Answer;
import io.fathom.control.envoy.route.RequestPort.Scheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

/// Real requests through a stock Envoy that has the routes of `HttpRouteTrafficTest/routes.yaml`.
@Tag("slow")
class HttpRouteTrafficTest {
    private static final RouteLab LAB = new RouteLab();
    private static final Map<String, Integer> PORTS = new HashMap<>();

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws IOException {
        for (var name : List.of("v1", "v2", "mirror-all", "mirror-half", "mirror-never", "judge")) {
            LAB.service(name, 1);
        }
        LAB.service("many", 3);
        LAB.shop().with("other", "far", 80);
        var routes = Shop.routes(resource("HttpRouteTrafficTest/routes.yaml"));
        var context = RouteContext.atGateway(
                LAB.shop(),
                (route, ref) -> ref.namespaceFor(route.namespace()).equals(route.namespace()),
                (_, _, _) -> List.of());
        var entrances = List.of(Shop.listener("", routes));
        for (var port : List.of(RequestPort.plain(80), RequestPort.plain(8080), new RequestPort(443, Scheme.HTTPS))) {
            LAB.listen("p" + port.number(), GatewayRoutes.hosts(context, port, entrances));
        }
        LAB.start(folder);
        for (var name : List.of("p80", "p8080", "p443")) {
            PORTS.put(name, LAB.port(name));
        }
    }

    static String resource(String name) throws IOException {
        try (var in = HttpRouteTrafficTest.class.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IOException("no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @AfterAll
    static void stop() {
        LAB.close();
    }

    private static Answer ask(Ask ask) throws IOException {
        return ask.at(PORTS.getOrDefault("p80", 0));
    }

    @ParameterizedTest
    @CsvSource({
        "/foo, 200, v1",
        "/foo/, 200, v1",
        "/foo/x?q=1, 200, v1",
        "/foobar, 404, ''",
        "/, 404, ''",
        "/foo/bar, 200, v2",
        "/foo/bar/x, 200, v2",
        "/foo/barx, 200, v1"
    })
    void givenAPrefix_thenItIsMadeOfWholeElements(String path, int status, String backend) throws IOException {
        var answer = ask(Ask.get("prefix.example", path));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.echo("backend")).isEqualTo(backend);
    }

    @ParameterizedTest
    @CsvSource({
        "/strip, /, rewrite.example",
        "/strip/, /, rewrite.example",
        "/strip/a/b?q=1, /a/b?q=1, rewrite.example",
        "/one, /two, rewrite.example",
        "/one/x, /two/x, rewrite.example",
        "/full/x?q=1, /whole/path?q=1, inner.example",
        "/elsewhere, /root/elsewhere, rewrite.example"
    })
    void givenARewrite_thenTheBackendSeesTheOtherPathAndHost(String path, String seen, String host) throws IOException {
        var answer = ask(Ask.get("rewrite.example", path));
        assertThat(answer.echo("path")).isEqualTo(seen);
        assertThat(answer.echo("host")).isEqualTo(host);
    }

    @ParameterizedTest
    @CsvSource({
        "p80, /nothing, 302, http://redirect.example/nothing",
        "p8080, /nothing, 302, http://redirect.example:8080/nothing",
        "p80, /https, 302, https://redirect.example/https",
        "p8080, /https, 302, https://redirect.example/https",
        "p8080, /http, 302, http://redirect.example/http",
        "p443, /http, 302, http://redirect.example/http",
        "p80, /port, 301, https://redirect.example:8443/port",
        "p8080, /port80, 302, http://redirect.example/port80",
        "p80, /host/x, 307, http://new.example/p",
        "p8080, /host, 307, http://new.example:8080/p",
        "p80, /prefix/a, 308, http://redirect.example/new/a",
        "p80, /strip/a, 303, http://redirect.example/a",
        "p80, /strip, 303, http://redirect.example/"
    })
    void givenARedirect_thenItNamesAPortOnlyWhereNeeded(String listener, String path, int status, String location)
            throws IOException {
        var answer = Ask.get("redirect.example", path).at(PORTS.getOrDefault(listener, 0));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("location")).isEqualTo(location);
    }

    @ParameterizedTest
    @CsvSource({"/zero", "/none", "/gone", "/no-port", "/not-granted"})
    void givenNobodyToAsk_thenTheAnswerIs500(String path) throws IOException {
        assertThat(ask(Ask.get("weights.example", path)).status()).isEqualTo(500);
    }

    @Test
    void givenHalfOfTheBackendsMissing_thenHalfFails() throws IOException {
        var failed = 0;
        for (var i = 0; i < 200; i++) {
            var status = ask(Ask.get("weights.example", "/half")).status();
            assertThat(status).isIn(200, 500);
            failed += status == 500 ? 1 : 0;
        }
        assertThat(failed).isBetween(50, 150);
    }

    @Test
    void givenASplit_thenBothGetTheirShareAndTheirHeaders() throws IOException {
        var second = 0;
        for (var i = 0; i < 300; i++) {
            var answer = ask(Ask.get("weights.example", "/split"));
            var isSecond = answer.echo("backend").equals("v2");
            assertThat(answer.echo("x-share")).isEqualTo(isSecond ? "v2" : "");
            second += isSecond ? 1 : 0;
        }
        assertThat(second).isBetween(5, 80);
    }

    @Test
    void givenMirrors_thenTheirPartOfRequestsIsCopied() throws IOException {
        for (var i = 0; i < 100; i++) {
            assertThat(ask(Ask.get("mirror.example", "/half")).echo("backend")).isEqualTo("v1");
        }
        for (var i = 0; i < 10; i++) {
            assertThat(ask(Ask.get("mirror.example", "/all")).status()).isEqualTo(200);
            assertThat(ask(Ask.get("mirror.example", "/never")).status()).isEqualTo(200);
            assertThat(ask(Ask.get("mirror.example", "/gone")).status()).isEqualTo(200);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(LAB.backend("mirror-all").requests()).isEqualTo(10));
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(LAB.backend("mirror-half").requests()).isBetween(15, 85));
        assertThat(LAB.backend("mirror-never").requests()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "/codes, 2, 503, 200, 3",
        "/codes, 1, 500, 200, 2",
        "/codes, 9, 503, 503, 3",
        "/codes, 1, 502, 502, 1",
        "/none, 1, 500, 500, 1"
    })
    void givenCodes_thenOnlyTheyAreTriedAgain(String path, int failures, int code, int status, int attempts)
            throws IOException {
        var answer = ask(Ask.get("retry.example", path)
                .with("x-id", path + failures + code)
                .with("x-fail-first", Integer.toString(failures))
                .with("x-fail-with", Integer.toString(code)));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.echo("attempt")).isEqualTo(Integer.toString(attempts));
    }

    @Test
    void givenALateAttempt_thenTheNextOneIsAsked() throws IOException {
        var answer = ask(late("/per-try", "per-try", 1));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.echo("attempt")).isEqualTo("2");
    }

    @ParameterizedTest
    @CsvSource({"/backend-only", "/request"})
    void givenALimitWithoutRetries_thenItEndsTheRequest(String path) throws IOException {
        assertThat(ask(late(path, path, 9)).status()).isEqualTo(504);
        assertThat(ask(Ask.get("retry.example", path)).status()).isEqualTo(200);
    }

    private static Ask late(String path, String id, int failures) {
        return Ask.get("retry.example", path)
                .with("x-id", id)
                .with("x-fail-first", Integer.toString(failures))
                .with("x-late", "15000");
    }

    @ParameterizedTest
    @CsvSource({
        "/some, https://app.example, https://app.example",
        "/some, https://x.wild.example, https://x.wild.example",
        "/some, http://localhost:8080, http://localhost:8080",
        "/some, https://evil.example, ''",
        "/some, https://wild.example.evil, ''",
        "/any, https://whoever.example, https://whoever.example"
    })
    void givenOrigins_thenOnlyTheyMayAsk(String path, String origin, String allowed) throws IOException {
        var preflight = ask(Ask.method("OPTIONS", "cors.example", path)
                .with("origin", origin)
                .with("access-control-request-method", "GET"));
        var request = ask(Ask.get("cors.example", path).with("origin", origin));

        assertThat(preflight.header("access-control-allow-origin")).isEqualTo(allowed);
        assertThat(preflight.echo("backend")).isEmpty(); // no preflight reaches the application
        assertThat(request.header("access-control-allow-origin")).isEqualTo(allowed);
        assertThat(request.echo("backend")).isEqualTo("v1");
        if (path.equals("/some") && !allowed.isEmpty()) {
            assertThat(preflight.header("access-control-allow-methods")).isEqualTo("GET,PUT");
            assertThat(preflight.header("access-control-allow-headers")).isEqualTo("x-one,x-two");
            assertThat(preflight.header("access-control-allow-credentials")).isEqualTo("true");
            assertThat(preflight.header("access-control-max-age")).isEqualTo("60");
            assertThat(request.header("access-control-expose-headers")).isEqualTo("x-out");
        }
    }

    static Stream<Arguments> precedence() {
        return Stream.of(
                arguments(Ask.get("order.example", "/other"), "all"),
                arguments(Ask.get("order.example", "/abc"), "regex"),
                arguments(Ask.get("order.example", "/a"), "prefix"),
                arguments(Ask.get("order.example", "/a").with("x-h", "1"), "header"),
                arguments(Ask.get("order.example", "/a?q=1").with("x-h", "1"), "header"),
                arguments(Ask.get("order.example", "/a?q=1"), "query"),
                arguments(Ask.method("PUT", "order.example", "/a?q=1").with("x-h", "1"), "method"),
                arguments(Ask.method("PUT", "order.example", "/a/b").with("x-h", "1"), "longer"),
                arguments(Ask.get("order.example", "/a/b/c"), "exact"));
    }

    @ParameterizedTest
    @MethodSource("precedence")
    void givenSeveralRules_thenTheMostSpecificCounts(Ask ask, String rule) throws IOException {
        assertThat(ask(ask).header("x-rule")).isEqualTo(rule);
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                arguments(call("/pkg.One/Get"), "both"),
                arguments(call("/pkg.One/List"), "service"),
                arguments(call("/any.Thing/Get"), "method"),
                arguments(call("/reg.S1/DoIt"), "regex"),
                arguments(call("/pkg.Two/List").with("color", "blue"), "header"));
    }

    private static Ask call(String path) {
        return Ask.method("POST", "calls.example", path).with("content-type", "application/grpc");
    }

    @ParameterizedTest
    @MethodSource("calls")
    void givenACall_thenServiceAndMethodAreMatched(Ask ask, String rule) throws IOException {
        assertThat(ask(ask).header("x-rule")).isEqualTo(rule);
    }

    @ParameterizedTest
    @CsvSource({"/pkg.Two/List, 12", "/pkg.Onest/List, 12", "/reg.Sx/DoIt, 12", "/pkg.Gone/List, 14"})
    void givenACallForNobody_thenItIsUnimplementedOrUnavailable(String path, String status) throws IOException {
        assertThat(ask(call(path)).header("grpc-status")).isEqualTo(status);
    }

    @Test
    void givenChangesOfHeaders_thenBothSidesSeeThem() throws IOException {
        var answer = ask(Ask.get("headers.example", "/change")
                .with("x-set", "old")
                .with("x-add", "first")
                .with("x-gone", "here"));

        assertThat(answer.echo("x-set")).isEqualTo("100%");
        assertThat(answer.echo("x-add")).isEqualTo("first,more");
        assertThat(answer.echo("x-gone")).isEmpty();
        assertThat(answer.echo("host")).isEqualTo("other.example");
        assertThat(answer.header("x-reply")).isEqualTo("yes");
        assertThat(answer.header("x-backend")).isEqualTo("v1,too");
        assertThat(answer.headers()).doesNotContainKey("x-internal");
    }

    @ParameterizedTest
    @CsvSource({"/?q=a12, v1", "/?q=a, ''", "/?q=xa12, ''", "/?exact=this, v2", "/?exact=that, ''"})
    void givenQueryParameters_thenTheyAreMatched(String path, String backend) throws IOException {
        assertThat(ask(Ask.get("query.example", path)).echo("backend")).isEqualTo(backend);
    }

    @Test
    void givenACookieOrHeader_thenRequestsStayAtOneMember() throws IOException {
        var first = ask(Ask.get("sticky.example", "/cookie"));
        var cookie = first.header("set-cookie").split(";", -1)[0];
        assertThat(cookie).startsWith("my-session=");
        var header = ask(Ask.get("sticky.example", "/header")).header("x-my-session");
        var headerOwner = ask(Ask.get("sticky.example", "/header").with("x-my-session", header))
                .echo("backend");
        for (var i = 0; i < 12; i++) {
            assertThat(ask(Ask.get("sticky.example", "/cookie").with("cookie", cookie))
                            .echo("backend"))
                    .isEqualTo(first.echo("backend"));
            assertThat(ask(Ask.get("sticky.example", "/header").with("x-my-session", header))
                            .echo("backend"))
                    .isEqualTo(headerOwner);
        }
    }

    @Test
    void givenSomebodyWhoDecides_thenOnlyGuardedRequestsAreShownToThem() throws IOException {
        var allowed = ask(Ask.get("auth.example", "/guarded"));
        assertThat(allowed.echo("backend")).isEqualTo("v1");
        assertThat(allowed.echo("x-backend")).isEqualTo("judge");

        var refused = ask(Ask.get("auth.example", "/guarded")
                .with("x-id", "refused")
                .with("x-fail-first", "1")
                .with("x-fail-with", "403"));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.echo("path")).isEqualTo("/check/guarded");

        var before = LAB.backend("judge").requests();
        assertThat(ask(Ask.get("auth.example", "/open")).status()).isEqualTo(200);
        assertThat(LAB.backend("judge").requests()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"a.wild.example, 200", "a.b.wild.example:8080, 200", "wild.example, 404", "unknown.example, 404"})
    void givenAHost_thenItsRoutesCount(String host, int status) throws IOException {
        assertThat(ask(Ask.get(host, "/")).status()).isEqualTo(status);
    }
}
