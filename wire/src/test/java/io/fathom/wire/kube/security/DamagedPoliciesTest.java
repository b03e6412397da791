// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.Reads;
import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import io.fathom.wire.kube.security.RequestAuthenticationManifest.TokenHeader;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What is in force of policies with mistakes, as the rest of the mesh sees it.
final class DamagedPoliciesTest {
    private static final String FROM = "from: [{source: {principals: [p]}}]";
    private static final String TO = "to: [{operation: {ports: [\"80\"]}}]";

    static Stream<Arguments> policies() {
        return Stream.of(
                // the mistakes that were seen
                argumentSet("form: allows nothing", "{rules: [{form: [{source: {principals: [p]}}]}]}", "ALLOW []"),
                argumentSet("principal: allows nothing", "{rules: [{from: [{source: {principal: [p]}}]}]}", "ALLOW []"),
                argumentSet(
                        "ruels: in DENY denies everything",
                        "{action: DENY, ruels: [{" + FROM + "}]}",
                        "DENY [any] ALL"),
                argumentSet(
                        "ruels: with a selector denies everything selected",
                        "{action: DENY, selector: {matchLabels: {app: a}}, ruels: []}",
                        "DENY [any] {app=a}"),
                argumentSet(
                        "selecter: in ALLOW allows nothing anywhere",
                        "{selecter: {matchLabels: {app: a}}, rules: [{" + FROM + "}]}",
                        "ALLOW [] ALL"),
                argumentSet(
                        "selecter: in DENY counts for all",
                        "{action: DENY, selecter: {matchLabels: {app: a}}, rules: [{" + FROM + "}]}",
                        "DENY [from] ALL"),
                // actions
                argumentSet("ALOW denies everything", "{action: ALOW, rules: [{" + FROM + "}]}", "DENY [any]"),
                argumentSet("actoin: denies everything", "{actoin: DENY, rules: [{" + FROM + "}]}", "DENY [any] ALL"),
                argumentSet("an action without a value", "{action: , rules: [{" + FROM + "}]}", "DENY [any]"),
                argumentSet(
                        "a provider without CUSTOM", "{provider: {name: x}, rules: [{" + FROM + "}]}", "DENY [any]"),
                argumentSet("CUSTOM without a provider", "{action: CUSTOM, rules: [{" + FROM + "}]}", "CUSTOM [from]"),
                argumentSet("AUDIT has no effect", "{action: AUDIT, rules: [{form: []}]}", "AUDIT []"),
                // rules
                argumentSet("other rules stay", "{rules: [{form: []}, {" + TO + "}]}", "ALLOW [to]"),
                argumentSet(
                        "a source in ALLOW takes its rule with it",
                        "{rules: [{from: [{source: {principals: [p]}}, {source: {principals: [1]}}]}]}",
                        "ALLOW []"),
                argumentSet(
                        "a source in DENY stands for everybody",
                        "{action: DENY, rules: [{from: [{source: {principals: [p]}}, {source: {x: [q]}}], " + TO
                                + "}]}",
                        "DENY [to]"),
                argumentSet(
                        "an operation in DENY stands for everything",
                        "{action: DENY, rules: [{" + FROM + ", to: [{operation: {port: [\"80\"]}}]}]}",
                        "DENY [from]"),
                argumentSet(
                        "a condition in DENY is left out, others stay",
                        "{action: DENY, rules: [{when: [{key: source.ipp, values: [10.0.0.1]},"
                                + " {key: source.ip, values: [10.0.0.1]}]}]}",
                        "DENY [when]"),
                argumentSet("a rule of DENY", "{action: DENY, rules: [{" + FROM + ", frmo: []}]}", "DENY [any]"),
                argumentSet("rules that are no list", "{action: DENY, rules: {" + FROM + "}}", "DENY [any]"),
                argumentSet("DENY without rules", "{action: DENY}", "DENY [any]"),
                argumentSet("DENY with empty rules", "{action: DENY, rules: []}", "DENY [any]"),
                argumentSet("an empty list in ALLOW", "{rules: [{from: []}]}", "ALLOW []"),
                argumentSet("an entry that says nothing", "{rules: [{from: [{}]}]}", "ALLOW []"),
                argumentSet("a source that says nothing", "{rules: [{from: [{source: {}}]}]}", "ALLOW []"),
                argumentSet("only empty values", "{rules: [{from: [{source: {principals: []}}]}]}", "ALLOW []"),
                argumentSet("a key without a value", "{rules: [{from: , " + TO + "}]}", "ALLOW []"),
                argumentSet("a rule without a value", "{rules: [null, {}], action: ALLOW}", "ALLOW [any]"),
                argumentSet("an end that is missing", "{rules: [{from: [{source: }]}]}", "DENY [any] ALL"),
                argumentSet("conditions without values", "{rules: [{when: [{key: source.ip}]}]}", "ALLOW []"),
                // values
                argumentSet("no address", "{rules: [{from: [{source: {notIpBlocks: [10.0.0.0/99]}}]}]}", "ALLOW []"),
                argumentSet("no port", "{action: DENY, rules: [{to: [{operation: {ports: [http]}}]}]}", "DENY [any]"),
                argumentSet("a star inside", "{rules: [{from: [{source: {notPrincipals: [a*b]}}]}]}", "ALLOW []"),
                argumentSet(
                        "no account",
                        "{action: DENY, rules: [{from: [{source: {serviceAccounts: [a/b/c]}}]}]}",
                        "DENY [any]"),
                // reach
                argumentSet("labels", "{selector: {matchLabels: {app: 1}}, rules: [{}]}", "ALLOW [] ALL"),
                argumentSet("matchLabel", "{selector: {matchLabel: {app: a}}, rules: [{}]}", "ALLOW [] ALL"),
                argumentSet("a selector without a value", "{selector: , rules: [{}]}", "ALLOW [] ALL"),
                argumentSet("a kind of target", "{targetRefs: [{kind: Servce, name: a}], rules: [{}]}", "ALLOW [] ALL"),
                argumentSet("no target", "{action: DENY, targetRefs: [], rules: [{}]}", "DENY [any] ALL"),
                argumentSet("a spec that is no map", "[]", "DENY [any] ALL"),
                argumentSet("a spec without a value", "", "DENY [any] ALL"));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whenAPolicyHasAMistake(String spec, String want) {
        var policy = Reads.one(AuthorizationPolicyManifest.class, object("AuthorizationPolicy", spec));

        assertThat(policy.damage()).isPresent();
        assertThat(text(policy)).isEqualTo(want);
    }

    static Stream<Arguments> asUpstream() {
        return Stream.of(
                argumentSet("an empty spec allows nothing", "{}", "ALLOW []"),
                argumentSet("no rules allow nothing", "{rules: []}", "ALLOW []"),
                argumentSet("an empty rule matches everything", "{rules: [{}]}", "ALLOW [any]"),
                argumentSet("an empty selector", "{selector: {}, rules: [{}]}", "ALLOW [any] {}"),
                argumentSet(
                        "an empty list of values beside others",
                        "{rules: [{from: [{source: {principals: [], namespaces: [a]}}]}]}",
                        "ALLOW [from]"));
    }

    @ParameterizedTest
    @MethodSource("asUpstream")
    void whenAPolicyIsUnusualButValid_thenItMeansWhatItMeansUpstream(String spec, String want) {
        var policy = Reads.one(AuthorizationPolicyManifest.class, object("AuthorizationPolicy", spec));

        assertThat(policy.damage()).isEmpty();
        assertThat(text(policy)).isEqualTo(want);
    }

    @Test
    void givenMisspelledSpec_thenEverythingIsDenied() {
        var policy = Reads.one(AuthorizationPolicyManifest.class, """
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a}, sepc: {rules: [{}]}}
                """);

        assertThat(text(policy)).isEqualTo("DENY [any] ALL");
    }

    @Test
    void givenABadLabelOfAPolicy_thenItIsInForceAndAllowsNothing() {
        var policy = Reads.one(AuthorizationPolicyManifest.class, """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a, labels: {team: 1}}
                spec: {selector: {matchLabels: {app: a}}, rules: [{}]}
                """);

        assertThat(text(policy)).isEqualTo("ALLOW [] {app=a}");
    }

    @Test
    void givenAMisspelledNamespace_thenItIsNotTakenForAnObjectOfTheDefaultOne() {
        var readings = Reads.all(Reads.CONFIG, """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a, namespce: shop}
                """);

        assertThat(readings)
                .singleElement()
                .isInstanceOfSatisfying(
                        Reading.Bad.class, bad -> assertThat(bad.id()).isEmpty());
    }

    @Test
    void thenProblemsSayWhatIsInForce() {
        var reading = Reads.all(Reads.CONFIG, object("AuthorizationPolicy", "{action: ALOW}"))
                .getFirst();

        assertThat(((Reading.Good) reading).problems())
                .extracting(problem -> problem.problem().message())
                .containsExactly(
                        "is \"ALOW\", must be one of ALLOW, DENY, AUDIT, CUSTOM",
                        "cannot be read as a whole: until it is mended it denies everything");
    }

    static Stream<Arguments> peers() {
        var select = "selector: {matchLabels: {app: a}}";
        return Stream.of(
                argumentSet("STRCT is STRICT", "{mtls: {mode: STRCT}}", "STRICT {}"),
                argumentSet("mod: is STRICT", "{mtls: {mod: PERMISSIVE}}", "STRICT {}"),
                argumentSet("no mode behind the key", "{mtls: {mode: }, selector: {}}", "STRICT {}"),
                argumentSet("nothing behind mtls", "{mtls: }", "STRICT {} ALL"),
                argumentSet("mtsl: is STRICT for all", "{mtsl: {mode: PERMISSIVE}}", "STRICT {} ALL"),
                argumentSet(
                        "a port's mode",
                        "{" + select + ", portLevelMtls: {80: {mode: STRCT}}}",
                        "UNSET {80=STRICT} {app=a}"),
                argumentSet(
                        "a port",
                        "{" + select
                                + ", mtls: {mode: PERMISSIVE}, portLevelMtls: {http: {mode: DISABLE}, 80: {mode: DISABLE}}}",
                        "STRICT {} {app=a}"),
                argumentSet("no ports", "{" + select + ", portLevelMtls: {}}", "STRICT {} {app=a}"),
                argumentSet("ports without labels", "{portLevelMtls: {80: {mode: DISABLE}}}", "STRICT {} ALL"),
                argumentSet(
                        "an unknown key beside a selector",
                        "{" + select + ", mtls: {mode: DISABLE}, x: 1}",
                        "STRICT {} {app=a}"),
                argumentSet("selecter:", "{selecter: {matchLabels: {app: a}}, mtls: {mode: DISABLE}}", "STRICT {} ALL"),
                argumentSet("labels", "{selector: {matchLabels: {app: }}, mtls: {mode: DISABLE}}", "STRICT {} ALL"));
    }

    @ParameterizedTest
    @MethodSource("peers")
    void whenAPeerAuthenticationHasAMistake(String spec, String want) {
        var peer = Reads.one(PeerAuthenticationManifest.class, object("PeerAuthentication", spec));

        assertThat(peer.damage()).isPresent();
        assertThat(peer.mode() + " " + peer.portModes()
                        + reach(peer.damage().orElseThrow(), peer.selector().orElse(Map.of())))
                .isEqualTo(want);
        assertThat(peer.mode() == Mode.STRICT || peer.portModes().containsValue(Mode.STRICT))
                .isTrue();
    }

    static Stream<Arguments> authentications() {
        var good = "{issuer: good, jwksUri: https://good}";
        return Stream.of(
                argumentSet("a rule", "{jwtRules: [" + good + ", {isuer: bad}]}", "good -"),
                argumentSet("audience:", "{jwtRules: [{issuer: a, audience: [b]}]}", "-"),
                argumentSet("jwtRule:", "{jwtRule: [" + good + "]}", "- ALL"),
                argumentSet("rules that are no list", "{jwtRules: " + good + "}", "-"),
                argumentSet("selecter:", "{selecter: {}, jwtRules: [" + good + "]}", "- - ALL"),
                argumentSet(
                        "a target", "{targetRefs: [{kind: Servce, name: a}], jwtRules: [" + good + "]}", "- - ALL"));
    }

    @ParameterizedTest
    @MethodSource("authentications")
    void whenARequestAuthenticationHasAMistake(String spec, String want) {
        var policy = Reads.one(RequestAuthenticationManifest.class, object("RequestAuthentication", spec));

        var rules = policy.rules().stream()
                .map(rule -> rule.refusesAll() ? "-" : rule.issuer())
                .collect(Collectors.joining(" "));
        assertThat(rules + reach(policy.damage().orElseThrow(), Map.of())).isEqualTo(want);
    }

    @Test
    void givenAJwtRuleThatCannotBeRead_thenItLooksInAllPlacesThatItNamesAndInTheUsualOnes() {
        var policy = Reads.one(
                RequestAuthenticationManifest.class,
                object(
                        "RequestAuthentication",
                        "{jwtRules: [{isuer: i, fromHeaders: [{name: x}, {nam: y}], fromParams: [p], fromCookies: [c]}]}"));

        var rule = policy.rules().getFirst();
        assertThat(rule.fromHeaders())
                .containsExactly(new TokenHeader("Authorization", "Bearer "), new TokenHeader("x", ""));
        assertThat(rule.fromParams()).containsExactly("access_token", "p");
        assertThat(rule.fromCookies()).containsExactly("c");
    }

    private static String object(String kind, String spec) {
        return "apiVersion: security.istio.io/v1\nkind: " + kind + "\nmetadata: {name: a, namespace: shop}\nspec: "
                + spec + "\n";
    }

    private static String text(AuthorizationPolicyManifest policy) {
        var rules = policy.rules().stream()
                .map(rule -> rule.from().isEmpty()
                                && rule.to().isEmpty()
                                && rule.when().isEmpty()
                        ? "any"
                        : Stream.of(
                                        rule.from().isEmpty() ? "" : "from",
                                        rule.to().isEmpty() ? "" : "to",
                                        rule.when().isEmpty() ? "" : "when")
                                .filter(axis -> !axis.isEmpty())
                                .collect(Collectors.joining("+")))
                .toList();
        var reach = policy.damage()
                .map(damage -> reach(damage, policy.selector().orElse(Map.of())))
                .orElseGet(() -> policy.selector().map(labels -> " " + labels).orElse(""));
        return policy.action() + " " + rules + reach;
    }

    private static String reach(Damage damage, Map<String, String> labels) {
        return damage.reachesAllOfNamespace() ? " ALL" : labels.isEmpty() ? "" : " " + labels;
    }
}
