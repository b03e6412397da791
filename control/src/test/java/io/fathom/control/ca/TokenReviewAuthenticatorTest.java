// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.CallerAuthenticator.Attempt;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.model.mesh.Identity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TokenReviewAuthenticatorTest {
    private static final Set<String> GROUPS = Set.of("system:serviceaccounts", "system:authenticated");
    private static final Map<String, List<String>> POD = Map.of(
            "authentication.kubernetes.io/pod-name", List.of("ztunnel-a"),
            "authentication.kubernetes.io/pod-uid", List.of("uid-a"),
            "authentication.kubernetes.io/node-name", List.of("node-a"));

    static Stream<Arguments> reviews() {
        return Stream.of(
                argumentSet("an error", review(false, "boom", "", Set.of(), Map.of()), "token-not-reviewed"),
                argumentSet("unauthenticated", review(false, "", "", Set.of(), Map.of()), "token-not-authenticated"),
                argumentSet("a user", review(true, "", "alice", GROUPS, Map.of()), "token-wrong-subject"),
                argumentSet(
                        "an account outside the group",
                        review(true, "", "system:serviceaccount:default:a", Set.of("x"), Map.of()),
                        "token-wrong-subject"),
                argumentSet(
                        "a malformed name",
                        review(true, "", "system:serviceaccount:default", GROUPS, Map.of()),
                        "token-wrong-subject"),
                argumentSet(
                        "an account",
                        review(true, "", "system:serviceaccount:default:a", GROUPS, Map.of()),
                        "spiffe://td/ns/default/sa/a none"),
                argumentSet(
                        "an account with its pod",
                        review(true, "", "system:serviceaccount:istio-system:ztunnel", GROUPS, POD),
                        "spiffe://td/ns/istio-system/sa/ztunnel ztunnel-a/uid-a/node-a@c1"));
    }

    @ParameterizedTest
    @MethodSource("reviews")
    void whenReviewed(TokenReview review, String want) {
        assertThat(told(authenticator((_, _) -> review).authenticate(TestCredentials.token("t"))))
                .isEqualTo(want);
    }

    @Test
    void givenAReviewerThatAnswersForAnotherAudience_thenTheTokenIsRefused() {
        var other = new TokenReview(
                true, Optional.empty(), "system:serviceaccount:default:a", GROUPS, List.of("api"), Map.of());
        assertThat(told(authenticator((_, _) -> other).authenticate(TestCredentials.token("t"))))
                .isEqualTo("token-wrong-audience");
    }

    @Test
    void givenAReviewerThatCannotBeAsked_thenItsProblemIsTheReason() {
        var attempt = authenticator((_, _) -> {
                    throw new ProblemException(Problem.ofInput("token-review-failed", "no answer", ""));
                })
                .authenticate(TestCredentials.token("t"));
        assertThat(told(attempt)).isEqualTo("token-review-failed");
    }

    @Test
    void givenNoToken_thenTheNextAuthenticatorIsAsked() {
        assertThat(authenticator((_, _) -> TokenReview.refused("x")).authenticate(TestCredentials.none()))
                .isInstanceOf(Attempt.NotPresented.class);
    }

    @Test
    void givenAnUnknownCluster_thenItIsRefusedAndAnAliasIsNot() {
        var authenticator =
                authenticator((_, _) -> review(true, "", "system:serviceaccount:istio-system:ztunnel", GROUPS, POD));
        assertThat(told(authenticator.authenticate(TestCredentials.token("t", "c9"))))
                .isEqualTo("cluster-unknown");
        assertThat(told(authenticator.authenticate(TestCredentials.token("t", "alias"))))
                .endsWith("@c1");
    }

    @Test
    void givenTheLocalIssuer_thenOnlyTokensOfLivingPodsForUsPass() {
        var clock = new TestClock();
        var pods = new TestPods().add("istio-system", "ztunnel-a", "uid-a", "ztunnel", "node-a");
        var issuer = LocalIssuer.create();
        var authenticator = authenticator(new LocalTokenReviewer(issuer, () -> pods, clock));
        var good = issuer.token(binding("uid-a", "istio-ca"), Duration.ofHours(1), clock.instant());
        var foreign = LocalIssuer.create().token(binding("uid-a", "istio-ca"), Duration.ofHours(1), clock.instant());
        var other = issuer.token(binding("uid-a", "api"), Duration.ofHours(1), clock.instant());
        var replaced = issuer.token(binding("uid-0", "istio-ca"), Duration.ofHours(1), clock.instant());

        assertThat(told(authenticator.authenticate(TestCredentials.token(good))))
                .isEqualTo("spiffe://td/ns/istio-system/sa/ztunnel ztunnel-a/uid-a/node-a@c1");
        for (var bad : List.of(foreign, other, replaced, "garbage")) {
            assertThat(told(authenticator.authenticate(TestCredentials.token(bad))))
                    .isEqualTo("token-not-reviewed");
        }
        clock.advance(Duration.ofHours(1));
        assertThat(told(authenticator.authenticate(TestCredentials.token(good))))
                .isEqualTo("token-not-reviewed");
    }

    @Test
    void givenTheTokenOfADeletedPod_whenReplayed_thenItIsRefused() {
        var clock = new TestClock();
        var pods = new TestPods().add("istio-system", "ztunnel-a", "uid-a", "ztunnel", "node-a");
        var issuer = LocalIssuer.create();
        var authenticator = authenticator(new LocalTokenReviewer(issuer, () -> pods, clock));
        var token = issuer.token(binding("uid-a", "istio-ca"), Duration.ofHours(1), clock.instant());
        assertThat(authenticator.authenticate(TestCredentials.token(token))).isInstanceOf(Attempt.Authenticated.class);
        pods.remove("ztunnel-a");
        assertThat(authenticator.authenticate(TestCredentials.token(token))).isInstanceOf(Attempt.Rejected.class);
    }

    private static LocalIssuer.Binding binding(String uid, String audience) {
        return new LocalIssuer.Binding(
                new ServiceAccountName("istio-system", "ztunnel"), "ztunnel-a", uid, "node-a", List.of(audience));
    }

    private static TokenReviewAuthenticator authenticator(TokenReviewer reviewer) {
        var known = Optional.of(new TokenReviewAuthenticator.Reviewed("c1", reviewer));
        return new TokenReviewAuthenticator(
                id -> Set.of("", "c1", "alias").contains(id) ? known : Optional.empty(),
                List.of("istio-ca"),
                () -> TrustDomains.of("td"));
    }

    private static String told(Attempt attempt) {
        return switch (attempt) {
            case Attempt.NotPresented _ -> "nothing";
            case Attempt.Rejected rejected -> rejected.problem().code();
            case Attempt.Authenticated known ->
                known.caller().identities().stream()
                                .map(Identity::uri)
                                .findFirst()
                                .orElseThrow() + " "
                        + known.caller()
                                .pod()
                                .map(pod -> pod.name() + "/" + pod.uid() + "/"
                                        + pod.node().orElse("") + "@" + pod.cluster())
                                .orElse("none");
        };
    }

    private static TokenReview review(
            boolean authenticated, String error, String username, Set<String> groups, Map<String, List<String>> extra) {
        return new TokenReview(
                authenticated,
                Optional.of(error).filter(text -> !text.isEmpty()),
                username,
                groups,
                List.of("istio-ca"),
                extra);
    }
}
