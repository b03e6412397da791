// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.slice;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.Draft;
import io.fathom.control.ambient.PolicyDraft;
import io.fathom.control.ambient.TestMesh;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InputsTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void whenNamespaceIsLabelledAndUnlabelled_thenEveryKindComesAndGoesAtOnce() {
        mesh.put(
                meshConfig().discovers("mesh", "yes"),
                namespace("app"),
                waypoint("app/wp"),
                pod("app/a").label("app", "web"),
                vm("app/v", "10.0.0.1"),
                service("app/web").selects("app", "web").port("http", 80, 80).useWaypoint("wp"),
                entry("app/se", "a.example.com").address("10.97.0.1").endpoint("10.1.0.1"),
                service("app/manual").port("http", 80, 80),
                slice("app/manual-1", "manual").endpoint("10.2.0.1").port("http", 80),
                policy("app/deny"));
        assertThat(mesh.names()).isEmpty();
        assertThat(policies()).isEmpty();

        mesh.put(namespace("app").label("mesh", "yes"));
        assertThat(mesh.names()).hasSize(7);
        assertThat(mesh.kubeService("app/web").waypoint()).isPresent();
        assertThat(mesh.pod("app/a").services()).containsOnlyKeys(serviceName("app/web"));
        assertThat(policies()).containsExactly("app/deny");

        mesh.put(namespace("app"));
        assertThat(mesh.names()).isEmpty();
        assertThat(policies()).isEmpty();
    }

    @Test
    void givenDiscoverySelectors_thenNoNamespaceIsExemptAndUnknownOnesDoNotCount() {
        mesh.put(
                meshConfig().discovers("mesh", "yes").root("istio-system"),
                namespace("istio-system"),
                policy("istio-system/deny"),
                service("default/kubernetes"),
                pod("unknown/a"));

        assertThat(mesh.names()).isEmpty();
        assertThat(policies()).isEmpty();
    }

    @Test
    void givenNoSelectors_thenNamespacesNeedNotExist() {
        mesh.put(pod("unknown/a"), service("unknown/web"));

        assertThat(mesh.names()).containsExactly(podUid("unknown/a"), serviceName("unknown/web"));
    }

    @Test
    void whenMeshConfigChanges_thenSelectorsApplyAgain() {
        mesh.put(namespace("app"), namespace("other").label("mesh", "yes"), pod("app/a"), pod("other/b"));

        mesh.put(meshConfig().discovers("mesh", "yes"));
        assertThat(mesh.changed()).containsExactly(podUid("app/a"));
        mesh.remove(meshConfig());
        assertThat(mesh.changed()).containsExactly(podUid("app/a"));
        assertThat(mesh.names()).hasSize(2);
    }

    @Test
    void givenRevisionLabel_thenIstioObjectsOfOthersAreIgnored() {
        mesh.put(
                vm("app/ours", "10.0.0.1").label("istio.io/rev", "default"),
                vm("app/any", "10.0.0.2"),
                vm("app/theirs", "10.0.0.3").label("istio.io/rev", "canary"),
                pod("app/pod").label("istio.io/rev", "canary"),
                unready("app/wp").label("istio.io/rev", "canary").hostname("wp.example.com"),
                service("app/web").label("istio.io/rev", "canary").useWaypoint("wp"));

        assertThat(mesh.names())
                .containsExactly(podUid("app/pod"), vmUid("app/any"), vmUid("app/ours"), serviceName("app/web"));
        assertThat(mesh.kubeService("app/web").waypoint()).isPresent();
    }

    private List<String> policies() {
        var names = new ArrayList<String>();
        mesh.mesh().cut().of(mesh.mesh().authorizations()).forEach((name, _) -> names.add(name));
        return names;
    }

    private static Draft<?> policy(String path) {
        return new PolicyDraft(
                path,
                metadata ->
                        new AuthorizationPolicyManifest(metadata, Optional.empty(), List.of(), Action.DENY, List.of()));
    }
}
