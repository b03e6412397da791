// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmbientConfigTest {
    @Test
    void givenNothing_thenUpstreamDefaults() {
        var config = AmbientConfig.of(Map.of());

        assertThat(config.clusterId()).isEqualTo("Kubernetes");
        assertThat(config.trustDomain()).isEqualTo("cluster.local");
        assertThat(config.systemNamespace()).isEqualTo("istio-system");
        assertThat(config.revision()).isEqualTo("default");
        assertThat(config.network()).isEmpty();
        assertThat(config.ipv4Range()).hasToString("240.240.0.0/16");
        assertThat(config.ipv6Range()).hasToString("2001:2::/48");
        assertThat(config.features())
                .containsExactlyInAnyOrder(
                        Feature.MULTI_NETWORK_WAYPOINT,
                        Feature.MULTI_NETWORK_INGRESS,
                        Feature.MESH_WIDE_NAMES,
                        Feature.ENTRIES_SELECT_PODS,
                        Feature.SERVICES_SELECT_ENTRIES,
                        Feature.ADDRESS_ALLOCATION,
                        Feature.SERVE_PLANNED_ADDRESSES,
                        Feature.MCS_HOSTS);
    }

    @Test
    void givenVariables_thenTheyCount() {
        var config = AmbientConfig.of(Map.of(
                "AMBIENT_ENABLE_MULTI_NETWORK", "true",
                "PILOT_ENABLE_SERVICEENTRY_SELECT_PODS", "0",
                "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", "10.9.1.2/24",
                "CLUSTER_ID", "c1"));

        assertThat(config.has(Feature.MULTI_NETWORK)).isTrue();
        assertThat(config.has(Feature.ENTRIES_SELECT_PODS)).isFalse();
        assertThat(config.ipv4Range()).hasToString("10.9.1.0/24");
        assertThat(config.clusterId()).isEqualTo("c1");
    }

    @ParameterizedTest(name = "given {0}={1}, then an error names the variable")
    @CsvSource({
        "AMBIENT_ENABLE_MULTI_NETWORK,maybe",
        "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX,everything",
        "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX,fd00::/64"
    })
    void givenNonsense_thenAnErrorNamesTheVariable(String variable, String value) {
        assertThatThrownBy(() -> AmbientConfig.of(Map.of(variable, value)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(variable);
    }
}
