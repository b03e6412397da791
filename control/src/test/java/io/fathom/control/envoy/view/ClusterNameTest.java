// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import org.junit.jupiter.api.Test;

class ClusterNameTest {
    @Test
    void givenAnyDirection_thenNamesHaveThreeBars() {
        assertThat(ClusterName.outbound(80, "", "a.b.svc.cluster.local"))
                .hasToString("outbound|80||a.b.svc.cluster.local");
        assertThat(ClusterName.outbound(80, "v1", "a.com")).hasToString("outbound|80|v1|a.com");
        assertThat(ClusterName.behindWaypoint(80, ClusterLayer.HTTP, "", "a.com"))
                .hasToString("inbound-vip|80|http|a.com");
        assertThat(ClusterName.behindWaypoint(80, ClusterLayer.TCP, "v1", "a.com"))
                .hasToString("inbound-vip|80|tcp/v1|a.com");
    }
}
