// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.older;
import static io.fathom.control.ambient.PolicyManifests.peer;
import static io.fathom.control.ambient.PolicyManifests.policy;
import static io.fathom.control.ambient.PolicyManifests.rule;
import static io.fathom.control.ambient.PolicyManifests.select;
import static io.fathom.control.ambient.PolicyManifests.selecting;
import static io.fathom.control.ambient.PolicyManifests.source;
import static io.fathom.control.ambient.PolicyManifests.target;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.ALLOW;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.AUDIT;
import static io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action.DENY;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.PERMISSIVE;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.STRICT;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.UNSET;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PolicyTablesTest {
    private static final Map<String, String> WEB = Map.of("app", "web");
    private static final Map<String, String> API = Map.of("app", "api");
    private static final String STATIC = "istio-system/istio_converted_static_strict";

    private final PolicyMesh mesh = new PolicyMesh();

    @Test
    void givenPoliciesOfEveryScope_thenWorkloadsListThoseWithSelectorsSorted() {
        mesh.put(policy("app/wide", ALLOW, rule()));
        mesh.put(policy(ROOT + "/mesh", ALLOW, rule()));
        mesh.put(selecting("app/z-web", WEB));
        mesh.put(selecting("app/a-web", WEB));
        mesh.put(selecting("app/web-v1", Map.of("app", "web", "version", "v1")));
        mesh.put(selecting(ROOT + "/root-web", WEB));
        mesh.put(selecting("other/foreign", WEB));
        mesh.workload("app/v1", Map.of("app", "web", "version", "v1"));
        mesh.workload("app/v2", Map.of("app", "web", "version", "v2"));
        mesh.workload("app/plain", API);
        mesh.workload("other/web", WEB);
        mesh.workload(ROOT + "/web", WEB);

        assertThat(mesh.listed("app/v1"))
                .containsExactly("app/a-web", "app/web-v1", "app/z-web", "istio-system/root-web");
        assertThat(mesh.listed("app/v2")).containsExactly("app/a-web", "app/z-web", "istio-system/root-web");
        assertThat(mesh.listed("app/plain")).isEmpty();
        assertThat(mesh.listed("other/web")).containsExactly("istio-system/root-web", "other/foreign");
        assertThat(mesh.listed(ROOT + "/web")).containsExactly("istio-system/root-web");
    }

    @Test
    void whenAPodIsRelabelled_thenOnlyItChanges() {
        mesh.put(selecting("app/web", WEB));
        mesh.workload("app/one", WEB);
        mesh.workload("app/two", API);
        mesh.workload("app/three", WEB);

        mesh.workload("app/one", API);
        assertThat(mesh.changedWorkloads()).containsExactly("app/one");
        assertThat(mesh.listed("app/one")).isEmpty();
        mesh.workload("app/one", WEB);
        assertThat(mesh.changedWorkloads()).containsExactly("app/one");
        assertThat(mesh.listed("app/one")).containsExactly("app/web");
    }

    @Test
    void givenAPolicy_whenItsPodComesLater_thenAttached() {
        mesh.put(selecting("app/web", WEB));
        mesh.workload("app/one", WEB);
        assertThat(mesh.listed("app/one")).containsExactly("app/web");
    }

    @Test
    void whenAPolicyComes_thenOnlyTheWorkloadsItSelectsChange() {
        mesh.workload("app/one", WEB);
        mesh.workload("app/two", API);
        mesh.workload("other/one", WEB);

        mesh.put(selecting("app/web", WEB));
        assertThat(mesh.changedWorkloads()).containsExactly("app/one");
        mesh.put(policy("app/wide", ALLOW, rule()));
        assertThat(mesh.changedWorkloads()).isEmpty();
        assertThat(mesh.changedPolicies()).containsExactly("app/wide");
    }

    @Test
    void whenOnlyTheRulesChange_thenNoWorkloadDoes() {
        mesh.put(selecting("app/web", WEB));
        mesh.workload("app/one", WEB);
        mesh.put(select(policy("app/web", DENY, rule(source("namespaces", "b"))), WEB));
        assertThat(mesh.changedPolicies()).containsExactly("app/web");
        assertThat(mesh.changedWorkloads()).isEmpty();
    }

    @Test
    void whenAPolicyBecomesUnsupported_thenItIsWithdrawnAndNoLongerListed() {
        mesh.put(selecting("app/web", WEB));
        mesh.workload("app/one", WEB);
        mesh.put(select(policy("app/web", AUDIT, rule()), WEB));
        assertThat(mesh.authorizations()).isEmpty();
        assertThat(mesh.listed("app/one")).isEmpty();
        mesh.removePolicy("app/web");
        assertThat(mesh.conditions("app/web")).isEmpty();
    }

    @Test
    void givenAWorkloadWithoutLabels_thenItListsNoSelectorPolicy() {
        mesh.put(selecting("app/web", WEB));
        mesh.put(selecting(ROOT + "/web", WEB));
        mesh.put(peer("app/web", STRICT, WEB, Map.of(80, PERMISSIVE)));
        mesh.workload("app/bare", Map.of());
        assertThat(mesh.listed("app/bare")).isEmpty();
    }

    @Test
    void givenASelectorWithoutLabels_thenThePolicyIsNamespaceWideAndNotListed() {
        mesh.workload("app/one", WEB);
        mesh.put(selecting("app/empty", Map.of()));
        assertThat(mesh.authorizations()).containsOnlyKeys("app/empty");
        assertThat(mesh.changedWorkloads()).isEmpty();
    }

    @Test
    void givenTwoRefusedPolicies_thenBothCarryTheCondition() {
        mesh.put(policy("app/one", AUDIT, rule()));
        mesh.put(policy("app/two", AUDIT, rule()));
        assertThat(mesh.conditions("app/one")).containsExactly("ZtunnelAccepted=False/UnsupportedValue");
        assertThat(mesh.conditions("app/two")).containsExactly("ZtunnelAccepted=False/UnsupportedValue");
    }

    @Test
    void givenATarget_thenOnlyTheWaypointConditionAndItFollowsTheTarget() {
        mesh.put(target(policy("app/p", DENY, rule()), new PolicyTarget("", "Service", "web")));
        assertThat(mesh.authorizations()).isEmpty();
        assertThat(mesh.conditions("app/p")).containsExactly("WaypointAccepted=False/TargetNotFound");
        mesh.bind("web", new TargetedPolicies.Target.NotBound());
        assertThat(mesh.conditions("app/p")).containsExactly("WaypointAccepted=False/AncestorNotBound");
        mesh.bind("web", new TargetedPolicies.Target.Bound("app/wp"));
        assertThat(mesh.conditions("app/p")).containsExactly("WaypointAccepted=True/Accepted");
    }

    @Test
    void whenANamespaceBecomesStrict_thenOnlyItsWorkloadsChange() {
        mesh.workload("app/one", WEB);
        mesh.workload("app/bare", Map.of());
        mesh.workload("other/one", WEB);
        mesh.put(peer("app/strict", STRICT));
        assertThat(mesh.changedWorkloads()).containsExactly("app/bare", "app/one");
        assertThat(mesh.listed("app/bare")).containsExactly(STATIC);
        mesh.put(peer(ROOT + "/mesh", STRICT));
        assertThat(mesh.changedWorkloads()).containsExactly("other/one");
        mesh.put(peer("other/relaxed", PERMISSIVE));
        assertThat(mesh.changedWorkloads()).containsExactly("other/one");
        assertThat(mesh.listed("other/one")).isEmpty();
    }

    @Test
    void whenAPeerAuthenticationIsAddedThatChangesNothing_thenNoEvents() {
        mesh.workload("app/one", WEB);
        mesh.put(peer("app/strict", STRICT));
        mesh.put(peer("app/younger", PERMISSIVE));
        assertThat(mesh.changedWorkloads()).isEmpty();
        assertThat(mesh.changedPolicies()).isEmpty();
        mesh.put(peer(ROOT + "/mesh", STRICT));
        assertThat(mesh.changedWorkloads()).isEmpty();
    }

    @Test
    void whenTheFirstPeerAuthenticationComesAndTheLastGoes_thenSoDoesTheStaticPolicy() {
        assertThat(mesh.authorizations()).isEmpty();
        mesh.put(peer("app/one", PERMISSIVE));
        assertThat(mesh.authorizations()).containsOnlyKeys(STATIC);
        mesh.put(peer("app/two", PERMISSIVE));
        mesh.removePeer("app/one");
        assertThat(mesh.authorizations()).containsOnlyKeys(STATIC);
        mesh.removePeer("app/two");
        assertThat(mesh.authorizations()).isEmpty();
    }

    @Test
    void whenTheNamespaceIsRelaxed_thenTheConvertedPolicyAndItsKeyVanish() {
        var converted = "app/converted_peer_authentication_web";
        mesh.workload("app/one", WEB);
        mesh.put(peer("app/ns", STRICT));
        mesh.put(peer("app/web", UNSET, WEB, Map.of(8080, PERMISSIVE)));
        assertThat(mesh.listed("app/one")).containsExactly(converted);
        assertThat(mesh.authorizations()).containsKey(converted);
        mesh.put(peer("app/ns", PERMISSIVE));
        assertThat(mesh.listed("app/one")).isEmpty();
        assertThat(mesh.authorizations()).containsOnlyKeys(STATIC);
    }

    @Test
    void givenTwoPeerAuthenticationsForAWorkload_thenTheOldestCounts() {
        mesh.workload("app/one", WEB);
        mesh.put(peer("app/a", STRICT, WEB, Map.of()));
        mesh.put(older(peer("app/b", PERMISSIVE, WEB, Map.of()), 5));
        assertThat(mesh.listed("app/one")).isEmpty();
        mesh.removePeer("app/b");
        assertThat(mesh.listed("app/one")).containsExactly(STATIC);
    }

    @Test
    void givenASelectorInTheRootNamespace_thenThatPeerAuthenticationIsIgnored() {
        mesh.workload(ROOT + "/one", WEB);
        mesh.workload("app/one", WEB);
        mesh.put(peer(ROOT + "/mesh", STRICT));
        mesh.put(peer(ROOT + "/web", Mode.DISABLE, WEB, Map.of(80, STRICT)));
        assertThat(mesh.listed(ROOT + "/one")).containsExactly(STATIC);
        assertThat(mesh.listed("app/one")).containsExactly(STATIC);
        assertThat(mesh.authorizations()).containsOnlyKeys(STATIC);
    }

    @Test
    void givenAuthorizationAndPeerPolicies_thenThePeerKeyComesLast() {
        mesh.workload("app/one", WEB);
        mesh.put(selecting("zoo/web", WEB));
        mesh.put(selecting("app/web", WEB));
        mesh.put(peer("app/strict", STRICT));
        assertThat(mesh.listed("app/one")).containsExactly("app/web", STATIC);
    }

    @Test
    void whenTheRootNamespaceMoves_thenScopesAndKeysFollow() {
        mesh.workload("app/one", WEB);
        mesh.put(peer("app/strict", STRICT));
        mesh.put(selecting("config/web", WEB));
        assertThat(mesh.listed("app/one")).containsExactly(STATIC);
        mesh.rootNamespace("config");
        assertThat(mesh.listed("app/one")).containsExactly("config/web", "config/istio_converted_static_strict");
        assertThat(mesh.authorizations()).containsOnlyKeys("config/web", "config/istio_converted_static_strict");
    }

    /// Every combination of modes at every level: what the listed policies do to a caller without identity is what the
    /// modes say, and every listed key is served.
    @ParameterizedTest
    @EnumSource(Mode.class)
    void givenModesAtAllLevels_thenEachPortIsEnforcedAsItsNearestModeSays(Mode meshMode) {
        mesh.workload("app/one", WEB);
        mesh.put(peer(ROOT + "/mesh", meshMode));
        for (var namespaceMode : optionalModes()) {
            namespaceMode.ifPresentOrElse(mode -> mesh.put(peer("app/ns", mode)), () -> mesh.removePeer("app/ns"));
            for (var workloadMode : optionalModes()) {
                for (var portMode : optionalModes()) {
                    var ports = portMode.map(mode -> Map.of(8080, mode)).orElse(Map.of());
                    workloadMode.ifPresentOrElse(
                            mode -> mesh.put(peer("app/web", mode, WEB, ports)), () -> mesh.removePeer("app/web"));
                    var elsewhere = nearest(List.of(workloadMode, namespaceMode, Optional.of(meshMode)));
                    var there = nearest(
                            List.of(workloadMode.isPresent() ? portMode : Optional.empty(), Optional.of(elsewhere)));
                    var what = Stream.of(meshMode, namespaceMode, workloadMode, portMode)
                            .toList()
                            .toString();
                    assertThat(mesh.refusesAnonymous("app/one", 9090)).as(what).isEqualTo(elsewhere == STRICT);
                    assertThat(mesh.refusesAnonymous("app/one", 8080)).as(what).isEqualTo(there == STRICT);
                }
            }
        }
    }

    private static List<Optional<Mode>> optionalModes() {
        return Stream.concat(
                        Stream.of(Optional.<Mode>empty()),
                        Arrays.stream(Mode.values()).map(Optional::of))
                .toList();
    }

    private static Mode nearest(List<Optional<Mode>> levels) {
        return levels.stream()
                .flatMap(Optional::stream)
                .filter(mode -> mode != UNSET)
                .findFirst()
                .orElse(PERMISSIVE);
    }
}
