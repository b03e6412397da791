// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import static io.fathom.model.policy.Policies.allow;
import static io.fathom.model.policy.Policies.attempt;
import static io.fathom.model.policy.Policies.deny;
import static io.fathom.model.policy.Policies.group;
import static io.fathom.model.policy.Policies.match;
import static io.fathom.model.policy.Policies.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.AuthorizationDecision.Allowed;
import io.fathom.model.policy.AuthorizationDecision.AllowedByDefault;
import io.fathom.model.policy.AuthorizationDecision.Denied;
import io.fathom.model.policy.AuthorizationDecision.NotAllowed;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Cases 36 to 41 of the fact sheet.
final class AuthorizerTest {
    private static final Attempt FROM_A = attempt("spiffe://td/ns/ns1/sa/a", "10.0.0.1", "10.0.0.9:80");
    private static final Attempt PLAIN = attempt("", "10.0.0.1", "10.0.0.9:80");

    private static boolean holds(List<Group> groups, Attempt attempt) {
        return Authorizer.decide(List.of(Policy.compile(allow("p", groups))), attempt)
                .isAllowed();
    }

    static Stream<Arguments> emptyPolicies() {
        var nothing = Match.EMPTY;
        var something = match().namespaces("ns1").build();
        return Stream.of(
                argumentSet("given no groups, then never", List.of(), false),
                argumentSet("given a group without rules, then always", List.of(group()), true),
                argumentSet("given rules without matches, then always", List.of(group(rules())), true),
                argumentSet("given a match without fields, then never", List.of(group(rules(nothing))), false),
                argumentSet("given an empty and a good match", List.of(group(rules(nothing, something))), true),
                argumentSet(
                        "given two rules, one empty match", List.of(group(rules(something), rules(nothing))), false),
                argumentSet(
                        "given one good group of two", List.of(group(rules(nothing)), group(rules(something))), true));
    }

    @ParameterizedTest
    @MethodSource("emptyPolicies")
    void case36_emptyParts(List<Group> groups, boolean wanted) {
        assertThat(holds(groups, FROM_A)).isEqualTo(wanted);
    }

    @Test
    void case37_groupsAreAlternatives_rulesMustAllHold_matchesAreAlternatives() {
        var from = rules(
                match().namespaces("ns1").build(), match().namespaces("ns2").build());
        var to = rules(match().ports(80).build(), match().ports(90).build());
        var groups = List.of(group(rules(match().ports(1).build())), group(from, to));

        assertThat(holds(groups, FROM_A)).isTrue();
        assertThat(holds(groups, attempt("spiffe://td/ns/ns2/sa/a", "10.0.0.1", "10.0.0.9:90")))
                .isTrue();
        assertThat(holds(groups, attempt("spiffe://td/ns/ns3/sa/a", "10.0.0.1", "10.0.0.9:90")))
                .isFalse();
        assertThat(holds(groups, attempt("spiffe://td/ns/ns2/sa/a", "10.0.0.1", "10.0.0.9:91")))
                .isFalse();
    }

