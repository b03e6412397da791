// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TrafficRulesTest {
    private final Flow flow = new Flow();
    private final Source<ObjectKey, DestinationRuleManifest> rules = flow.source("rules");
    private final Source<ObjectKey, BackendTlsPolicyManifest> policies = flow.source("policies");
    private final Source<ObjectKey, BackendTrafficPolicyManifest> budgets = flow.source("budgets");
    private final Source<ObjectKey, CaBundleManifest> bundles = flow.source("bundles");
    private final Source<String, MeshService> services = flow.source("services");
    private final TrafficRules lookup =
            new TrafficRules(flow, new TrafficRules.TrafficInputs(rules, policies, budgets, bundles), "cluster.local");
    private final Table<String, ServiceTraffic> found = flow.derive(
            "found",
            services,
            (fetch, service) ->
                    Optional.of(lookup.of(fetch, Drafts.group(ProxyRole.INGRESS, "edge"), "root", service)));

    private ServiceTraffic traffic() {
        return requireNonNull(flow.cut().of(found).get("web"));
    }

    private void start() {
        flow.update(update -> update.put(services, "web", Drafts.service().build()));
    }

    private static Metadata metadata(String namespace, String name, int age) {
        return new Metadata(
                new ObjectKey("c1", namespace, name),
                "",
                Map.of(),
                Map.of(),
                Instant.EPOCH.minusSeconds(age),
                Metadata.Lifecycle.ACTIVE);
    }

    private static DestinationRuleManifest rule(String namespace, String name, String host) {
        return rule(namespace, name, host, List.of(), Optional.empty());
    }

    private static DestinationRuleManifest rule(
            String namespace, String name, String host, List<String> exportTo, Optional<Map<String, String>> selector) {
        return new DestinationRuleManifest(
                metadata(namespace, name, 0),
                host,
                Policies.balancer(Simple.RANDOM),
                Map.of(),
                List.of(),
                exportTo,
                selector);
    }

    static Stream<Arguments> choices() {
        var own = rule("shop", "service", "web");
        var client = rule("edge", "client", Drafts.HOST);
        var root = rule("root", "root", "*.svc.cluster.local");
        var wide = rule("shop", "wide", "*.cluster.local");
        var wider = rule("shop", "wider", "*");
        var hidden = rule("shop", "hidden", "web", List.of("."), Optional.empty());
        var shown = rule("shop", "shown", "web", List.of("edge"), Optional.empty());
        var selecting = rule("shop", "selecting", "web", List.of(), Optional.of(Map.of("app", "gw")));
        var otherwise = rule("shop", "otherwise", "web", List.of(), Optional.of(Map.of("app", "other")));
        return Stream.of(
                argumentSet("the client's namespace wins", List.of(own, client, root), "client"),
                argumentSet("then the service's", List.of(own, root), "service"),
                argumentSet("then the root", List.of(root), "root"),
                argumentSet("the most specific host wins", List.of(wide, wider, own), "service"),
                argumentSet("a longer wildcard wins", List.of(wider, wide), "wide"),
                argumentSet("a rule that is kept at home does not count", List.of(hidden, root), "root"),
                argumentSet("a rule for our namespace counts", List.of(shown, root), "shown"),
                argumentSet("a rule that selects us wins", List.of(own, selecting), "selecting"),
                argumentSet("a rule that selects others does not count", List.of(otherwise), ""),
                argumentSet("a short name means the rule's namespace", List.of(rule("edge", "x", "web")), ""));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void whenRulesCompete(List<DestinationRuleManifest> written, String want) {
        start();
        flow.update(update -> written.forEach(rule -> update.put(rules, rule.key(), rule)));

        assertThat(traffic().rule().map(rule -> rule.source().name()).orElse(""))
                .isEqualTo(want);
    }

    @Test
    void givenSeveralRulesForAHost_thenTheOldestDecidesAndOthersAddSubsets() {
        start();
        var old = new DestinationRuleManifest(
                metadata("shop", "old", 100),
                "web",
                Policies.balancer(Simple.ROUND_ROBIN),
                Map.of(),
                List.of(Drafts.subset("v1", Map.of("version", "v1"))),
                List.of(),
                Optional.empty());
        var young = new DestinationRuleManifest(
                metadata("shop", "a-young", 1),
                Drafts.HOST,
                Policies.balancer(Simple.RANDOM),
                Map.of(),
                List.of(Drafts.subset("v1", Map.of("version", "other")), Drafts.subset("v2", Map.of("version", "v2"))),
                List.of(),
                Optional.empty());
        flow.update(update -> List.of(young, old).forEach(rule -> update.put(rules, rule.key(), rule)));

        var merged = traffic().rule().orElseThrow();
        assertThat(merged.source().name()).isEqualTo("old");
        assertThat(merged.subsets())
                .containsExactly(
                        Drafts.subset("v1", Map.of("version", "v1")), Drafts.subset("v2", Map.of("version", "v2")));

        flow.update(update -> update.remove(rules, old.key()));
        assertThat(traffic().rule().orElseThrow().source().name()).isEqualTo("a-young");
        flow.update(update -> update.remove(rules, young.key()));
        assertThat(traffic()).isEqualTo(ServiceTraffic.NONE);
    }

    @Test
    void givenPortsAndSubsets_thenTheNarrowestCounts() {
        var rule = new ServiceTraffic.TrafficRule(
                new ObjectKey("c1", "shop", "r"),
                Policies.outliers(1, java.time.Duration.ofSeconds(1), java.time.Duration.ofSeconds(1))
                        .with(Policies.balancer(Simple.ROUND_ROBIN)),
                Map.of(81, Policies.balancer(Simple.RANDOM)),
                List.of(new DestinationRuleManifest.Subset(
                        "v1",
                        Map.of(),
                        Policies.balancer(Simple.LEAST_REQUEST),
                        Map.of(82, Policies.balancer(Simple.PASSTHROUGH)))));
        var traffic = new ServiceTraffic(Optional.of(rule), List.of(), Optional.empty());

        assertThat(simple(traffic.policy(80, ""))).isEqualTo(Simple.ROUND_ROBIN);
        assertThat(simple(traffic.policy(81, ""))).isEqualTo(Simple.RANDOM);
        assertThat(traffic.policy(81, "").outlierDetection())
                .as("ports inherit nothing")
                .isEmpty();
        assertThat(simple(traffic.policy(80, "v1"))).isEqualTo(Simple.LEAST_REQUEST);
        assertThat(traffic.policy(80, "v1").outlierDetection()).isPresent();
        assertThat(simple(traffic.policy(82, "v1"))).isEqualTo(Simple.PASSTHROUGH);
    }

    private static Simple simple(TrafficPolicy policy) {
        return policy.loadBalancer().orElseThrow().simple().orElseThrow();
    }

    private static BackendTlsPolicyManifest policy(String name, int age, String section, String configMap) {
        return new BackendTlsPolicyManifest(
                metadata("shop", name, age),
                List.of(new Target("", "Service", "web", section)),
                List.of(new AuthorityRef("", "ConfigMap", configMap)),
                "",
                name + ".example",
                List.of(),
                Map.of());
    }

    private static CaBundleManifest bundle(String name, String pem) {
        return new CaBundleManifest(metadata("shop", name, 0), pem);
    }

    @Test
    void givenSeveralPolicies_thenThePortsOwnAndTheOldestWin() {
        start();
        var written =
                List.of(policy("young", 1, "", "ca"), policy("old", 9, "", "ca"), policy("port", 5, "https", "ca"));
        flow.update(update -> written.forEach(policy -> update.put(policies, policy.key(), policy)));

        var plain = new ServicePort(80, "http", AppProtocol.HTTP11);
        var tls = new ServicePort(443, "https", AppProtocol.HTTP11);
        assertThat(traffic().backendTls(plain).orElseThrow().hostname()).isEqualTo("old.example");
        assertThat(traffic().backendTls(tls).orElseThrow().hostname()).isEqualTo("port.example");
    }

    @Test
    void givenAReference_whenItComesAndGoes_thenThePolicyFollows() {
        start();
        var seen = new ArrayList<Authorities>();
        var policy = policy("p", 1, "", "ca");
        var pem = new TestIdentity("users").rootPem();
        flow.update(update -> update.put(policies, policy.key(), policy));
        seen.add(authorities());
        flow.update(update -> update.put(bundles, policy.key().sibling("ca"), bundle("ca", "no certificate")));
        seen.add(authorities());
        flow.update(update -> update.put(bundles, policy.key().sibling("ca"), bundle("ca", pem)));
        seen.add(authorities());

        assertThat(seen.get(0)).isInstanceOf(Authorities.Nobody.class);
        assertThat(seen.get(1)).isInstanceOf(Authorities.Nobody.class);
        assertThat(seen.get(2)).isEqualTo(new Authorities.Bundle(new ObjectKey("c1", "shop", "ca")));
    }

    private Authorities authorities() {
        return traffic().tls().getFirst().authorities();
    }

    private static BackendTrafficPolicyManifest budget(String name, int age, String target, RetryBudget... budget) {
        return new BackendTrafficPolicyManifest(
                metadata("shop", name, age),
                List.of(new Target("", "Service", target, "")),
                Stream.of(budget).findFirst(),
                List.of());
    }

    private static RetryBudget percent(int percent) {
        return new RetryBudget(OptionalDouble.of(percent), OptionalInt.of(10), Optional.empty());
    }

    @Test
    void givenSeveralRetryBudgets_thenTheOldestCountsForAllPorts() {
        start();
        var written = List.of(
                budget("young", 1, "web", percent(30)),
                budget("old", 5, "web", percent(40)),
                budget("without", 9, "web"),
                budget("other", 9, "other", percent(50)));
        flow.update(update -> written.forEach(policy -> update.put(budgets, policy.key(), policy)));

        assertThat(traffic().policy(80, "").retryBudget()).hasValue(percent(40));
        assertThat(traffic().policy(81, "v1").retryBudget()).hasValue(percent(40));
        assertThat(ConnectionLimits.of(traffic().policy(80, ""))
                        .getThresholds(0)
                        .getRetryBudget()
                        .getBudgetPercent()
                        .getValue())
                .isEqualTo(40);

        flow.update(update -> update.remove(budgets, new ObjectKey("c1", "shop", "old")));
        assertThat(traffic().policy(80, "").retryBudget()).hasValue(percent(30));
    }

    @Test
    void givenARetryBudgetOfARule_thenTheOneOfAPolicyWins() {
        var rule = new ServiceTraffic.TrafficRule(
                new ObjectKey("c1", "shop", "r"), TrafficPolicy.NONE.withRetryBudget(percent(5)), Map.of(), List.of());

        assertThat(new ServiceTraffic(Optional.of(rule), List.of(), Optional.empty())
                        .policy(80, "")
                        .retryBudget())
                .hasValue(percent(5));
        assertThat(new ServiceTraffic(Optional.of(rule), List.of(), Optional.of(percent(6)))
                        .policy(80, "")
                        .retryBudget())
                .hasValue(percent(6));
    }

    @Test
    void givenNamesOfSecrets_thenOnlyConfigMapsAreFound() {
        var key = new ObjectKey("c1", "shop", "ca");

        assertThat(CaSecrets.configMap("c1", CaSecrets.name(key))).hasValue(key);
        assertThat(CaSecrets.configMap("c1", "kubernetes://ca-cacert")).isEmpty();
        assertThat(CaSecrets.configMap("c1", "configmap://a/b/c-cacert")).isEmpty();
    }
}
