// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.PodDraft;
import io.fathom.control.ambient.PolicyDraft;
import io.fathom.control.ambient.TestMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaypointAccessTest {
    private static final String KEY = "app/istio_allow_waypoint_app_wp";

    private final TestMesh mesh = new TestMesh(AmbientConfig.defaults().with(Feature.AUTO_ALLOW_WAYPOINT));

    @Test
    void case75_givenWaypointWithPods_thenItsPolicyNamesBothAccountsAndIsListedByAllBehindIt() {
        mesh.put(
                waypoint("app/wp").serves("all"),
                instance("wp-1").account("one"),
                instance("wp-2").account("two"),
                service("app/web").selects("app", "web").useWaypoint("wp"),
                pod("app/behind-service").label("app", "web"),
                pod("app/behind-itself").useWaypoint("wp"),
                pod("app/free"),
                entry("app/se", "a.example.com")
                        .address("10.0.0.1")
                        .endpoint("10.1.0.1")
                        .useWaypoint("wp"));

        assertThat(mesh.pod("app/behind-service").authorizationPolicies()).containsExactly(KEY);
        assertThat(mesh.pod("app/behind-itself").authorizationPolicies()).containsExactly(KEY);
        assertThat(mesh.workload(endpointUid("app/se/10.1.0.1")).authorizationPolicies())
                .containsExactly(KEY);
        assertThat(mesh.pod("app/free").authorizationPolicies()).isEmpty();
        var match = policy().orElseThrow()
                .groups()
                .getFirst()
                .rules()
                .getFirst()
                .matches()
                .getFirst();
        assertThat(match.principals())
                .containsExactly(
                        new StringMatch.Exact("cluster.local/ns/app/sa/one"),
                        new StringMatch.Exact("cluster.local/ns/app/sa/two"));
    }

    @Test
    void whenThePodsOfTheWaypointGo_thenPolicyAndKeysGoTogether() {
        mesh.put(
                waypoint("app/wp"),
                instance("wp-1"),
                service("app/web").selects("app", "web").useWaypoint("wp"));
        mesh.put(vm("app/v", "10.0.0.1").label("app", "web"));
        assertThat(mesh.vm("app/v").authorizationPolicies()).containsExactly(KEY);

        mesh.remove(instance("wp-1"));

        assertThat(mesh.vm("app/v").authorizationPolicies()).isEmpty();
        assertThat(policy()).isEmpty();
    }

    @Test
    void givenFeatureOff_thenNothing() {
        var plain = new TestMesh();
        plain.put(
                waypoint("app/wp").serves("all"), instance("wp-1"), pod("app/a").useWaypoint("wp"));

        assertThat(plain.pod("app/a").authorizationPolicies()).isEmpty();
        assertThat(plain.mesh().cut().of(plain.mesh().authorizations()).isEmpty())
                .isTrue();
    }

    @Test
    void case117_givenObjectsWithoutLabels_thenTheyListNoSelectorPolicy() {
        var plain = new TestMesh();
        plain.put(
                namespace("app"),
                new PolicyDraft(
                        "app/some",
                        metadata -> new AuthorizationPolicyManifest(
                                metadata, Optional.of(Map.of("app", "web")), List.of(), Action.DENY, List.of())),
                pod("app/p"),
                pod("app/web").label("app", "web"),
                vm("app/v", "10.0.0.1"),
                entry("app/se", "a.example.com").address("10.0.0.1").endpoint("10.1.0.1"));

        assertThat(plain.pod("app/web").authorizationPolicies()).containsExactly("app/some");
        assertThat(plain.pod("app/p").authorizationPolicies()).isEmpty();
        assertThat(plain.vm("app/v").authorizationPolicies()).isEmpty();
        assertThat(plain.workload(endpointUid("app/se/10.1.0.1")).authorizationPolicies())
                .isEmpty();
    }

    private Optional<Authorization> policy() {
        return mesh.mesh().cut().of(mesh.mesh().authorizations()).find(KEY);
    }

    private static PodDraft instance(String name) {
        return pod("app/" + name).label("gateway.networking.k8s.io/gateway-name", "wp");
    }
}
