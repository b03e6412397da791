// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.Finding;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoutePlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(60);
    private static final ParentRef EDGE = new ParentRef("gateway.networking.k8s.io", "Gateway", "", "edge", "http", 0);
    private static final ParentRef API = new ParentRef("", "Service", "far", "api", "", 80);
    private static final Finding GOOD = new Finding(Finding.FindingResult.GOOD, "Accepted", "fine");
    private static final Finding BAD =
            new Finding(Finding.FindingResult.BAD, "BackendNotFound", "there is no Service a/b");
    private static final Tree FOREIGN = Json.of(Map.of(
            "controllerName", "their.example/controller",
            "parentRef", Map.of("name", "theirs"),
            "conditions", List.of()));

    @Test
    void givenNothing_thenEachParentOfOursGetsAnEntry() {
        var edit = plan(object(3, List.of()), verdict(EDGE, API), NOW).orElseThrow();
        var parents = Field.root(edit.object()).at("status").at("parents").items();
        assertThat(parents).hasSize(2);
        assertThat(parents.get(0).at("controllerName").text()).isEqualTo("istio.io/gateway-controller");
        assertThat(parents.get(0).at("parentRef").textMap())
                .isEqualTo(Map.of(
                        "group",
                        "gateway.networking.k8s.io",
                        "kind",
                        "Gateway",
                        "name",
                        "edge",
                        "sectionName",
                        "http"));
        assertThat(parents.get(1).at("parentRef").at("port").integer(0, 99)).hasValue(80);
        var conditions = parents.get(0).at("conditions").items();
        assertThat(conditions.get(0).at("type").text()).isEqualTo("Accepted");
        assertThat(conditions.get(0).at("status").text()).isEqualTo("True");
        assertThat(conditions.get(0).at("observedGeneration").integer(0, 99)).hasValue(3);
        assertThat(conditions.get(1).at("reason").text()).isEqualTo("BackendNotFound");
        assertThat(conditions.get(1).at("status").text()).isEqualTo("False");
        assertThat(edit.manager()).isEqualTo("istio.io/gateway-controller");
    }

    @Test
    void givenWhatWasWritten_thenNothingAndTimesStayUnlessTheStatusChanges() {
        var written =
                parents(plan(object(3, List.of(FOREIGN)), verdict(EDGE), NOW).orElseThrow());
        assertThat(written).hasSize(2).first().isEqualTo(FOREIGN);
        assertThat(plan(object(3, written), verdict(EDGE), LATER)).isEmpty();
        var edited = plan(object(4, written), verdict(EDGE), LATER).orElseThrow();
        assertThat(Json.compact(edited.object())).contains(NOW.toString()).doesNotContain(LATER.toString());
        var gone = plan(object(4, written), Optional.empty(), LATER).orElseThrow();
        assertThat(parents(gone)).containsExactly(FOREIGN);
        assertThat(plan(object(4, List.of(FOREIGN)), verdict(), LATER)).isEmpty();
    }

    @Test
    void givenARefusalByProxies_thenAcceptedParentsSayWhatOfItIsNotInEffect() {
        var problem = Problem.ofInput("envoy-refused", "no such pattern", "correct it");
        var edit = RoutePlan.plan(
                        object(3, List.of()),
                        (StatusForm.Entries) StatusForm.PARENTS,
                        List.of(new ParentVerdict(EDGE, GOOD, GOOD), new ParentVerdict(API, BAD, GOOD)),
                        Optional.of(problem),
                        NOW)
                .orElseThrow();
        var parents = Field.root(edit.object()).at("status").at("parents").items();
        assertThat(parents.getFirst().at("conditions").items())
                .filteredOn(condition -> condition.at("type").text().equals("PartiallyInvalid"))
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.at("status").text()).isEqualTo("True");
                    assertThat(condition.at("reason").text()).isEqualTo("UnsupportedValue");
                    assertThat(condition.at("message").text()).isEqualTo("no such pattern (fix: correct it)");
                });
        assertThat(parents.getLast().at("conditions").items()).hasSize(2);
    }

    private static Optional<StatusEdit> plan(KubeObject object, Optional<RouteVerdict> verdict, Instant now) {
        return RoutePlan.plan(
                object,
                (StatusForm.Entries) StatusForm.PARENTS,
                verdict.map(RouteVerdict::parents).orElse(List.of()),
                Optional.empty(),
                now);
    }

    @Test
    void givenAPolicy_thenItsParentsAreAncestors() {
        var edit = RoutePlan.plan(
                        object(3, List.of()),
                        (StatusForm.Entries) StatusForm.ANCESTORS,
                        List.of(new ParentVerdict(EDGE, GOOD, BAD)),
                        Optional.empty(),
                        NOW)
                .orElseThrow();
        var ancestors = Field.root(edit.object()).at("status").at("ancestors").items();
        assertThat(ancestors).singleElement().satisfies(ancestor -> {
            assertThat(ancestor.at("ancestorRef").at("name").text()).isEqualTo("edge");
            assertThat(ancestor.at("conditions").items()).hasSize(2);
        });
    }

    private static List<Tree> parents(StatusEdit edit) {
        var status = (Tree.Mapping) ((Tree.Mapping) edit.object()).entries().getOrDefault("status", Json.NOTHING);
        return ((Tree.Sequence) status.entries().getOrDefault("parents", Json.NOTHING)).items();
    }

    private static Optional<RouteVerdict> verdict(ParentRef... parents) {
        var metadata =
                new Metadata(new ObjectKey("c", "shop", "r"), "", Map.of(), Map.of(), NOW, Metadata.Lifecycle.ACTIVE);
        var route = new TcpRouteManifest(metadata, List.of(parents), List.of());
        return Optional.of(new RouteVerdict(
                route,
                List.of(parents).stream()
                        .map(parent -> new ParentVerdict(parent, GOOD, BAD))
                        .toList(),
                Set.of(),
                Map.of(),
                Set.of(),
                Map.of()));
    }

    private static KubeObject object(int generation, List<Tree> parents) {
        return new KubeObject(Json.of(Map.of(
                "apiVersion",
                "gateway.networking.k8s.io/v1alpha2",
                "kind",
                "TCPRoute",
                "metadata",
                Map.of("name", "r", "namespace", "shop", "resourceVersion", "7", "generation", generation),
                "status",
                Map.of("parents", parents))));
    }
}
