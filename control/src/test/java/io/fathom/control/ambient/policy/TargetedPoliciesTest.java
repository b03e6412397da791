// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.policy;
import static io.fathom.control.ambient.PolicyManifests.rule;
import static io.fathom.control.ambient.PolicyManifests.target;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.DENY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ambient.policy.TargetedPolicies.Target;
import io.fathom.control.ambient.policy.TargetedPolicies.TargetKind;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TargetedPoliciesTest {
    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final PolicyTarget BOUND = new PolicyTarget("", "Service", "bound");
    private static final PolicyTarget UNBOUND = new PolicyTarget("", "Service", "unbound");
    private static final PolicyTarget MISSING = new PolicyTarget("", "Service", "missing");

    static Stream<Arguments> cases() {
        return Stream.of(
                argumentSet("a Service with a waypoint", "app/p", List.of(BOUND), "True/Accepted"),
                argumentSet("a Service without", "app/p", List.of(UNBOUND), "False/AncestorNotBound"),
                argumentSet("no such Service", "app/p", List.of(MISSING), "False/TargetNotFound"),
                argumentSet("a ServiceEntry with a waypoint", "app/p", List.of(entry("bound")), "True/Accepted"),
                argumentSet("a ServiceEntry without", "app/p", List.of(entry("unbound")), "False/AncestorNotBound"),
                argumentSet("no such ServiceEntry", "app/p", List.of(entry("missing")), "False/TargetNotFound"),
                argumentSet("a waypoint", "app/p", List.of(gateway("bound")), "True/Accepted"),
                argumentSet("no such Gateway", "app/p", List.of(gateway("missing")), "False/TargetNotFound"),
                argumentSet("the class of waypoints", ROOT + "/p", List.of(gatewayClass("bound")), "True/Accepted"),
                argumentSet("no such class", ROOT + "/p", List.of(gatewayClass("missing")), "False/TargetNotFound"),
                argumentSet("another class", ROOT + "/p", List.of(gatewayClass("foreign")), "False/Invalid"),
                argumentSet("a class outside the root", "app/p", List.of(gatewayClass("bound")), "False/Invalid"),
                argumentSet("another kind", "app/p", List.of(new PolicyTarget("", "Pod", "bound")), "False/Invalid"),
                argumentSet("two bound", "app/p", List.of(BOUND, gateway("bound")), "True/Accepted"),
                argumentSet("one of two bound", "app/p", List.of(BOUND, MISSING), "True/PartiallyInvalid"),
                argumentSet("none of two bound", "app/p", List.of(UNBOUND, MISSING), "False/Invalid"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givenTargets_thenOneCondition(String path, List<PolicyTarget> targets, String want) {
        var condition = judge(path, targets);
        assertThat(condition.type()).isEqualTo("WaypointAccepted");
        assertThat(condition.status().text() + "/" + condition.reason()).isEqualTo(want);
    }

    @Test
    void givenSomeTargetsThatFail_thenTheMessageNamesEachWithItsReason() {
        assertThat(judge("app/p", List.of(BOUND, UNBOUND, MISSING)).message())
                .contains("Service unbound")
                .contains("Service missing")
                .doesNotContain("Service bound");
    }

    @Test
    void givenNoTargets_thenNoCondition() {
        assertThat(TargetedPolicies.judge(List.of(), "app", ROOT, TargetedPoliciesTest::find))
                .isEmpty();
    }

    private static StatusCondition judge(String path, List<PolicyTarget> targets) {
        var policy = target(policy(path, DENY, rule()), targets.toArray(PolicyTarget[]::new));
        return TargetedPolicies.judge(policy.targets(), policy.namespace(), ROOT, TargetedPoliciesTest::find)
                .orElseThrow();
    }

    private static Target find(TargetKind kind, String name) {
        return switch (name) {
            case "bound" -> new Target.Bound("app/waypoint");
            case "unbound" -> new Target.NotBound();
            case "foreign" -> new Target.Foreign("example.com/" + kind);
            default -> new Target.Missing();
        };
    }

    private static PolicyTarget entry(String name) {
        return new PolicyTarget("networking.istio.io", "ServiceEntry", name);
    }

    private static PolicyTarget gateway(String name) {
        return new PolicyTarget(GATEWAY_API, "Gateway", name);
    }

    private static PolicyTarget gatewayClass(String name) {
        return new PolicyTarget(GATEWAY_API, "GatewayClass", name);
    }
}
