// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.waypoint;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.Ids;
import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.Workload.Hairpin;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HairpinWishTest {
    private static final String ANNOTATION = "fathom.io/hairpin";
    private static final String SERVES = "istio.io/waypoint-for";
    private static final String USE = "istio.io/use-waypoint";

    private final TestMesh mesh = new TestMesh();

    private Optional<Problem> problem() {
        return Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of("Pod/app/a"));
    }

    @ParameterizedTest
    @CsvSource({"true, YES", "True, YES", "1, YES", "false, NO", "0, NO"})
    void givenAWaypointForWorkloads_whenAPodSaysSo_thenItsWorkloadAsks(String value, Hairpin wanted) {
        mesh.put(
                namespace("app").label(USE, "wp"),
                waypoint("app/wp").label(SERVES, "all"),
                pod("app/a").annotation(ANNOTATION, value),
                pod("app/b"));

        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(wanted);
        assertThat(mesh.pod("app/b").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"yes", "''", "TRue"})
    void givenAnUnreadableValue_thenItIsOffAndTheProblemSaysWhatToWrite(String value) {
        mesh.put(
                namespace("app").label(USE, "wp"),
                waypoint("app/wp").label(SERVES, "workload"),
                pod("app/a").annotation(ANNOTATION, value));

        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem()).hasValueSatisfying(problem -> {
            assertThat(problem.message()).contains("Pod app/a", ANNOTATION, "\"" + value + "\" is neither true nor");
            assertThat(problem.fix()).contains(ANNOTATION + ": \"true\"");
        });
    }

    @Test
    void givenNoWaypointForWorkloads_thenItIsOffUntilThereIsOne() {
        mesh.put(
                namespace("app").label(USE, "wp"),
                waypoint("app/wp").label(SERVES, "service"),
                pod("app/a").annotation(ANNOTATION, "true"));
        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem()).hasValueSatisfying(problem -> {
            assertThat(problem.message()).contains("no waypoint for workloads", "go to it directly");
            assertThat(problem.fix()).contains(USE, SERVES);
        });

        mesh.put(waypoint("app/wp").label(SERVES, "all"));
        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(Hairpin.YES);
        assertThat(problem()).isEmpty();
    }

    @Test
    void givenAWaypointBehindItsNodeProxy_thenItIsOffAndTheProblemSaysWhy() {
        mesh.put(
                namespace("app").label(USE, "wp"),
                waypoint("app/wp")
                        .label(SERVES, "all")
                        .annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY/15088"),
                pod("app/a").annotation(ANNOTATION, "true"));

        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem())
                .hasValueSatisfying(problem -> assertThat(problem.message())
                        .contains("Gateway app/wp", "cannot tell them that a client has no identity"));
    }

    @Test
    void givenAPodOfTheWaypointItself_thenItNeverAsks() {
        mesh.put(
                namespace("app").label(USE, "wp"),
                waypoint("app/wp").label(SERVES, "all"),
                pod("app/a")
                        .label("gateway.networking.k8s.io/gateway-name", "wp")
                        .annotation(ANNOTATION, "true"));

        assertThat(mesh.pod("app/a").hairpin()).isEqualTo(Hairpin.NO);
    }
}
