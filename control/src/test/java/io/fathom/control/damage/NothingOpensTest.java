// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.ThrowingMesh;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.policy.PolicySet;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The mistakes that were seen to open a mesh: who gets in, and what the condition says.
final class NothingOpensTest {
    private static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");

    private final AmbientMesh mesh = ThrowingMesh.create();
    private final ManifestReader reader = new ManifestReader(ReaderConfig.of("Kubernetes", "default", "istio-system"));

    private void apply(String yaml) {
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> OLD)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
    }

    private void pods() {
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop, labels: {app: web}}
                spec: {serviceAccountName: web, containers: [{name: a, image: a}]}
                status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: db, namespace: shop, labels: {app: db}}
                spec: {serviceAccountName: db, containers: [{name: a, image: a}]}
                status: {phase: Running, podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.2}]}
                """);
    }

    /// @param caller `namespace/account`, or empty for plain text
    private boolean admits(String pod, String caller) {
        var policies = new ArrayList<Authorization>();
        mesh.cut().of(mesh.authorizations()).forEach((_, policy) -> policies.add(policy));
        var workload = (Workload) mesh.cut()
                .of(mesh.addresses())
                .find("Kubernetes//Pod/shop/" + pod)
                .orElseThrow();
        var slash = caller.indexOf('/');
        var identity = caller.isEmpty()
                ? Optional.<Identity>empty()
                : Optional.of(new Identity("cluster.local", caller.substring(0, slash), caller.substring(slash + 1)));
        var attempt = new Attempt(
                identity,
                Ip.parse("10.0.0.9").orElseThrow(),
                new IpPort(Ip.parse("10.0.0.1").orElseThrow(), 80));
        return Authorizer.decide(PolicySet.of(policies), workload, attempt).isAllowed();
    }

    private List<String> conditions(String object) {
        return mesh.cut().of(mesh.statuses()).find(io.fathom.control.Ids.of(object)).orElseThrow().conditions().stream()
                .map(condition -> condition.type() + "=" + condition.status().text() + "/" + condition.reason() + ": "
                        + condition.message())
                .toList();
    }

    static Stream<Arguments> policies() {
        return Stream.of(
                argumentSet(
                        "form: instead of from:",
                        "{rules: [{form: [{source: {namespaces: [friend]}}]}]}",
                        "allows nothing"),
                argumentSet(
                        "principal: instead of principals:",
                        "{rules: [{from: [{source: {principal: [cluster.local/ns/friend/sa/a]}}]}]}",
                        "allows nothing"),
                argumentSet(
                        "ruels: in a DENY",
                        "{action: DENY, ruels: [{from: [{source: {namespaces: [evil]}}]}]}",
                        "denies everything that its readable parts match in all of namespace shop"),
                argumentSet(
                        "an action that nobody knows",
                        "{action: DENNY, rules: [{from: [{source: {namespaces: [evil]}}]}]}",
                        "denies everything"));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void givenAMisspelledPolicyAtItsFirstReading_thenStrangersAreNotLetInAndTheConditionSaysWhatHolds(
            String spec, String effect) {
        pods();
        assertThat(admits("web", "evil/a")).isTrue();

        apply("{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy,"
                + " metadata: {name: a, namespace: shop}, spec: " + spec + "}");

        assertThat(admits("web", "evil/a")).isFalse();
        assertThat(admits("web", "")).isFalse();
        assertThat(conditions("AuthorizationPolicy/shop/a"))
                .containsExactly(
                        "ZtunnelAccepted=False/Invalid: it cannot be read as a whole: until it is mended it " + effect);
    }

    @Test
    void givenAMisspelledSelector_thenAllowLoosensNobodysPolicy() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: strict, namespace: shop}
                spec: {selector: {matchLabels: {app: db}}, rules: [{from: [{source: {namespaces: [friend]}}]}]}
                ---
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: open, namespace: shop}
                spec: {selecter: {matchLabels: {app: web}}, rules: [{}]}
                """);

        assertThat(admits("db", "friend/a")).isTrue();
        assertThat(admits("db", "evil/a")).isFalse();
        assertThat(admits("web", "friend/a")).isFalse();
    }

    @Test
    void givenAMisspelledSelector_thenDenyCountsForTheWholeNamespace() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a, namespace: shop}
                spec: {action: DENY, selecter: {matchLabels: {app: web}}, rules: [{from: [{source: {namespaces: [evil]}}]}]}
                """);

        assertThat(admits("web", "evil/a")).isFalse();
        assertThat(admits("db", "evil/a")).isFalse();
        assertThat(admits("db", "friend/a")).isTrue();
    }

    @Test
    void givenAModeThatNobodyKnows_thenPlainTextIsRefused() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: a, namespace: shop}
                spec: {mtls: {mode: STRCT}}
                """);

        assertThat(admits("web", "")).isFalse();
        assertThat(admits("web", "friend/a")).isTrue();
        assertThat(conditions("PeerAuthentication/shop/a"))
                .containsExactly("ZtunnelAccepted=False/Invalid: it cannot be read as a whole: until it is mended it"
                        + " is STRICT on all ports");
    }

    @Test
    void givenAPeerAuthenticationForNobodyKnowsWhom_thenItIsStrongerThanOlderAndNearerOnes() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: older, namespace: shop, creationTimestamp: "2020-01-01T00:00:00Z"}
                spec: {mtls: {mode: PERMISSIVE}}
                ---
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: nearer, namespace: shop, creationTimestamp: "2020-01-01T00:00:00Z"}
                spec: {selector: {matchLabels: {app: web}}, mtls: {mode: DISABLE}}
                ---
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: lost, namespace: shop}
                spec: {selecter: {matchLabels: {app: db}}, mtls: {mode: STRICT}}
                """);

        assertThat(admits("web", "")).isFalse();
        assertThat(admits("db", "")).isFalse();

        apply("""
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: lost, namespace: shop}
                spec: {selector: {matchLabels: {app: db}}, mtls: {mode: STRICT}}
                """);
        assertThat(admits("web", "")).isTrue();
        assertThat(admits("db", "")).isFalse();
    }

    @Test
    void givenOneOfTheRootNamespaceForNobodyKnowsWhom_thenTheWholeMeshIsStrict() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: a, namespace: istio-system}
                spec: {selecter: {}, mtls: {mode: PERMISSIVE}}
                ---
                apiVersion: security.istio.io/v1
                kind: PeerAuthentication
                metadata: {name: own, namespace: shop}
                spec: {selector: {matchLabels: {app: web}}, mtls: {mode: PERMISSIVE}}
                """);

        assertThat(admits("web", "")).isFalse();
        assertThat(admits("db", "")).isFalse();
    }

    @Test
    void givenATargetThatCannotBeRead_thenItCountsAtLayerFourToo() {
        pods();
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a, namespace: shop}
                spec: {targetRefs: [{kind: Service}], action: DENY, rules: [{from: [{source: {namespaces: [evil]}}]}]}
                """);

        assertThat(admits("web", "evil/a")).isFalse();
        assertThat(conditions("AuthorizationPolicy/shop/a"))
                .allMatch(condition -> condition.contains("=" + StatusCondition.Status.FALSE.text()));
    }

    @Test
    void givenADamagedPolicyWithTargets_thenItIsNotSaidToBeAccepted() {
        apply("""
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a, namespace: shop}
                spec: {targetRefs: [{kind: Service, name: web}], rules: [{form: []}]}
                ---
                apiVersion: security.istio.io/v1
                kind: RequestAuthentication
                metadata: {name: r, namespace: shop}
                spec: {jwtRules: [{isuer: a}]}
                """);

        assertThat(conditions("AuthorizationPolicy/shop/a"))
                .singleElement()
                .asString()
                .startsWith("WaypointAccepted=False/Invalid: it cannot be read as a whole: until it is mended it allows"
                        + " nothing");
        assertThat(conditions("RequestAuthentication/shop/r"))
                .singleElement()
                .asString()
                .startsWith("WaypointAccepted=False/Invalid: ")
                .contains("accepts no token");
    }
}
