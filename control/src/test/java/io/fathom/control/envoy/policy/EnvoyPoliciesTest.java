// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.envoy.view.ClusterName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyPoliciesTest {
    private static final String POLICY = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: p, namespace: NS},
              spec: {SPEC, action: DENY, rules: [{to: [{operation: {paths: [/x]}}]}]}}
            """;
    private static final String TOKENS = """
            {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: r, namespace: NS}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [{issuer: https://NS, jwksUri: "URI"}]}}
            """;

    /// Cases 39 and 40: what a policy must hold on to, at a waypoint in `infra` and at a gateway in `shop`.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            shop         | targetRefs: [{kind: Service, group: "", name: app}]                                   | waypoint
            shop         | targetRefs: [{kind: Service, group: core, name: app}]                                 | waypoint
            shop         | targetRef: {kind: Service, group: "", name: app}                                      | waypoint
            shop         | targetRefs: [{kind: Service, group: "", name: other}]                                 |
            other        | targetRefs: [{kind: Service, group: "", name: app}]                                   |
            shop         | targetRefs: [{kind: ServiceEntry, group: networking.istio.io, name: app}]             |
            infra        | targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: waypoint}]       | waypoint
            shop         | targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: waypoint}]       |
            shop         | targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: edge}]           | ingress
            istio-system | targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: istio-waypoint}] | waypoint
            shop         | targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: istio-waypoint}] |
            istio-system | targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: istio}]     |
            shop         | selector: {matchLabels: {app: edge}}                                                  | ingress
            shop         | selector: {matchLabels: {app: other}}                                                 |
            shop         | selector: {}                                                                          | ingress
            istio-system | selector: {matchLabels: {app: edge}}                                                  | ingress
            other        | selector: {matchLabels: {app: edge}}                                                  |
            infra        | selector: {}                                                                          |
            """)
    void givenWhatAPolicyHoldsOnTo_thenItCountsThereOnly(String namespace, String spec, String place) {
        var world = PolicyWorld.of(POLICY.replace("NS", namespace).replace("SPEC", spec));

        assertThat(world.waypoint("shop").authorization()).hasSize("waypoint".equals(place) ? 1 : 0);
        assertThat(world.waypointTcp("shop").filters()).hasSize("waypoint".equals(place) ? 1 : 0);
        assertThat(world.ingress("shop").authorization()).hasSize("ingress".equals(place) ? 1 : 0);
        assertThat(world.ingressTcp("shop").filters()).hasSize("ingress".equals(place) ? 1 : 0);
    }

    @Test
    void givenAWaypointOfAnotherClass_thenPoliciesOfThatClassCount() {
        var world = PolicyWorld.of(
                """
                {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: waypoint, namespace: infra},
                  spec: {gatewayClassName: own}}
                """,
                POLICY.replace("NS", "istio-system")
                        .replace(
                                "SPEC",
                                "targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: own}]"));

        assertThat(world.waypoint("shop").authorization()).hasSize(1);
    }

    @Test
    void givenKeysThatRotate_thenOnlyWhatUsesThemIsMadeAgain() throws Exception {
        var world = PolicyWorld.of(
                TOKENS.replace("NS", "one").replace("URI", "https://one/keys"),
                TOKENS.replace("NS", "two").replace("URI", "https://two/keys"));
        var timeline = new ManualTimeline(Instant.EPOCH);
        Map<String, String> answers = new HashMap<>();
        JwksFetcher fetcher = source -> {
            var answer = answers.get(source.address());
            if (answer == null) {
                throw new IOException("no answer");
            }
            return answer;
        };
        assertThat(world.waypoint("one").toString()).contains("none");
        assertThat(world.waypoint("two").toString()).contains("none");
        assertThat(world.waypoint("three").filters()).isEmpty();

        try (var _ = world.policies.fetchKeySets(fetcher, timeline, Duration.ofMinutes(20))) {
            timeline.settle();
            assertThat(world.problem("RequestAuthentication/one/r")
                            .orElseThrow()
                            .toString())
                    .contains("https://one", "no answer", "tokens of that issuer are refused");
            answers.put("https://one/keys", new TestIssuer("https://one", "first").keySet());
            answers.put("https://two/keys", new TestIssuer("https://two", "other").keySet());
            timeline.advance(Duration.ofSeconds(1));
            assertThat(world.http("one").toString()).contains("first").doesNotContain("none");
            assertThat(world.problem("RequestAuthentication/one/r")).isEmpty();

            world.made.clear();
            answers.put("https://one/keys", new TestIssuer("https://one", "second").keySet());
            timeline.advance(Duration.ofMinutes(20));
            assertThat(world.http("one").toString()).contains("second");
            assertThat(world.made).containsOnlyKeys("one");

            answers.clear();
            timeline.advance(Duration.ofMinutes(20));
            assertThat(world.http("one").toString()).as("the last good one").contains("second");
            assertThat(world.problem("RequestAuthentication/one/r")
                            .orElseThrow()
                            .toString())
                    .contains("the last one stays in use");

            world.removeAuthentication("one", "r");
            timeline.settle();
            assertThat(world.http("one").filters()).isEmpty();
            assertThat(world.problem("RequestAuthentication/one/r")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            action: CUSTOM                                                            | policy-provider-missing
            action: CUSTOM, provider: {name: nobody}                                  | policy-provider-unknown
            action: CUSTOM, provider: {name: logs}                                    | policy-provider-kind
            action: CUSTOM, provider: {name: asks-http}, rules: [{}]                  |
            action: CUSTOM, provider: {name: asks-http}, rules: [{when: [{key: "request.auth.claims[a]", values: [b]}]}] | policy-custom-token
            rules: [{to: [{operation: {paths: ["/a/{*}b"]}}]}]                        | policy-path-template
            rules: [{to: [{operation: {paths: ["/a/{**}/{*}"]}}]}]                    | policy-path-template
            rules: [{to: [{operation: {paths: ["/a/{*}/b/{**}"]}}]}]                  |
            """)
    void givenAPolicyThatIsNotEnforcedAsWritten_thenItsAuthorHearsOfIt(String spec, String code) {
        var world = new PolicyWorld(CustomProviders.ONE, TrafficCases.MESH, """
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: p, namespace: shop},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}], SPEC}}
                """.replace("SPEC", spec));

        assertThat(world.problem("AuthorizationPolicy/shop/p").map(problem -> problem.code()))
                .isEqualTo(java.util.Optional.ofNullable(code));
    }

    @Test
    void givenTwoProvidersForOneTarget_thenBothAuthorsHearOfIt() {
        var one = new PolicyWorld(CustomProviders.ONE, TrafficCases.MESH, TrafficCases.CUSTOM);
        assertThat(one.problem("AuthorizationPolicy/custom-two/a").orElseThrow().code())
                .isEqualTo("policy-several-providers");
        assertThat(one.problem("AuthorizationPolicy/custom-two/b").orElseThrow().message())
                .contains("asks-grpc", "asks-http");
        assertThat(one.problem("AuthorizationPolicy/custom/a")).isEmpty();

        var several = new PolicyWorld(CustomProviders.SEVERAL, TrafficCases.MESH, TrafficCases.CUSTOM);
        assertThat(several.problem("AuthorizationPolicy/custom-two/a")).isEmpty();
        var policy = several.waypoint("custom-two");
        assertThat(policy.custom()).hasSize(4);
        assertThat(policy.clusters())
                .containsExactlyInAnyOrder(
                        ClusterName.outbound(9000, "", PolicyWorld.AUTHZ_HOST),
                        ClusterName.outbound(9001, "", "grpc." + PolicyWorld.AUTHZ_HOST));
    }

    @Test
    void givenAKeySetThatIsNone_thenTokensAreRefusedAndItsAuthorHearsOfIt() {
        var world = PolicyWorld.of("""
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: r, namespace: shop}, spec: {
                  targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [{issuer: i, jwks: 'hello'}]}}
                """);

        assertThat(world.problem("RequestAuthentication/shop/r").orElseThrow().code())
                .isEqualTo("jwks-unusable");
        assertThat(world.waypoint("shop").toString()).contains("none").doesNotContain("hello");
    }
}
