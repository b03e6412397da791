// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConditionPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00.5Z");
    private static final String BEFORE = "2025-01-01T00:00:00Z";
    private static final String BOUND = "istio.io/WaypointBound";
    private static final StatusCondition YES =
            new StatusCondition(BOUND, StatusCondition.Status.TRUE, "WaypointAccepted", "fine");
    private static final StatusCondition NO =
            new StatusCondition(BOUND, StatusCondition.Status.FALSE, "WaypointIsNotReady", "not yet");
    private static final Map<String, Object> FOREIGN =
            Map.of("type", "Healthy", "status", "True", "lastProbeTime", BEFORE);

    @Test
    void givenNothing_thenTheConditionIsWrittenWithTheTime() {
        assertThat(planned(ServiceManifest.class, List.of(), YES))
                .isEqualTo("istio-ambient-service [" + text(YES, "2026-01-01T12:00:00Z") + "]");
    }

    @Test
    void givenTheSame_thenNothingIsWritten() {
        assertThat(planned(ServiceManifest.class, List.of(held(YES)), YES)).isEqualTo("nothing");
        assertThat(planned(ServiceEntryManifest.class, List.of(held(YES), FOREIGN), YES))
                .isEqualTo("nothing");
        assertThat(planned(ServiceManifest.class, List.of(FOREIGN))).isEqualTo("nothing");
        assertThat(planned(WorkloadEntryManifest.class, List.of())).isEqualTo("nothing");
    }

    @Test
    void givenAnotherMessage_thenTheTimeStays() {
        var other = new StatusCondition(BOUND, StatusCondition.Status.TRUE, "WaypointAccepted", "still fine");
        assertThat(planned(ServiceManifest.class, List.of(held(YES)), other)).contains("still fine", BEFORE);
    }

    @Test
    void givenAnotherStatus_thenTheTimeIsNew() {
        assertThat(planned(ServiceManifest.class, List.of(held(YES)), NO))
                .contains("2026-01-01T12:00:00Z")
                .doesNotContain(BEFORE);
    }

    @Test
    void givenAConditionThatIsNotWantedAnyMore_thenItIsPruned() {
        assertThat(planned(ServiceManifest.class, List.of(held(YES), FOREIGN))).isEqualTo("istio-ambient-service []");
        assertThat(planned(WorkloadEntryManifest.class, List.of(held(YES), FOREIGN)))
                .isEqualTo("istio-ambient-workloadentry [" + Json.compact(Json.of(FOREIGN)) + "]");
    }

    @Test
    void givenAListThatIsReplacedAsAWhole_thenConditionsOfOthersAreCarriedAlongAndTheVersionIsNamed() {
        var edit = plan(ServiceEntryManifest.class, object(List.of(FOREIGN, held(NO))), List.of(YES), NOW)
                .orElseThrow();
        assertThat(conditions(edit)).hasSize(2).first().asString().contains("Healthy");
        assertThat(Json.compact(edit.object())).contains("\"resourceVersion\":\"7\"");
    }

    @Test
    void givenAPolicy_thenTheGenerationCountsAndTheManagerFollowsTheCondition() {
        var accepted = new StatusCondition("ZtunnelAccepted", StatusCondition.Status.TRUE, "Accepted", "ok");
        assertThat(planned(AuthorizationPolicyManifest.class, List.of(held(accepted)), accepted))
                .startsWith("istio-ambient-ztunnel-policy")
                .contains("\"observedGeneration\":3", BEFORE);
        var known = new HashMap<>(held(accepted));
        known.put("observedGeneration", "3");
        assertThat(planned(AuthorizationPolicyManifest.class, List.of(known), accepted))
                .isEqualTo("nothing");
        var bound = new StatusCondition("WaypointAccepted", StatusCondition.Status.TRUE, "Accepted", "ok");
        assertThat(planned(AuthorizationPolicyManifest.class, List.of(known), bound))
                .startsWith("istio-ambient-waypoint-policy")
                .doesNotContain("ZtunnelAccepted");
        assertThat(planned(AuthorizationPolicyManifest.class, List.of(known)))
                .isEqualTo("istio-ambient-ztunnel-policy []");
    }

    @Test
    void givenGarbageInTheStatus_thenItIsLeftAlone() {
        assertThat(planned(ServiceManifest.class, List.of("text", Map.of("type", 7)), YES))
                .contains("WaypointAccepted");
        var odd = new KubeObject(Json.of(Map.of("metadata", Map.of("name", "a"), "status", "odd")));
        assertThat(plan(ServiceManifest.class, odd, List.of(), NOW)).isEmpty();
    }

    private static String planned(Class<? extends Manifest> kind, List<?> held, StatusCondition... wanted) {
        return plan(kind, object(held), Arrays.asList(wanted), NOW)
                .map(edit -> edit.manager() + " " + conditions(edit).toString())
                .orElse("nothing");
    }

    private static Optional<StatusEdit> plan(
            Class<? extends Manifest> type, KubeObject object, List<StatusCondition> wanted, Instant now) {
        var kind = ManifestKinds.of(type);
        return ConditionPlan.plan(kind, (StatusForm.Conditions) kind.status(), object, wanted, now);
    }

    private static List<String> conditions(StatusEdit edit) {
        var texts = new ArrayList<String>();
        ConditionPlan.conditions(new KubeObject(edit.object())).forEach(each -> texts.add(Json.compact(each)));
        return texts;
    }

    private static KubeObject object(List<?> conditions) {
        return new KubeObject(Json.of(Map.of(
                "metadata",
                Map.of("name", "a", "namespace", "shop", "uid", "u", "resourceVersion", "7", "generation", 3),
                "status",
                Map.of("conditions", conditions))));
    }

    private static Map<String, Object> held(StatusCondition condition) {
        return Map.of(
                "type", condition.type(),
                "status", condition.status().text(),
                "reason", condition.reason(),
                "message", condition.message(),
                "lastTransitionTime", BEFORE);
    }

    private static String text(StatusCondition condition, String time) {
        return "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\",\"lastTransitionTime\":\"%s\"}"
                .formatted(condition.type(), condition.status().text(), condition.reason(), condition.message(), time);
    }
}
