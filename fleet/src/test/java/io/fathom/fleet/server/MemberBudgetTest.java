// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.fleet.FleetUp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberBudgetTest {
    private static final Instant START = Instant.ofEpochSecond(1_800_000_000);

    private final MemberBudget budget = new MemberBudget(START);

    @Test
    void givenAClusterThatSaysEverythingAtOnce_thenItNeedNotWait_andThenItDoes() {
        assertThat(budget.spend(50_000, START)).isZero();
        assertThat(budget.isUsedUp(START)).isFalse();
        assertThat(budget.spend(14_000, START)).isEqualTo(Duration.ofSeconds(2));
        assertThat(budget.isUsedUp(START)).isTrue();
        assertThat(budget.isUsedUp(START.plusSeconds(2))).isFalse();
        assertThat(budget.waited()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void whenItIsToBeNamed_thenNotEachTime() {
        assertThat(budget.isToBeNamed(START)).isTrue();
        assertThat(budget.isToBeNamed(START.plusSeconds(9))).isFalse();
        assertThat(budget.isToBeNamed(START.plusSeconds(10))).isTrue();
    }

    @Test
    void givenMoreOfAnything_thenItCostsMore() {
        assertThat(MemberBudget.cost(new FleetUp.Repair(List.of(1, 2))))
                .isGreaterThan(MemberBudget.cost(new FleetUp.Repair(List.of(1))));
    }
}
