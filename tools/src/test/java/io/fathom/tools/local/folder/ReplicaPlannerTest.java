// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static io.fathom.tools.local.folder.ReplicaPlanner.Readiness.NOT_READY;
import static io.fathom.tools.local.folder.ReplicaPlanner.Readiness.READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.local.folder.ReplicaPlanner.Plan;
import io.fathom.tools.local.folder.ReplicaPlanner.Replica;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaPlannerTest {
    @Test
    void givenTooFew_thenTheMissingAreStarted() {
        assertThat(ReplicaPlanner.plan(3, "new", List.of(new Replica("a", "new", READY, 1))))
                .isEqualTo(new Plan(2, List.of()));
    }

    @Test
    void givenTooMany_thenThoseThatAreNotReadyGoFirst_andThenTheYoungest() {
        var there = List.of(
                new Replica("oldest", "new", READY, 1),
                new Replica("unready", "new", NOT_READY, 2),
                new Replica("youngest", "new", READY, 3));

        assertThat(ReplicaPlanner.plan(1, "new", there)).isEqualTo(new Plan(0, List.of("unready", "youngest")));
    }

    @Test
    void givenAnOlderTemplate_thenItsPodsStayUntilTheirSuccessorsAreReady() {
        var old = new Replica("old", "old", READY, 1);

        assertThat(ReplicaPlanner.plan(1, "new", List.of(old))).isEqualTo(new Plan(1, List.of()));
        assertThat(ReplicaPlanner.plan(1, "new", List.of(old, new Replica("new", "new", NOT_READY, 2))))
                .isEqualTo(new Plan(0, List.of()));
        assertThat(ReplicaPlanner.plan(1, "new", List.of(old, new Replica("new", "new", READY, 2))))
                .isEqualTo(new Plan(0, List.of("old")));
    }

    @Test
    void givenNoneWanted_thenAllGo() {
        assertThat(ReplicaPlanner.plan(0, "new", List.of(new Replica("a", "old", READY, 1))))
                .isEqualTo(new Plan(0, List.of("a")));
    }
}
