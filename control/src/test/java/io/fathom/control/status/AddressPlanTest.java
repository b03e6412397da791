// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.status.ObjectStatus.HostAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AddressPlanTest {
    private static final List<HostAddress> PLAN =
            List.of(new HostAddress("a", "240.240.0.1"), new HostAddress("a", "2001:2::1"));
    private static final List<AssignedAddress> WRITTEN =
            List.of(new AssignedAddress("240.240.0.1", "a"), new AssignedAddress("2001:2::1", "a"));
    private static final String LIST =
            "[{\"host\":\"a\",\"value\":\"240.240.0.1\"},{\"host\":\"a\",\"value\":\"2001:2::1\"}]";

    @Test
    void givenNoStatus_thenItIsMade() {
        assertThat(steps("{}", List.of(), PLAN))
                .isEqualTo("test /status null; add /status {\"addresses\":" + LIST + "}");
        assertThat(steps("{\"status\":null}", List.of(), PLAN)).startsWith("test /status null");
    }

    @Test
    void givenAStatusWithoutAddresses_thenTheyAreAddedBesideTheRest() {
        assertThat(steps("{\"status\":{\"conditions\":[{\"type\":\"x\"}]}}", List.of(), PLAN))
                .isEqualTo("test /status/addresses null; add /status/addresses " + LIST);
    }

    @Test
    void givenAddressesThatWereCleared_thenTheGuardComparesWithAnEmptyList() {
        assertThat(steps("{\"status\":{\"addresses\":[]}}", List.of(), PLAN))
                .isEqualTo("test /status/addresses []; add /status/addresses " + LIST);
    }

    @Test
    void givenTheSameInAnotherOrder_thenNothing() {
        assertThat(AddressPlan.isDone(WRITTEN.reversed(), PLAN)).isTrue();
        assertThat(AddressPlan.isDone(List.of(), List.of())).isTrue();
        assertThat(AddressPlan.isDone(List.of(WRITTEN.get(0), WRITTEN.get(0)), PLAN))
                .isFalse();
    }

    @Test
    void givenAnEntryThatIsNotEligibleAnyMore_thenTheyAreRemoved() {
        assertThat(steps("{\"status\":{\"addresses\":" + LIST + "}}", WRITTEN, List.of()))
                .isEqualTo("test /status/addresses " + LIST + "; remove /status/addresses ");
    }

    @Test
    void givenSomebodyElseWroteMeanwhile_thenNothing() {
        var other = "[{\"host\":\"a\",\"value\":\"240.240.0.9\"}]";
        assertThat(steps("{\"status\":{\"addresses\":" + other + "}}", List.of(), PLAN))
                .isEqualTo("nothing");
        assertThat(steps("{}", WRITTEN, List.of())).isEqualTo("nothing");
    }

    /// Entries sorted by name, to be comparable.
    private static String steps(String object, List<AssignedAddress> assigned, List<HostAddress> planned) {
        return AddressPlan.steps(Json.parse("test", object), assigned, planned)
                .map(steps -> String.join(
                        "; ", steps.stream().map(AddressPlanTest::text).toList()))
                .orElse("nothing");
    }

    private static String text(Tree step) {
        var entries = ((Tree.Mapping) step).entries();
        var value = entries.getOrDefault("value", Json.of(""));
        return scalar(entries, "op") + " " + scalar(entries, "path") + " " + sorted(value);
    }

    private static String scalar(Map<String, Tree> entries, String name) {
        return ((Tree.Scalar) entries.getOrDefault(name, Json.NOTHING)).text();
    }

    private static String sorted(Tree tree) {
        return tree instanceof Tree.Scalar scalar && scalar.text().isEmpty()
                ? ""
                : Json.pretty(tree).replaceAll("\\s+", "");
    }
}
