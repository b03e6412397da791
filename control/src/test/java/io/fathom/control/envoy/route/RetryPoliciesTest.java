// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Retry;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RetryPoliciesTest {
    private static final String USUAL = "connect-failure,refused-stream,unavailable,cancelled";

    @Test
    void givenNothing_thenTwoMoreHostsAreTried() {
        var policy = RetryPolicies.usual(Optional.empty(), List.of()).orElseThrow();

        assertThat(policy.getRetryOn()).isEqualTo(USUAL + ",retriable-status-codes");
        assertThat(policy.getNumRetries().getValue()).isEqualTo(2);
        assertThat(policy.getHostSelectionRetryMaxAttempts()).isEqualTo(5);
        assertThat(policy.getRetryHostPredicateList()).hasSize(1);
    }

    @Test
    void givenHashing_thenTheSameHostMayBeTriedAgain() {
        assertThat(RetryPolicies.usual(Optional.empty(), List.of(HashPolicy.getDefaultInstance()))
                        .orElseThrow()
                        .getRetryHostPredicateList())
                .isEmpty();
    }

    @Test
    void givenTheMeshSaysSomething_thenThatCounts() {
        var never = new Retries(0, Optional.empty(), "", Optional.empty(), Optional.empty(), Optional.empty());
        var often = new Retries(7, Optional.empty(), "5xx", Optional.empty(), Optional.empty(), Optional.empty());

        assertThat(RetryPolicies.usual(Optional.of(never), List.of())).isEmpty();
        assertThat(RetryPolicies.usual(Optional.of(often), List.of())).hasValueSatisfying(policy -> {
            assertThat(policy.getNumRetries().getValue()).isEqualTo(7);
            assertThat(policy.getRetryOn()).isEqualTo("5xx");
        });
    }

    @Test
    void givenAnHttpRoute_thenOnlyGivenCodesAreTriedAgain() {
        var without = RetryPolicies.of(new Retry(List.of(), -1, Optional.empty()), Optional.empty(), List.of())
                .orElseThrow();
        var with = RetryPolicies.of(
                        new Retry(List.of(500, 503), 3, Optional.of(Duration.ofMillis(10))),
                        Optional.of(Duration.ofMillis(200)),
                        List.of())
                .orElseThrow();

        assertThat(without.getRetryOn()).isEqualTo(USUAL + ",reset");
        assertThat(without.getNumRetries().getValue()).isEqualTo(2);
        assertThat(with.getRetryOn()).isEqualTo(USUAL + ",reset,retriable-status-codes");
        assertThat(with.getRetriableStatusCodesList()).containsExactly(500, 503);
        assertThat(with.getNumRetries().getValue()).isEqualTo(3);
        assertThat(with.getPerTryTimeout()).isEqualTo(Durations.of(Duration.ofMillis(200)));
        assertThat(with.getRetryBackOff().getBaseInterval()).isEqualTo(Durations.of(Duration.ofMillis(10)));
    }

    @Test
    void givenNoAttempts_thenNothingIsTriedAgain() {
        assertThat(RetryPolicies.of(new Retry(List.of(500), 0, Optional.empty()), Optional.empty(), List.of()))
                .isEmpty();
        assertThat(RetryPolicies.of(retries(0, "5xx", Optional.empty()), List.of()))
                .isEmpty();
    }

    @Test
    void givenNumbersAmongWords_thenTheyAreStatusCodes() {
        var policy = RetryPolicies.of(retries(1, "5xx, 418,reset", Optional.empty()), List.of())
                .orElseThrow();

        assertThat(policy.getRetryOn()).isEqualTo("5xx,reset,retriable-status-codes");
        assertThat(policy.getRetriableStatusCodesList()).containsExactly(418);
    }

    @Test
    void givenAWordOnPreviousHosts_thenItCounts() {
        var policy =
                RetryPolicies.of(retries(1, "", Optional.of(false)), List.of()).orElseThrow();

        assertThat(policy.getRetryHostPredicateList()).isEmpty();
        assertThat(policy.getRetryOn()).isEqualTo(USUAL + ",retriable-status-codes");
    }

    private static Retries retries(int attempts, String on, Optional<Boolean> ignorePreviousHosts) {
        return new Retries(attempts, Optional.empty(), on, Optional.empty(), ignorePreviousHosts, Optional.empty());
    }
}
