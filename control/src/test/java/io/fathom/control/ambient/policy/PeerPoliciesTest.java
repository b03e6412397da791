// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.older;
import static io.fathom.control.ambient.PolicyManifests.peer;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.DISABLE;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.PERMISSIVE;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.STRICT;
import static io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode.UNSET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ambient.AuthorizationText;
import io.fathom.control.ambient.policy.PeerPolicies.Enforcement;
import io.fathom.control.ambient.policy.PeerPolicies.PeerPolicyLevel;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PeerPoliciesTest {
    private static final String OPEN = "open";
    private static final String STATIC = "strict";

    static Stream<Arguments> decisions() {
        return Stream.of(
                argumentSet("STRICT: the static policy only", STRICT, Map.of(), PERMISSIVE, STATIC),
                argumentSet("UNSET inherits STRICT", UNSET, Map.of(), STRICT, STATIC),
                argumentSet("UNSET inherits PERMISSIVE", UNSET, Map.of(), PERMISSIVE, OPEN),
                argumentSet("PERMISSIVE overrides an inherited STRICT", PERMISSIVE, Map.of(), STRICT, OPEN),
                argumentSet("DISABLE overrides an inherited STRICT", DISABLE, Map.of(), STRICT, OPEN),
                argumentSet(
                        "STRICT with a PERMISSIVE port: all ports but one",
                        STRICT,
                        Map.of(8080, PERMISSIVE),
                        PERMISSIVE,
                        "{notPrincipals=[*]} & {notDestinationPorts=[8080]}"),
                argumentSet(
                        "STRICT with a DISABLE port: all ports but one",
                        STRICT,
                        Map.of(9090, DISABLE),
                        PERMISSIVE,
                        "{notPrincipals=[*]} & {notDestinationPorts=[9090]}"),
                argumentSet(
                        "STRICT with several exceptions: ascending",
                        STRICT,
                        Map.of(9000, PERMISSIVE, 80, DISABLE, 443, STRICT, 22, PERMISSIVE),
                        PERMISSIVE,
                        "{notPrincipals=[*]} & {notDestinationPorts=[22]} & {notDestinationPorts=[80]}"
                                + " & {notDestinationPorts=[9000]}"),
                argumentSet(
                        "STRICT with a STRICT port: nothing to convert", STRICT, Map.of(8080, STRICT), UNSET, STATIC),
                argumentSet(
                        "STRICT with an UNSET port: nothing to convert", STRICT, Map.of(8080, UNSET), UNSET, STATIC),
                argumentSet(
                        "PERMISSIVE with a STRICT port: that port",
                        PERMISSIVE,
                        Map.of(8080, STRICT),
                        PERMISSIVE,
                        "{notPrincipals=[*] destinationPorts=[8080]}"),
                argumentSet(
                        "PERMISSIVE with several STRICT ports: one group each, ascending",
                        PERMISSIVE,
                        Map.of(9000, STRICT, 80, STRICT, 443, PERMISSIVE),
                        PERMISSIVE,
                        "{notPrincipals=[*] destinationPorts=[80]} or {notPrincipals=[*] destinationPorts=[9000]}"),
                argumentSet(
                        "DISABLE with a STRICT port: that port",
                        DISABLE,
                        Map.of(8080, STRICT),
                        PERMISSIVE,
                        "{notPrincipals=[*] destinationPorts=[8080]}"),
                argumentSet(
                        "UNSET with a STRICT port, inherited PERMISSIVE: that port",
                        UNSET,
                        Map.of(8080, STRICT),
                        PERMISSIVE,
                        "{notPrincipals=[*] destinationPorts=[8080]}"),
                argumentSet(
                        "PERMISSIVE with a PERMISSIVE port", PERMISSIVE, Map.of(8080, PERMISSIVE), PERMISSIVE, OPEN),
                argumentSet("PERMISSIVE with a DISABLE port", PERMISSIVE, Map.of(8080, DISABLE), PERMISSIVE, OPEN),
                argumentSet(
                        "UNSET with a PERMISSIVE port, nothing inherited",
                        UNSET,
                        Map.of(8080, PERMISSIVE),
                        PERMISSIVE,
                        OPEN),
                argumentSet(
                        "PERMISSIVE with a STRICT port under an inherited STRICT: the port is enforced",
                        PERMISSIVE,
                        Map.of(8080, STRICT),
                        STRICT,
                        "{notPrincipals=[*] destinationPorts=[8080]}"),
                argumentSet(
                        "UNSET with a DISABLE port under an inherited STRICT: the port is exempt",
                        UNSET,
                        Map.of(8080, DISABLE),
                        STRICT,
                        "{notPrincipals=[*]} & {notDestinationPorts=[8080]}"),
                argumentSet(
                        "UNSET with a PERMISSIVE port under an inherited STRICT: the port is exempt",
                        UNSET,
                        Map.of(8080, PERMISSIVE),
                        STRICT,
                        "{notPrincipals=[*]} & {notDestinationPorts=[8080]}"));
    }

    @ParameterizedTest
    @MethodSource("decisions")
    void givenASelectedWorkload_thenDecided(Mode mode, Map<Integer, Mode> ports, Mode inherited, String want) {
        var decision = PeerPolicies.decide(peer("app/web", mode, Map.of("app", "web"), ports), inherited);
        var keys = PeerPolicies.keys(decision, ROOT);
        switch (decision) {
            case Enforcement.Open() -> {
                assertThat(want).isEqualTo(OPEN);
                assertThat(keys).isEmpty();
            }
            case Enforcement.Strict() -> {
                assertThat(want).isEqualTo(STATIC);
                assertThat(keys).containsExactly("istio-system/istio_converted_static_strict");
            }
            case Enforcement.ByPort(var policy) -> {
                assertThat(AuthorizationText.of(policy)).isEqualTo("DENY WORKLOAD_SELECTOR: " + want);
                assertThat(keys).containsExactly("app/converted_peer_authentication_web");
                assertThat(policy.key()).isEqualTo(keys.getFirst());
            }
        }
    }

    @Test
    void whenModesAreInherited_thenTheNearestThatIsSetCounts() {
        assertThat(PeerPolicies.inherited(Optional.of(PERMISSIVE), Optional.of(STRICT)))
                .isEqualTo(PERMISSIVE);
        assertThat(PeerPolicies.inherited(Optional.of(UNSET), Optional.of(STRICT)))
                .isEqualTo(STRICT);
        assertThat(PeerPolicies.inherited(Optional.empty(), Optional.of(STRICT)))
                .isEqualTo(STRICT);
        assertThat(PeerPolicies.inherited(Optional.of(UNSET), Optional.of(UNSET)))
                .isEqualTo(PERMISSIVE);
        assertThat(PeerPolicies.inherited(Optional.empty(), Optional.empty())).isEqualTo(PERMISSIVE);
    }

    @Test
    void givenSeveralOfALevel_thenTheOldestCounts_andOfEquallyOldThatWithTheSmallerName() {
        var a = peer("app/a", STRICT);
        var b = peer("app/b", PERMISSIVE);
        assertThat(PeerPolicies.oldest(List.of(a, older(b, 1)))).contains(older(b, 1));
        assertThat(PeerPolicies.oldest(List.of(b, a))).contains(a);
        assertThat(PeerPolicies.oldest(List.of())).isEmpty();
    }

    @Test
    void givenSelectorAndNamespace_thenLevel() {
        var labels = Map.of("app", "web");
        assertThat(PeerPolicies.level(peer(ROOT + "/p", STRICT), ROOT)).isEqualTo(PeerPolicyLevel.MESH);
        assertThat(PeerPolicies.level(peer("app/p", STRICT), ROOT)).isEqualTo(PeerPolicyLevel.NAMESPACE);
        assertThat(PeerPolicies.level(peer("app/p", STRICT, Map.of(), Map.of()), ROOT))
                .isEqualTo(PeerPolicyLevel.NAMESPACE);
        assertThat(PeerPolicies.level(peer("app/p", STRICT, labels, Map.of()), ROOT))
                .isEqualTo(PeerPolicyLevel.WORKLOAD);
        assertThat(PeerPolicies.level(peer(ROOT + "/p", STRICT, labels, Map.of()), ROOT))
                .isEqualTo(PeerPolicyLevel.NOBODY);
    }

    @Test
    void thenTheStaticPolicyDeniesCallersWithoutIdentity() {
        assertThat(AuthorizationText.of(PeerPolicies.staticStrict(ROOT)))
                .isEqualTo("DENY WORKLOAD_SELECTOR: {notPrincipals=[*]}");
        assertThat(PeerPolicies.staticStrict(ROOT).key()).isEqualTo("istio-system/istio_converted_static_strict");
    }
}
