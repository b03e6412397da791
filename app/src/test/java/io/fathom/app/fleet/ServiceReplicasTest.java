// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServiceReplicasTest {
    private static final String FIRST = """
            {"addresses": ["10.1.0.1"], "conditions": {"ready": true}, "targetRef": {"kind": "Pod", "uid": "a"}}""";
    private static final String STARTING = """
            {"addresses": ["10.1.0.2"], "conditions": {"ready": false}, "targetRef": {"kind": "Pod", "uid": "b"}}""";

    private static Set<String> addresses(String... slices) {
        return ServiceReplicas.addresses(Stream.of(slices)
                .map(slice -> new KubeObject(Json.parse("test", slice)))
                .toList());
    }

    private static String slice(String family, String... endpoints) {
        return """
                {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "istiod"},
                 "addressType": "%s", "endpoints": %s}""".formatted(family, List.of(endpoints));
    }

    @Test
    void givenSeveralSlices_thenEachReplicaCounts_readyOrNot() {
        assertThat(addresses(slice("IPv4", FIRST), slice("IPv4", STARTING)))
                .containsExactlyInAnyOrder("10.1.0.1", "10.1.0.2");
        assertThat(addresses()).isEmpty();
        assertThat(addresses("{}")).isEmpty();
    }

    @Test
    void givenTwoFamilies_thenOneAddressOfEachReplica() {
        var other = slice("IPv6", FIRST.replace("10.1.0.1", "fd00::1"), STARTING.replace("10.1.0.2", "fd00::2"));

        assertThat(addresses(other, slice("IPv4", FIRST))).containsExactlyInAnyOrder("10.1.0.1", "fd00::2");
    }

    @Test
    void givenEndpointsWithoutPods_thenTheyCount_andNamesDoNot() {
        assertThat(addresses(slice("IPv4", "{\"addresses\": [\"192.0.2.1\"]}"), slice("FQDN", FIRST)))
                .containsExactly("192.0.2.1");
    }
}
