// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.status.ObjectStatus.HostAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ObjectStatusTest {
    private static final StatusCondition BOUND =
            new StatusCondition("istio.io/WaypointBound", StatusCondition.Status.TRUE, "WaypointAccepted", "");
    private static final StatusCondition VISIBLE =
            new StatusCondition("istio.io/VisibilityApplied", StatusCondition.Status.TRUE, "Public", "");

    @Test
    void givenConditions_whenAddressesAreAdded_thenTheConditionsSurvive() {
        var addresses = List.of(new HostAddress("a", "240.240.0.1"));
        var status = ObjectStatus.of(BOUND).and(new ObjectStatus(List.of(), addresses));
        assertThat(status.conditions()).containsExactly(BOUND);
        assertThat(status.addresses()).isEqualTo(addresses);
        assertThat(status.isEmpty()).isFalse();
    }

    @Test
    void givenTheSameConditionsInAnotherOrder_thenEqual() {
        assertThat(ObjectStatus.of(BOUND, VISIBLE)).isEqualTo(ObjectStatus.of(VISIBLE, BOUND));
        assertThat(ObjectStatus.NOTHING.isEmpty()).isTrue();
    }
}
