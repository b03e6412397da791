// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.AuthorizationText;
import io.fathom.model.policy.Authorization;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WaypointAllowPoliciesTest {
    @Test
    void givenPodsWithTwoAccounts_thenBothAreAllowed() {
        var policy = WaypointAllowPolicies.policy("app", "wp", "cluster.local", List.of("wp", "other", "wp"));
        assertThat(policy.map(AuthorizationText::of))
                .contains("ALLOW WORKLOAD_SELECTOR: "
                        + "{principals=[cluster.local/ns/app/sa/other, cluster.local/ns/app/sa/wp]}");
        assertThat(policy.map(Authorization::key)).contains(WaypointAllowPolicies.key("app", "wp"));
        assertThat(WaypointAllowPolicies.key("app", "wp")).isEqualTo("app/istio_allow_waypoint_app_wp");
    }

    @Test
    void givenNoPods_thenNoPolicy() {
        assertThat(WaypointAllowPolicies.policy("app", "wp", "cluster.local", List.of()))
                .isEmpty();
    }
}
