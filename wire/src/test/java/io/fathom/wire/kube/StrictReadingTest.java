// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is said of objects as a whole; the mistakes of each kind are a table in verify.
class StrictReadingTest {
    private static final ReaderConfig FOLDER = ReaderConfig.of("c1", "", "istio-system");

    @Test
    void givenMistakesOfFormAndOfMeaning_thenAllAreToldAtOnce() {
        var problems = problems(FOLDER, """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: a}
                spec:
                  hosts: [web]
                  http:
                  - match: [{uri: {regex: "("}}]
                    route: [{destination: {host: web}}]
                  - rout: [{destination: {host: web}}]
                  - timeout: soon
                    route: [{destination: {host: web}, wieght: 1}]
                  - match: [{uri: {regex: ")"}}]
                    route: [{destination: {host: web}}]
                """);

        assertThat(problems).extracting(ManifestProblem::line).isSorted();
        assertThat(problems)
                .extracting(ManifestProblem::field)
                .contains(
                        "spec.http[0].match[0].uri.regex",
                        "spec.http[1].rout",
                        "spec.http[2].timeout",
                        "spec.http[2].route[0].wieght",
                        "spec.http[3].match[0].uri.regex")
                .doesNotHaveDuplicates();
    }

    @Test
    void givenANameOnALineAboveItsValue_thenTheLineOfTheNameIsTold() {
        var problems = problems(FOLDER, """
                apiVersion: v1
                kind: Service
                metadata:
                  name: a
                spec:
                  selectr:
                    app: web
                """);

        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem)
                        .hasToString("f.yaml:6: Service default/a: spec.selectr: is not a known field"
                                + " (fix: write selector instead)"));
    }

    @Test
    void givenMistakesInAList_thenPathsBeginWithTheItem() {
        var problems = problems(FOLDER, """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Service, metadata: {name: a}, spec: {port: []}}
                """);

        assertThat(problems).extracting(ManifestProblem::field).containsExactly("items[0].spec.port");
    }

    @ParameterizedTest
    @CsvSource({
        "security.isto.io/v1, AuthorizationPolicy, apiVersion",
        "security.istio.io/v1, AuthorisationPolicy, kind",
        "security.istio.io/v3, AuthorizationPolicy, apiVersion",
        "istio.io/v1, AuthorizationPolicy, apiVersion",
        "security/v1, AuthorizationPolicy, apiVersion",
    })
    void givenAMisspeltKind_thenTheObjectIsToldApart(String version, String kind, String field) {
        var readings = Reads.all(
                FOLDER,
                "{apiVersion: %s, kind: %s, metadata: {name: a, namespace: b}, spec: {}}".formatted(version, kind));

        assertThat(readings).singleElement().isInstanceOfSatisfying(Reading.Bad.class, bad -> {
            assertThat(bad.id())
                    .hasValue(new ManifestId(AuthorizationPolicyManifest.class, new ObjectKey("c1", "b", "a")));
            assertThat(bad.problems()).extracting(ManifestProblem::field).containsExactly(field);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "networking.gke.io/v1, GCPBackendPolicy",
        "cilium.io/v2, CiliumNetworkPolicy",
        "serving.knative.dev/v1, Service",
        "events.k8s.io/v1, Event",
        "networking.k8s.io/v1, NetworkPolicy",
        "policy.networking.k8s.io/v1alpha1, AdminNetworkPolicy",
        "inference.networking.x-k8s.io/v1, InferencePool",
        "install.istio.io/v1alpha1, IstioOperator",
        "batch/v1, CronJob",
        "rbac.authorization.k8s.io/v1, Role",
        "kustomize.config.k8s.io/v1beta1, Kustomization"
    })
    void givenAKindOfOthers_thenNothingIsSaid(String version, String kind) {
        assertThat(problems(
                        FOLDER,
                        "{apiVersion: %s, kind: %s, metadata: {name: a}, whatever: 1}".formatted(version, kind)))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "istio.io/dataplane-mode: ambiant | is \"ambiant\", which has no effect (fix: write \"ambient\")",
                "istio.io/waypoint-for: servce | is \"servce\", which has no effect (fix: write \"service\")",
                "istio.io/global: \"yes\" | is \"yes\", which has no effect (fix: write one of true, false)",
                "istio.io/use-waypont: a | is no known label, so it has no effect (fix: write istio.io/use-waypoint)",
                "ambient.istio.io/redirection: enabled | is no label, so it has no effect (fix: write it as an annotation)",
                "fathom.io/whatever: a | is no known label, so it has no effect (fix: delete it, or check its spelling)"
            })
    void givenALabelNobodyKnows_thenItIsAWarning(String label, String words) {
        var readings = Reads.all(
                FOLDER, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {%s}}}".formatted(label));

        assertThat(readings)
                .singleElement()
                .isInstanceOfSatisfying(
                        Reading.Good.class,
                        good -> assertThat(good.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.severity()).isEqualTo(Severity.WARNING);
                            assertThat(problem.problem()).hasToString(words);
                        }));
    }

    @Test
    void givenAnObjectThatAControllerMade_thenItsLabelsAreNotJudged() {
        assertThat(problems(FOLDER, """
                apiVersion: v1
                kind: Service
                metadata:
                  name: a
                  labels: {istio.io/whatever: a}
                  ownerReferences: [{apiVersion: v1, kind: Gateway, name: a, uid: b}]
                """)).isEmpty();
    }

    @Test
    void givenAFieldThatOnlyANewerApiServerKnows_thenTheObjectIsRead_unlessItProtects() {
        var server = FOLDER.ofApiServer();
        assertThat(Reads.all(server, """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: a}
                spec: {hosts: [web], invented: 1}
                """))
                .singleElement()
                .isInstanceOfSatisfying(
                        Reading.Good.class, good -> assertThat(good.problems()).isEmpty());
        assertThat(problems(server, """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: a}
                spec: {rules: [{form: []}]}
                """)).extracting(ManifestProblem::field).containsExactly("spec.rules[0].form", "");
    }

    private static List<ManifestProblem> problems(ReaderConfig config, String yaml) {
        return Reads.all(config, yaml).stream()
                .flatMap(reading -> switch (reading) {
                    case Reading.Good good -> good.problems().stream();
                    case Reading.Skipped skipped -> skipped.problems().stream();
                    case Reading.Bad bad -> bad.problems().stream();
                })
                .toList();
    }
}
