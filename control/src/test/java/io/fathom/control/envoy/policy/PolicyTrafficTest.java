// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import static io.fathom.control.envoy.policy.TrafficCases.A;
import static io.fathom.control.envoy.policy.TrafficCases.B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Policies in a stock Envoy, with requests. Numbers are those of the cases that waypoints have to show.
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
class PolicyTrafficTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String TOKEN = "authorization";

    private PolicyTraffic traffic;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        traffic = new PolicyTraffic(folder);
    }

    @AfterAll
    void stop() throws Exception {
        traffic.close();
    }

    /// Case 29, and what ipBlocks mean: case 31.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /principal        | spiffe://mesh.example/ns/shop/sa/web   | 200
            /principal        | spiffe://old.example/ns/shop/sa/web    | 200
            /principal        | spiffe://other.example/ns/shop/sa/web  | 403
            /principal        | spiffe://mesh.example/ns/shop/sa/web2  | 403
            /local            | spiffe://mesh.example/ns/shop/sa/web   | 200
            /local            | spiffe://old.example/ns/shop/sa/web    | 200
            /local            | spiffe://cluster.local/ns/shop/sa/web  | 403
            /namespace        | spiffe://any.example/ns/shop/sa/other  | 200
            /namespace        | spiffe://mesh.example/ns/shop2/sa/web  | 403
            /namespaces       | spiffe://mesh.example/ns/team-1/sa/web | 200
            /namespaces       | spiffe://mesh.example/ns/steam-1/sa/w  | 403
            /account          | spiffe://any.example/ns/shop/sa/web    | 200
            /account          | spiffe://any.example/ns/shop/sa/web2   | 403
            /own-account      | spiffe://any.example/ns/identity/sa/me | 200
            /own-account      | spiffe://any.example/ns/shop/sa/me     | 403
            /domain           | spiffe://other.example/ns/x/sa/y       | 200
            /domain           | spiffe://other.example2/ns/x/sa/y      | 403
            /anybody          | spiffe://x/ns/y/sa/z                   | 200
            /anybody          |                                        | 403
            /not              | spiffe://mesh.example/ns/shop/sa/web   | 403
            /not              | spiffe://mesh.example/ns/other/sa/web  | 200
            """)
    void givenTheCallersIdentity_thenRulesAboutItHold(String path, String peer, int status) throws Exception {
        assertThat(traffic.status("identity", path, "x-peer", peer == null ? "" : peer))
                .isEqualTo(status);
    }

    /// Case 31.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /source | 127.0.0.1   |               | 200
            /source | 127.44.0.7  |               | 403
            /source | 127.44.0.7  | 127.0.0.1     | 403
            /remote | 127.0.0.1   | 203.0.113.9   | 200
            /remote | 127.0.0.1   | 198.51.100.1  | 403
            /remote | 127.0.0.1   |               | 403
            """)
    void givenAddresses_thenOneIsThePeersAndTheOtherTheClientsBehindIt(
            String path, String from, String forwarded, int status) throws Exception {
        assertThat(
                        forwarded == null
                                ? traffic.statusFrom(from, "addresses", path)
                                : traffic.statusFrom(from, "addresses", path, "x-forwarded-for", forwarded))
                .isEqualTo(status);
    }

    /// Cases 32 to 35.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            deny-first   | /both                | 403
            deny-first   | /allowed             | 200
            deny-first   | /else                | 403
            allow-none   | /                    | 403
            no-policy    | /                    | 200
            paths        | /admin               | 403
            paths        | /admin?x=1           | 403
            paths        | /x/../admin          | 403
            paths        | /x/%2e%2e/admin      | 403
            paths        | /administrator       | 200
            paths        | /pre/fix             | 403
            paths        | /some.suffix         | 403
            paths        | /tenants/1/items/2/3 | 403
            paths        | /tenants/1/items     | 200
            paths        | /tenants/1/2/items/3 | 200
            audit        | /                    | 200
            """)
    void givenActionsAndPaths_thenTheyCountInOrder(String listener, String path, int status) throws Exception {
        assertThat(traffic.status(listener, path)).isEqualTo(status);
    }

    @Test
    void givenMethodsAndHeaders_thenTheyAreCompared() throws Exception {
        assertThat(traffic.status("requests", "/method")).isEqualTo(200);
        assertThat(traffic.request("requests", "/method", "POST").statusCode()).isEqualTo(403);
        assertThat(traffic.status("requests", "/header", "x-a", "one")).isEqualTo(200);
        assertThat(traffic.status("requests", "/header", "x-a", "two")).isEqualTo(403);
        assertThat(traffic.status("requests", "/header")).isEqualTo(403);
        assertThat(traffic.status("requests", "/port")).isEqualTo(403);
    }

    /// Case 36.
    @Test
    void givenOnlyBytes_thenAllowingRulesWithHttpNeverHoldAndRefusingOnesReachFurther() throws Exception {
        assertThat(traffic.echoes("tcp-allow-http")).as("ALLOW with methods").isFalse();
        assertThat(traffic.echoes("tcp-allow-other")).as("another rule allows").isTrue();
        assertThat(traffic.echoes("tcp-deny-http"))
                .as("DENY without its methods")
                .isFalse();
        assertThat(traffic.echoes("tcp-deny-other")).as("DENY of somebody else").isTrue();
        assertThat(traffic.echoes("tcp-free")).as("no policy").isTrue();
    }

    /// Case 37.
    @Test
    void givenAProviderThatDecides_thenItIsAskedWhereARuleHolds() throws Exception {
        var before = traffic.authorizer().asked();
        assertThat(traffic.status("custom", "/free")).isEqualTo(200);
        assertThat(traffic.authorizer().asked()).isEqualTo(before);

        assertThat(traffic.status("custom", "/ext")).isEqualTo(403);
        var allowed = traffic.request("custom", "/ext", "GET", "x-authz", "yes");
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().firstValue("seen-x-from-authz")).hasValue("decided");
        assertThat(traffic.authorizer().asked()).isEqualTo(before + 2);

        assertThat(traffic.status("custom-grpc", "/ext")).isEqualTo(403);
        assertThat(traffic.status("custom-grpc", "/ext", "x-authz", "yes")).isEqualTo(200);
        assertThat(traffic.echoes("tcp-custom")).isTrue();
        assertThat(traffic.authorizer().asked()).isEqualTo(before + 5);
    }

    /// Case 37.
    @Test
    void givenAProviderThatCannotBeAsked_thenWhatItWouldDecideIsRefused() throws Exception {
        assertThat(traffic.status("custom-unknown", "/ext", "x-authz", "yes")).isEqualTo(403);
        assertThat(traffic.status("custom-unknown", "/free")).isEqualTo(200);
        assertThat(traffic.status("custom-two", "/one", "x-authz", "yes")).isEqualTo(403);
        assertThat(traffic.status("custom-two", "/two", "x-authz", "yes")).isEqualTo(403);
        assertThat(traffic.status("custom-two", "/free")).isEqualTo(200);
        assertThat(traffic.status("custom-down", "/ext", "x-authz", "yes")).isEqualTo(429);
    }

    /// Case 37.
    @Test
    void givenSeveralProvidersWhereThatIsAllowed_thenEachIsAskedAboutItsOwnRules() throws Exception {
        var before = traffic.authorizer().asked();
        assertThat(traffic.status("custom-several", "/free")).isEqualTo(200);
        assertThat(traffic.authorizer().asked()).isEqualTo(before);

        assertThat(traffic.status("custom-several", "/one")).isEqualTo(403);
        assertThat(traffic.request("custom-several", "/one", "GET", "x-authz", "yes")
                        .headers()
                        .firstValue("seen-x-from-authz"))
                .as("asked by HTTP")
                .hasValue("decided");
        assertThat(traffic.status("custom-several", "/two")).isEqualTo(403);
        assertThat(traffic.status("custom-several", "/two", "x-authz", "yes")).isEqualTo(200);
        assertThat(traffic.authorizer().asked()).isEqualTo(before + 4);

        assertThat(traffic.status("custom-several", "/both", "x-authz", "yes")).isEqualTo(200);
        assertThat(traffic.authorizer().asked()).as("both of them").isEqualTo(before + 6);
    }

    /// Case 38.
    @Test
    void givenADryRun_thenItOnlyCounts() throws Exception {
        assertThat(traffic.status("dry-run", "/denied")).isEqualTo(200);
        assertThat(traffic.status("dry-run", "/other")).isEqualTo(200);

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(List.of(
                                traffic.stat("http.dry-run.rbac.istio_dry_run_deny_.shadow_denied"),
                                traffic.stat("http.dry-run.rbac.istio_dry_run_deny_.shadow_allowed"),
                                traffic.stat("http.dry-run.rbac.istio_dry_run_allow_.shadow_denied")))
                        .containsExactly(1L, 1L, 2L));
    }

    /// Cases 39 and 40.
    @Test
    void givenWhatPoliciesAreAttachedTo_thenOnlyThoseOfThePlaceCount() throws Exception {
        var stranger = new String[] {"x-peer", "spiffe://mesh.example/ns/stranger/sa/x"};
        assertThat(traffic.status("no-policy", "/by-selector"))
                .as("selector, at a waypoint")
                .isEqualTo(200);
        assertThat(traffic.status("no-policy", "/by-class", stranger))
                .as("class, root namespace")
                .isEqualTo(403);
        assertThat(traffic.status("no-policy", "/by-stray-class"))
                .as("class, another namespace")
                .isEqualTo(200);
        assertThat(traffic.status("no-policy", "/by-gateway", stranger))
                .as("the waypoint itself")
                .isEqualTo(403);
        assertThat(traffic.status("edge", "/by-selector"))
                .as("selector, at the edge")
                .isEqualTo(403);
        assertThat(traffic.status("edge", "/by-root"))
                .as("mesh-wide, at the edge")
                .isEqualTo(403);
        assertThat(traffic.status("edge", "/by-other-selector"))
                .as("another selector")
                .isEqualTo(200);
        assertThat(traffic.status("edge", "/by-class", stranger))
                .as("class of waypoints")
                .isEqualTo(200);
    }

    /// Case 41.
    @Test
    void givenTokens_thenTheyMustBeGoodIfThereIsOne() throws Exception {
        var good = "Bearer " + A.token("\"sub\":\"alice\",\"aud\":\"web\"");
        assertThat(traffic.status("jwt", "/")).as("none").isEqualTo(200);
        assertThat(traffic.status("jwt", "/", TOKEN, good)).as("good").isEqualTo(200);
        assertThat(traffic.status("jwt", "/", TOKEN, "Bearer " + A.token("\"aud\":\"web\"", 1_000)))
                .as("expired")
                .isEqualTo(401);
        assertThat(traffic.status("jwt", "/", TOKEN, good.substring(0, good.length() - 4) + "AAAA"))
                .as("bad signature")
                .isEqualTo(401);
        assertThat(traffic.status("jwt", "/", TOKEN, "Bearer " + B.token("\"aud\":\"web\"")))
                .as("another issuer")
                .isEqualTo(401);
        assertThat(traffic.status("jwt", "/", TOKEN, "Bearer " + A.token("\"aud\":\"others\"")))
                .as("another audience")
                .isEqualTo(403);
        assertThat(traffic.status("jwt", "/required")).as("none, but required").isEqualTo(403);
        assertThat(traffic.status("jwt", "/required", TOKEN, good))
                .as("required")
                .isEqualTo(200);
    }

    /// Case 42.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /list    | "groups":["dev","admin"]         | 200
            /list    | "groups":"admin"                 | 200
            /list    | "groups":["dev"]                 | 403
            /nested  | "realm":{"access":{"role":"x"}}  | 200
            /nested  | "realm":{"access":{"role":"y"}}  | 403
            /nested  | "realm":"x"                      | 403
            /scope   | "scope":"read write"             | 200
            /scope   | "scope":"read"                   | 403
            /words   | "teams":"one two"                | 200
            /words   | "teams":"three"                  | 403
            /subject | "sub":"team/alice"               | 403
            /subject | "sub":"alice"                    | 200
            /who     | "sub":"bob-1"                    | 200
            /who     | "sub":"carol"                    | 403
            /for     | "aud":["x","web"]                | 200
            /for     | "aud":"x"                        | 403
            """)
    void givenClaims_thenRulesAboutThemHold(String path, String claims, int status) throws Exception {
        assertThat(traffic.status("claims", path, TOKEN, "Bearer " + A.token(claims)))
                .isEqualTo(status);
    }

    /// Case 43; the second issuer says itself where its keys are.
    @Test
    void givenTwoIssuersInOnePlace_thenTokensOfBothAreGood() throws Exception {
        assertThat(traffic.status("two-issuers", "/", "x-token", A.token(""))).isEqualTo(200);
        assertThat(traffic.status(
                        "two-issuers", "/", "x-token", traffic.discovered().token("")))
                .isEqualTo(200);
        assertThat(traffic.status("two-issuers", "/", "x-token", B.token(""))).isEqualTo(401);
        assertThat(traffic.status("two-issuers", "/")).isEqualTo(200);
        assertThat(traffic.status("two-issuers", "/?t=" + traffic.discovered().token("")))
                .isEqualTo(200);
        assertThat(traffic.status("two-issuers", "/?t=" + B.token(""))).isEqualTo(401);
    }

    @Test
    void givenATokenRuleThatCannotBeRead_thenItsTokensAreRefusedWhereItLooksAndOthersAreGood() throws Exception {
        assertThat(traffic.status("damaged-jwt", "/")).isEqualTo(200);
        assertThat(traffic.status("damaged-jwt", "/", TOKEN, "Bearer " + B.token("")))
                .isEqualTo(200);
        assertThat(traffic.status("damaged-jwt", "/", TOKEN, "Bearer " + A.token("")))
                .isEqualTo(401);
        assertThat(traffic.status("damaged-jwt", "/", "x-token", A.token(""))).isEqualTo(401);
        assertThat(traffic.request("damaged-jwt", "/", "GET", "x-claim-sub", "forged")
                        .headers()
                        .firstValue("seen-x-claim-sub"))
                .isEmpty();
    }

    @Test
    void givenAPolicyThatCannotBeRead_thenItDoesNotVanish() throws Exception {
        assertThat(traffic.status("damaged-target", "/admin")).isEqualTo(403);
        assertThat(traffic.status("damaged-target", "/")).isEqualTo(200);
        assertThat(traffic.status("damaged-allow", "/")).isEqualTo(403);
    }

    /// Case 44.
    @Test
    void givenAHeaderForAClaim_thenOnlyTheTokenFillsIt() throws Exception {
        var without = traffic.request("jwt", "/", "GET", "x-claim-sub", "forged", "x-payload", "forged");
        assertThat(without.headers().firstValue("seen-x-claim-sub")).isEmpty();
        assertThat(without.headers().firstValue("seen-x-payload")).isEmpty();

        var token = "Bearer " + A.token("\"sub\":\"alice\",\"aud\":\"web\"");
        var with = traffic.request("jwt", "/", "GET", "x-claim-sub", "forged", TOKEN, token);
        assertThat(with.headers().firstValue("seen-x-claim-sub")).hasValue("alice");
        assertThat(with.headers().firstValue("seen-x-payload").orElseThrow()).startsWith("eyJ");
        assertThat(with.headers().firstValue("seen-authorization"))
                .as("token not handed on")
                .isEmpty();
    }

    /// Case 45.
    @Test
    void givenARouteOnAClaim_thenTheTokenDecides() throws Exception {
        var alice = "Bearer " + A.token("\"sub\":\"alice\",\"aud\":\"web\"");
        var bob = "Bearer " + A.token("\"sub\":\"bob\",\"aud\":\"web\"");
        assertThat(traffic.request("jwt", "/claim-route", "GET", TOKEN, alice).body())
                .isEqualTo("for alice");
        assertThat(traffic.request("jwt", "/claim-route", "GET", TOKEN, bob).body())
                .isEqualTo("for anybody");
        assertThat(traffic.request("jwt", "/claim-route", "GET").body()).isEqualTo("for anybody");
    }

    @Test
    void givenNoKeySetYet_thenTokensAreRefusedAndOthersPass() throws Exception {
        assertThat(traffic.status("no-keys", "/", TOKEN, "Bearer " + A.token("")))
                .isEqualTo(401);
        assertThat(traffic.status("no-keys", "/")).isEqualTo(200);
    }

    @Test
    void givenKeysThatRotate_thenTheProxyFollows() throws Exception {
        var first = new TestIssuer("https://rotating.example", "k1");
        var second = new TestIssuer("https://rotating.example", "k2");
        traffic.rotate(first.keySet());
        await().atMost(LONG).until(() -> traffic.status("rotating", "/", TOKEN, "Bearer " + first.token("")) == 200);
        assertThat(traffic.status("rotating", "/", TOKEN, "Bearer " + second.token("")))
                .isEqualTo(401);

        traffic.rotate(second.keySet());
        await().atMost(LONG).until(() -> traffic.status("rotating", "/", TOKEN, "Bearer " + second.token("")) == 200);
        assertThat(traffic.status("rotating", "/", TOKEN, "Bearer " + first.token("")))
                .isEqualTo(401);
    }
}
