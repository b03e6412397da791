// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.tools.local.folder.Deployment.DeploymentKind;
import io.fathom.tools.local.folder.NamedReplicaPlanner.Named;
import io.fathom.tools.local.folder.NamedReplicaPlanner.Plan;
import io.fathom.tools.local.folder.NamedReplicaPlanner.ReplicaCondition;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NamedReplicaPlannerTest {
    private static final List<String> THREE = List.of("db-0", "db-1", "db-2");

    static Stream<Arguments> cases() {
        var set = DeploymentKind.STATEFUL_SET;
        return Stream.of(
                argumentSet("given nothing, then the first is started", set, THREE, List.of(), start("db-0")),
                argumentSet("given a first that is not ready, then wait", set, THREE, List.of(waits("db-0")), stop()),
                argumentSet("given a first, then the second", set, THREE, List.of(ready("db-0")), start("db-1")),
                argumentSet(
                        "given a hole, then it is filled",
                        set,
                        THREE,
                        List.of(ready("db-0"), ready("db-2")),
                        start("db-1")),
                argumentSet(
                        "given too many, then the last goes",
                        set,
                        List.of("db-0"),
                        List.of(ready("db-0"), ready("db-1"), ready("db-2")),
                        stop("db-2")),
                argumentSet(
                        "given another template, then the last is replaced first",
                        set,
                        THREE,
                        List.of(old("db-0"), old("db-1"), old("db-2")),
                        stop("db-2")),
                argumentSet(
                        "given one that leaves, then its name is not given away yet",
                        set,
                        THREE,
                        List.of(old("db-0"), old("db-1"), leaves("db-2")),
                        stop()),
                argumentSet(
                        "given its successor, then the one before it is next",
                        set,
                        THREE,
                        List.of(old("db-0"), old("db-1"), ready("db-2")),
                        stop("db-1")),
                argumentSet(
                        "given all at once, then all are started",
                        DeploymentKind.PARALLEL_STATEFUL_SET,
                        THREE,
                        List.of(ready("db-1")),
                        start("db-0", "db-2")),
                argumentSet(
                        "given a pod of another template, then it goes",
                        DeploymentKind.POD,
                        List.of("a"),
                        List.of(old("a")),
                        stop("a")),
                argumentSet(
                        "given a pod that leaves, then wait",
                        DeploymentKind.POD,
                        List.of("a"),
                        List.of(leaves("a")),
                        stop()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenPlanned(DeploymentKind kind, List<String> wanted, List<Named> there, Plan want) {
        assertThat(NamedReplicaPlanner.plan(kind, wanted, "new", there)).isEqualTo(want);
    }

    private static Named ready(String name) {
        return new Named(name, "new", ReplicaCondition.READY);
    }

    private static Named waits(String name) {
        return new Named(name, "new", ReplicaCondition.NOT_READY);
    }

    private static Named old(String name) {
        return new Named(name, "old", ReplicaCondition.READY);
    }

    private static Named leaves(String name) {
        return new Named(name, "new", ReplicaCondition.LEAVING);
    }

    private static Plan start(String... names) {
        return new Plan(List.of(names), List.of());
    }

    private static Plan stop(String... names) {
        return new Plan(List.of(), List.of(names));
    }
}
