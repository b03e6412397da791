// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import static io.fathom.node.cni.fakes.FakeCluster.AMBIENT;
import static io.fathom.node.cni.fakes.FakeCluster.annotated;
import static io.fathom.node.cni.fakes.FakeCluster.labelled;
import static io.fathom.node.cni.fakes.FakeCluster.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.pods.Eligibility.EligibilityVerdict;
import io.fathom.wire.kube.core.PodManifest;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EligibilityTest {
    private static final Eligibility ELIGIBILITY =
            new Eligibility(Enablement.DEFAULT, Set.of("kube-system"), "istio-system");
    private static final Map<String, String> NONE = Map.of("istio.io/dataplane-mode", "none");
    private static final PodManifest PLAIN = pod("shop", "web", "10.0.0.2");

    static Stream<Arguments> pods() {
        return Stream.of(
                argumentSet("no labels at all", PLAIN, Map.of(), EligibilityVerdict.NOT_SELECTED),
                argumentSet("a namespace in the mesh", PLAIN, AMBIENT, EligibilityVerdict.WANTED),
                argumentSet("a pod that asks by itself", labelled(PLAIN, AMBIENT), Map.of(), EligibilityVerdict.WANTED),
                argumentSet("a pod that declines", labelled(PLAIN, NONE), AMBIENT, EligibilityVerdict.NOT_SELECTED),
                argumentSet("a namespace that declines", labelled(PLAIN, AMBIENT), NONE, EligibilityVerdict.WANTED),
                argumentSet(
                        "the host's network",
                        onHost(labelled(PLAIN, AMBIENT)),
                        AMBIENT,
                        EligibilityVerdict.HOST_NETWORK),
                argumentSet(
                        "a sidecar",
                        annotated(PLAIN, Map.of("sidecar.istio.io/status", "{}")),
                        AMBIENT,
                        EligibilityVerdict.SIDECAR),
                argumentSet(
                        "an excluded namespace",
                        labelled(pod("kube-system", "dns"), AMBIENT),
                        AMBIENT,
                        EligibilityVerdict.EXCLUDED),
                argumentSet(
                        "a node proxy",
                        labelled(pod("istio-system", "ztunnel-x"), Map.of("app", "ztunnel")),
                        AMBIENT,
                        EligibilityVerdict.NODE_PROXY),
                argumentSet(
                        "an application of that name elsewhere",
                        labelled(PLAIN, Map.of("app", "ztunnel")),
                        AMBIENT,
                        EligibilityVerdict.WANTED));
    }

    private static PodManifest onHost(PodManifest pod) {
        return new PodManifest(
                pod.metadata(),
                pod.phase(),
                pod.ready(),
                pod.ips(),
                pod.node(),
                pod.serviceAccount(),
                true,
                pod.ports(),
                pod.controller(),
                pod.generateName());
    }

    @ParameterizedTest
    @MethodSource("pods")
    void whenAPodIsJudged(PodManifest pod, Map<String, String> namespace, EligibilityVerdict want) {
        assertThat(ELIGIBILITY.verdict(pod, namespace)).isEqualTo(want);
    }

    @Test
    void givenSelectorsAsYaml_thenOneEntryMustMatchBoth() {
        var enablement = Enablement.parse("""
                - podSelector:
                    matchLabels: {mesh: "yes"}
                - podSelector: {matchExpressions: [{key: app, operator: Exists}]}
                  namespaceSelector: {matchLabels: {team: shop}}
                """);
        assertThat(enablement.selects(Map.of("mesh", "yes"), Map.of())).isTrue();
        assertThat(enablement.selects(Map.of("app", "x"), Map.of())).isFalse();
        assertThat(enablement.selects(Map.of("app", "x"), Map.of("team", "shop")))
                .isTrue();
        assertThat(enablement.selects(Map.of(), Map.of("team", "shop"))).isFalse();
    }

    @Test
    void givenSelectorsAsJson_thenTheyAreTheSame() {
        assertThat(Enablement.parse("[{\"podSelector\":{\"matchLabels\":{\"a\":\"b\"}}}]"))
                .isEqualTo(Enablement.parse("- podSelector: {matchLabels: {a: b}}"));
        assertThat(Enablement.parse(" ")).isEqualTo(Enablement.DEFAULT);
        assertThat(Enablement.parse("[]").entries()).isEmpty();
    }

    @Test
    void givenNoSelectors_thenTheTextIsRefusedWithItsPlace() {
        assertThatThrownBy(() -> Enablement.parse("- podSelector: {matchExpressions: [{key: a, operator: Like}]}"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("Like");
        assertThatThrownBy(() -> Enablement.parse("a: b")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> Enablement.parse("- [")).isInstanceOf(ProblemException.class);
    }
}
