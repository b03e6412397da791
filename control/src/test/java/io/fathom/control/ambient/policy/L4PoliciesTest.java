// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.dryRun;
import static io.fathom.control.ambient.PolicyManifests.operation;
import static io.fathom.control.ambient.PolicyManifests.policy;
import static io.fathom.control.ambient.PolicyManifests.rule;
import static io.fathom.control.ambient.PolicyManifests.select;
import static io.fathom.control.ambient.PolicyManifests.source;
import static io.fathom.control.ambient.PolicyManifests.target;
import static io.fathom.control.ambient.PolicyManifests.when;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.ALLOW;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.AUDIT;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.CUSTOM;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.DENY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ambient.AuthorizationText;
import io.fathom.control.ambient.policy.L4Policies.DryRuns;
import io.fathom.control.ambient.policy.L4Policies.Options;
import io.fathom.control.ambient.policy.L4Policies.Unenforceable;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class L4PoliciesTest {
    private static final String ACCEPTED = "True/Accepted";
    private static final String REDUCED = "True/UnsupportedValue";
    private static final String REFUSED = "False/UnsupportedValue";

    static Stream<Arguments> scopes() {
        var plain = rule(source("namespaces", "a"));
        return Stream.of(
                argumentSet("no selector: the namespace", policy("app/p", ALLOW, plain), "NAMESPACE"),
                argumentSet(
                        "no selector in the root namespace: everybody", policy(ROOT + "/p", ALLOW, plain), "GLOBAL"),
                argumentSet(
                        "a selector: the workloads that have the labels",
                        select(policy("app/p", ALLOW, plain), Map.of("app", "web")),
                        "WORKLOAD_SELECTOR"),
                argumentSet(
                        "a selector in the root namespace: such workloads everywhere",
                        select(policy(ROOT + "/p", ALLOW, plain), Map.of("app", "web")),
                        "WORKLOAD_SELECTOR"),
                argumentSet(
                        "a selector without labels is no selector",
                        select(policy("app/p", ALLOW, plain), Map.of()),
                        "NAMESPACE"),
                argumentSet(
                        "a selector without labels in the root namespace is no selector",
                        select(policy(ROOT + "/p", ALLOW, plain), Map.of()),
                        "GLOBAL"));
    }

    @ParameterizedTest
    @MethodSource("scopes")
    void whenConverted_thenScope(AuthorizationPolicyManifest policy, Authorization.Scope want) {
        assertThat(convert(policy).served().map(Authorization::scope)).contains(want);
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                argumentSet(
                        "principals in all spellings",
                        rule(source(Map.of(
                                "principals", List.of("td/ns/a/sa/b", "*", "*/sa/x", "td/ns/p/*"),
                                "notPrincipals", List.of("td/ns/x/sa/y", "*z")))),
                        "{principals=[td/ns/a/sa/b, *, */sa/x, td/ns/p/*] notPrincipals=[td/ns/x/sa/y, *z]}"),
                argumentSet(
                        "namespaces in all spellings",
                        rule(source(Map.of(
                                "namespaces", List.of("prod", "*", "*-test", "dev-*"),
                                "notNamespaces", List.of("old", "*")))),
                        "{namespaces=[prod, *, *-test, dev-*] notNamespaces=[old, *]}"),
                argumentSet(
                        "service accounts, bare ones in the policy's namespace",
                        rule(source(Map.of(
                                "serviceAccounts", List.of("plain", "other/named"),
                                "notServiceAccounts", List.of("banned", "other/banned")))),
                        "{serviceAccounts=[app/plain, other/named] notServiceAccounts=[app/banned, other/banned]}"),
                argumentSet(
                        "address blocks keep their host bits",
                        rule(source(Map.of(
                                "ipBlocks", List.of("10.0.0.1", "10.2.3.4/8", "0.0.0.0/0", "2001:db8::/32"),
                                "notIpBlocks", List.of("192.168.0.0/24", "fd00::/8")))),
                        "{sourceIps=[10.0.0.1/32, 10.2.3.4/8, 0.0.0.0/0, 2001:db8::/32]"
                                + " notSourceIps=[192.168.0.0/24, fd00::/8]}"),
                argumentSet(
                        "a zone is cut off, a mapped address stays as it is",
                        rule(source("ipBlocks", "fe80::1%eth0", "::ffff:1.2.3.4")),
                        "{sourceIps=[fe80::1/128, ::ffff:1.2.3.4/128]}"),
                argumentSet(
                        "ports",
                        rule(operation(Map.of("ports", List.of("80", "443"), "notPorts", List.of("8080")))),
                        "{destinationPorts=[80, 443] notDestinationPorts=[8080]}"),
                argumentSet(
                        "ports with zeros, and the lowest and highest",
                        rule(operation("ports", "0080", "0", "65535")),
                        "{destinationPorts=[80, 0, 65535]}"),
                argumentSet(
                        "every condition of layer 4, values and notValues",
                        rule(
                                when("source.ip", List.of("10.0.0.0/8"), List.of("10.9.0.0/16")),
                                when("source.namespace", List.of("a", "b*"), List.of("c")),
                                when("source.principal", List.of("p"), List.of("td/ns/q/sa/q")),
                                when("destination.ip", List.of("10.96.0.0/16"), List.of("10.96.0.1")),
                                when("destination.port", List.of("80"), List.of("81", "82"))),
                        "{sourceIps=[10.0.0.0/8] notSourceIps=[10.9.0.0/16]}"
                                + " & {namespaces=[a, b*] notNamespaces=[c]}"
                                + " & {principals=[p] notPrincipals=[td/ns/q/sa/q]}"
                                + " & {destinationIps=[10.96.0.0/16] notDestinationIps=[10.96.0.1/32]}"
                                + " & {destinationPorts=[80] notDestinationPorts=[81, 82]}"),
                argumentSet(
                        "operations, then sources, then each condition",
                        rule(
                                source(Map.of("namespaces", List.of("a"), "ipBlocks", List.of("10.0.0.0/8"))),
                                source("principals", "b"),
                                operation("ports", "80"),
                                operation("notPorts", "9000", "9001"),
                                when("destination.port", "80", "81")),
                        "{destinationPorts=[80]}|{notDestinationPorts=[9000, 9001]}"
                                + " & {namespaces=[a] sourceIps=[10.0.0.0/8]}|{principals=[b]}"
                                + " & {destinationPorts=[80, 81]}"),
                argumentSet("a rule without clauses always matches", rule(), "always"));
    }

    @ParameterizedTest
    @MethodSource("fields")
    void givenAnAllowRule_thenConvertedInFull(AuthorizationPolicyManifest.Rule rule, String want) {
        var result = convert(policy("app/p", ALLOW, rule));
        assertThat(text(result)).isEqualTo("ALLOW NAMESPACE: " + want);
        assertThat(condition(result)).isEqualTo(ACCEPTED);
    }

    static Stream<Arguments> http() {
        var l4 = source("namespaces", "a");
        return Stream.of(
                argumentSet(
                        "ALLOW: only pure layer-4 rules stay",
                        policy(
                                "app/p",
                                ALLOW,
                                rule(operation(Map.of("ports", List.of("80"), "methods", List.of("GET")))),
                                rule(l4),
                                rule(source("requestPrincipals", "*"))),
                        "ALLOW NAMESPACE: {namespaces=[a]}",
                        REDUCED),
                argumentSet(
                        "ALLOW: an emptied policy still denies",
                        policy("app/p", ALLOW, rule(operation(Map.of("paths", List.of("/x"), "hosts", List.of("h"))))),
                        "ALLOW NAMESPACE: nothing",
                        REDUCED),
                argumentSet(
                        "ALLOW: one HTTP alternative drops the whole rule",
                        policy("app/p", ALLOW, rule(operation("ports", "80"), operation("methods", "GET"))),
                        "ALLOW NAMESPACE: nothing",
                        REDUCED),
                argumentSet(
                        "ALLOW: an HTTP condition drops its rule",
                        policy(
                                "app/p",
                                ALLOW,
                                rule(l4, when("request.headers[x]", "y")),
                                rule(source("namespaces", "b"))),
                        "ALLOW NAMESPACE: {namespaces=[b]}",
                        REDUCED),
                argumentSet(
                        "ALLOW: negated HTTP attributes count as well",
                        policy(
                                "app/p",
                                ALLOW,
                                rule(operation("notMethods", "GET")),
                                rule(operation("notPaths", "/a")),
                                rule(operation("notHosts", "h")),
                                rule(source("notRequestPrincipals", "x")),
                                rule(source("remoteIpBlocks", "10.0.0.0/8")),
                                rule(source("notRemoteIpBlocks", "10.0.0.0/8"))),
                        "ALLOW NAMESPACE: nothing",
                        REDUCED),
                argumentSet(
                        "ALLOW: trust domains have no field on the wire, so the rule must not lose them and widen",
                        policy(
                                "app/p",
                                ALLOW,
                                rule(source(Map.of("namespaces", List.of("a"), "trustDomains", List.of("td")))),
                                rule(source(Map.of("namespaces", List.of("a"), "notTrustDomains", List.of("td"))))),
                        "ALLOW NAMESPACE: nothing",
                        REDUCED),
                argumentSet(
                        "ALLOW: a rule that matches all stays beside an HTTP rule",
                        policy("app/p", ALLOW, rule(), rule(operation("methods", "GET"))),
                        "ALLOW NAMESPACE: always",
                        REDUCED),
                argumentSet(
                        "ALLOW without rules never matches",
                        policy("app/p", ALLOW),
                        "ALLOW NAMESPACE: nothing",
                        ACCEPTED),
                argumentSet(
                        "DENY: HTTP attributes are stripped",
                        policy(
                                "app/p",
                                DENY,
                                rule(operation(Map.of("ports", List.of("80"), "methods", List.of("GET"))))),
                        "DENY NAMESPACE: {destinationPorts=[80]}",
                        REDUCED),
                argumentSet(
                        "DENY: stripped from a source too",
                        policy(
                                "app/p",
                                DENY,
                                rule(source(Map.of("principals", List.of("p"), "requestPrincipals", List.of("*"))))),
                        "DENY NAMESPACE: {principals=[p]}",
                        REDUCED),
                argumentSet(
                        "DENY: an alternative of HTTP only stays as one that never matches",
                        policy("app/p", DENY, rule(operation("ports", "22"), operation("methods", "PUT"))),
                        "DENY NAMESPACE: {destinationPorts=[22]}|never",
                        REFUSED),
                argumentSet(
                        "DENY: only HTTP has no effect",
                        policy("app/p", DENY, rule(operation("methods", "POST"))),
                        "DENY NAMESPACE: never",
                        REFUSED),
                argumentSet(
                        "DENY: a source and an HTTP operation are inert",
                        policy("app/p", DENY, rule(l4, operation("paths", "/admin"))),
                        "DENY NAMESPACE: never & {namespaces=[a]}",
                        REFUSED),
                argumentSet(
                        "DENY: a source and an HTTP condition are inert",
                        policy("app/p", DENY, rule(l4, when("request.auth.claims[x]", "y"))),
                        "DENY NAMESPACE: {namespaces=[a]} & never",
                        REFUSED),
                argumentSet(
                        "DENY: the other rules keep their effect",
                        policy("app/p", DENY, rule(operation("hosts", "x")), rule(source("namespaces", "evil"))),
                        "DENY NAMESPACE: never or {namespaces=[evil]}",
                        REFUSED),
                argumentSet(
                        "DENY: a rule that matches all stays effective",
                        policy("app/p", DENY, rule(), rule(operation("methods", "GET"))),
                        "DENY NAMESPACE: always or never",
                        REFUSED),
                argumentSet("DENY: match all", policy("app/p", DENY, rule()), "DENY NAMESPACE: always", ACCEPTED),
                argumentSet(
                        "DENY without rules never matches",
                        policy("app/p", DENY),
                        "DENY NAMESPACE: nothing",
                        ACCEPTED));
    }

    @ParameterizedTest
    @MethodSource("http")
    void givenHttpAttributes_thenStrippedAndSaid(AuthorizationPolicyManifest policy, String want, String condition) {
        var result = convert(policy);
        assertThat(text(result)).isEqualTo(want);
        assertThat(condition(result)).isEqualTo(condition);
    }

    @Test
    void givenHttpAttributes_thenTheMessageNamesThemSortedAndTheEffect() {
        var clauses = new Object[] {
            operation(Map.of("paths", List.of("/a"), "methods", List.of("GET"), "ports", List.of("80"))),
            when("request.headers[x]", "y")
        };
        assertThat(message(policy("app/p", ALLOW, rule(clauses), rule(operation("methods", "PUT")))))
                .contains(": methods, paths, request.headers[x] ")
                .contains("stricter");
        assertThat(message(policy("app/p", DENY, rule(clauses))))
                .contains("deny nothing", "FATHOM_DENY_UNENFORCEABLE_RULES");
        assertThat(message(policy("app/p", DENY, rule(clauses[0])))).contains("deny more than written");
    }

    static Stream<Arguments> unreadable() {
        return Stream.of(
                argumentSet("an address", rule(source("ipBlocks", "10.0.0.0/8", "10.0.0.0/33"))),
                argumentSet("an address that is not meant", rule(source("notIpBlocks", "here"))),
                argumentSet("a port", rule(operation("ports", "80", "http"))),
                argumentSet("a port that is not meant", rule(operation("notPorts", "65536"))),
                argumentSet("a star in the middle of a principal", rule(source("principals", "*/ns/*/sa/a"))),
                argumentSet("a star in the middle of a namespace", rule(source("notNamespaces", "a*b"))),
                argumentSet("the value of a condition", rule(when("destination.ip", "x"))),
                argumentSet(
                        "the value of a condition that is not meant",
                        rule(when("source.principal", List.of(), List.of("a*b")))));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void givenAValueThatCannotBeRead_thenAllowRulesHoldForNothingAndDenyRulesForEverything(Rule rule) {
        var allow = convert(policy("app/p", ALLOW, rule));
        var deny = convert(policy("app/p", DENY, rule));

        assertThat(text(allow)).isEqualTo("ALLOW NAMESPACE: nothing");
        assertThat(text(deny)).isEqualTo("DENY NAMESPACE: always");
        assertThat(condition(allow)).isEqualTo(REFUSED);
        assertThat(condition(deny)).isEqualTo(REFUSED);
    }

    static Stream<Arguments> unenforceable() {
        return Stream.of(
                argumentSet("only HTTP", policy("app/p", DENY, rule(operation("methods", "POST"))), "always"),
                argumentSet(
                        "an alternative of HTTP",
                        policy("app/p", DENY, rule(operation("ports", "22"), operation("methods", "PUT"))),
                        "always"),
                argumentSet(
                        "a source and HTTP",
                        policy("app/p", DENY, rule(source("namespaces", "a"), operation("paths", "/admin"))),
                        "{namespaces=[a]}"),
                argumentSet(
                        "a port with HTTP",
                        policy(
                                "app/p",
                                DENY,
                                rule(operation(Map.of("ports", List.of("80"), "methods", List.of("GET"))))),
                        "{destinationPorts=[80]}"));
    }

    @ParameterizedTest
    @MethodSource("unenforceable")
    void givenRulesThatCannotBeEnforcedShallDeny_thenTheyDenyWithoutTheirHttpAttributes(
            AuthorizationPolicyManifest policy, String want) {
        var result = L4Policies.convert(policy, ROOT, new Options(DryRuns.REFUSED, Unenforceable.DENY_ANYHOW));

        assertThat(text(result)).isEqualTo("DENY NAMESPACE: " + want);
        assertThat(condition(result)).isEqualTo(REDUCED);
    }

    static Stream<Arguments> refused() {
        var plain = policy("app/p", DENY, rule(source("namespaces", "a")));
        return Stream.of(
                argumentSet("AUDIT", policy("app/p", AUDIT, rule()), "AUDIT"),
                argumentSet("CUSTOM", policy("app/p", CUSTOM, rule()), "CUSTOM"),
                argumentSet("dry run", dryRun(plain, "true"), "istio.io/dry-run"),
                argumentSet("dry run, another spelling of true", dryRun(plain, "T"), "istio.io/dry-run"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void givenWhatZtunnelCannotDo_thenNotServedAndTold(AuthorizationPolicyManifest policy, String name) {
        var result = convert(policy);
        assertThat(result.served()).isEmpty();
        assertThat(condition(result)).isEqualTo(REFUSED);
        assertThat(message(policy)).contains(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "maybe", "", "tRuE", "yes"})
    void givenADryRunAnnotationThatIsNotTrue_thenServed(String value) {
        var result = convert(dryRun(policy("app/p", DENY, rule()), value));
        assertThat(text(result)).isEqualTo("DENY NAMESPACE: always");
        assertThat(result.served().map(Authorization::dryRun)).contains(Authorization.DryRun.NO);
        assertThat(condition(result)).isEqualTo(ACCEPTED);
    }

    @Test
    void givenDryRunsServed_thenMarked() {
        var result = L4Policies.convert(
                dryRun(policy("app/p", DENY, rule()), "true"),
                ROOT,
                new Options(DryRuns.SERVED, Unenforceable.HAVE_NO_EFFECT));
        assertThat(result.served().map(Authorization::dryRun)).contains(Authorization.DryRun.YES);
        assertThat(condition(result)).isEqualTo(ACCEPTED);
    }

    @Test
    void givenATarget_thenNeitherServedNorJudged() {
        var policy = target(policy("app/p", AUDIT, rule()), new PolicyTarget("", "Service", "web"));
        assertThat(convert(policy).served()).isEmpty();
        assertThat(convert(policy).condition()).isEmpty();
    }

    private static L4Policies.L4PolicyResult convert(AuthorizationPolicyManifest policy) {
        return L4Policies.convert(policy, ROOT, Options.DEFAULT);
    }

    private static String text(L4Policies.L4PolicyResult result) {
        return result.served().map(AuthorizationText::of).orElse("not served");
    }

    private static String condition(L4Policies.L4PolicyResult result) {
        var condition = result.condition().orElseThrow();
        assertThat(condition.type()).isEqualTo("ZtunnelAccepted");
        return condition.status().text() + "/" + condition.reason();
    }

    private static String message(AuthorizationPolicyManifest policy) {
        return convert(policy).condition().orElseThrow().message();
    }
}