    @Test
    void givenAMatch_thenTheDecisionNamesPolicyGroupAndMatches() {
        var policy = deny(
                "p",
                List.of(
                        group(rules(match().ports(1).build())),
                        group(
                                rules(),
                                rules(
                                        match().ports(2).build(),
                                        match().ports(80).build()))));

        assertThat(Authorizer.decide(List.of(Policy.compile(policy)), FROM_A))
                .isEqualTo(new Denied(new Matched("ns1/p", Authorization.Action.DENY, 1, List.of(-1, 1)), List.of()));
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                argumentSet("namespace", match().namespaces("ns1"), true, false, false),
                argumentSet("not namespace", match().notNamespaces("ns1"), false, true, true),
                argumentSet("namespace prefix", match().namespaces("ns*"), true, false, true),
                argumentSet("namespace present", match().namespaces("*"), true, false, true),
                argumentSet("principal", match().principals("td/ns/ns1/sa/a"), true, false, false),
                argumentSet("not principal", match().notPrincipals("td/ns/ns1/sa/a"), false, true, true),
                argumentSet("principal suffix", match().principals("*/sa/b"), false, false, true),
                argumentSet("principal present", match().principals("*"), true, false, true),
                argumentSet("not any principal", match().notPrincipals("*"), false, true, false),
                argumentSet("account", match().accounts("ns1/a"), true, false, false),
                argumentSet("not account", match().notAccounts("ns1/a"), false, true, true),
                argumentSet("source ip", match().sourceIps("10.0.0.1"), true, true, false),
                argumentSet("not source ip", match().notSourceIps("10.0.0.1"), false, false, true),
                argumentSet("destination ip", match().destinationIps("10.0.0.9"), true, true, true),
                argumentSet("not destination ip", match().notDestinationIps("10.0.0.9"), false, false, false),
                argumentSet("destination port", match().ports(80), true, true, true),
                argumentSet("not destination port", match().notPorts(80), false, false, false),
                argumentSet("two fields", match().ports(80).namespaces("ns1"), true, false, false),
                argumentSet("wanted and unwanted", match().namespaces("*").notNamespaces("ns1"), false, false, true));
    }

    @ParameterizedTest
    @MethodSource("fields")
    void case38_everyFieldAgainstATunnelPlainTextAndAnotherPeer(
            Policies.MatchDraft match, boolean tunnel, boolean plain, boolean other) {
        var groups = List.of(group(rules(match.build())));
        var stranger = attempt("spiffe://td/ns/ns2/sa/b", "10.0.0.2", "10.0.0.9:80");
        assertThat(List.of(holds(groups, FROM_A), holds(groups, PLAIN), holds(groups, stranger)))
                .containsExactly(tunnel, plain, other);
    }

    @Test
    void givenAnotherTrustDomain_thenAccountsMatchAndPrincipalsDoNot() {
        var foreign = attempt("spiffe://other/ns/ns1/sa/a", "10.0.0.1", "10.0.0.9:80");
        assertThat(holds(List.of(group(rules(match().accounts("ns1/a").build()))), foreign))
                .isTrue();
        assertThat(holds(
                        List.of(group(rules(match().principals("td/ns/ns1/sa/a").build()))), foreign))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.0, true", "10.0.0.255, true", "10.0.1.0, false", "9.255.255.255, false", "::a00:1, false"})
    void case39_aBlockCoversAllInIt(String destination, boolean wanted) {
        var groups = List.of(group(rules(match().destinationIps("10.0.0.7/24").build())));
        var text = destination.contains(":") ? "[" + destination + "]:80" : destination + ":80";
        assertThat(holds(groups, attempt("", "10.0.0.1", text))).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource({"'', true", "x, false", "x*, false", "*x, false", "*, false"})
    void case40_stringsAgainstEmptyInput(String text, boolean wanted) {
        assertThat(TextSet.of(List.of(StringMatch.parse(text))).matches("")).isEqualTo(wanted);
    }

    static Stream<Arguments> orders() {
        var all = List.of(group());
        var none = List.of(group(rules(Match.EMPTY)));
        return Stream.of(
                argumentSet("none", List.of(), AllowedByDefault.class),
                argumentSet("deny that matches", List.of(deny("d", all)), Denied.class),
                argumentSet("deny that does not", List.of(deny("d", none)), AllowedByDefault.class),
                argumentSet("allow that matches", List.of(allow("a", all)), Allowed.class),
                argumentSet("allow that does not", List.of(allow("a", none)), NotAllowed.class),
                argumentSet("one allow of two", List.of(allow("a", none), allow("b", all)), Allowed.class),
                argumentSet("allow before deny", List.of(allow("a", all), deny("d", all)), Denied.class),
                argumentSet("deny in dry run", List.of(Policies.dryRun(deny("d", all))), AllowedByDefault.class),
                argumentSet("allow in dry run", List.of(Policies.dryRun(allow("a", none))), AllowedByDefault.class));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void case41_order(List<Authorization> policies, Class<?> wanted) {
        var compiled = policies.stream().map(Policy::compile).toList();
        assertThat(Authorizer.decide(compiled, FROM_A)).isInstanceOf(wanted);
    }

    @Test
    void case41_givenDryRun_thenItIsReportedAndNotEnforced() {
        var policies = Stream.of(Policies.dryRun(deny("d", List.of(group()))), Policies.dryRun(allow("a", List.of())))
                .map(Policy::compile)
                .toList();

        var decision = Authorizer.decide(policies, FROM_A);

        assertThat(decision.isAllowed()).isTrue();
        assertThat(decision.dryRun())
                .extracting(AuthorizationDecision.DryRunResult::message)
                .containsExactly("dry-run: explicitly denied by: ns1/d", "dry-run: not allowed by: ns1/a");
    }

    @Test
    void givenDecisions_thenTheirSentencesAreUpstreams() {
        assertThat(Authorizer.decide(List.of(Policy.compile(deny("d", List.of(group())))), FROM_A)
                        .message())
                .isEqualTo("explicitly denied by: ns1/d");
        assertThat(Authorizer.decide(List.of(Policy.compile(allow("a", List.of()))), FROM_A)
                        .message())
                .describedAs("upstream's, and who did not")
                .isEqualTo("allow policies exist, but none allowed: ns1/a");
    }

    @Test
    void givenManyPoliciesOfWhichNoneAllows_thenTheFirstAreNamed() {
        var policies = IntStream.rangeClosed(1, 7)
                .mapToObj(number -> Policy.compile(allow("a" + number, List.of())))
                .toList();
        assertThat(Authorizer.decide(policies, FROM_A).message())
                .isEqualTo("allow policies exist, but none allowed: ns1/a1, ns1/a2, ns1/a3, ns1/a4, ns1/a5 and 2 more");
    }
}
