// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class SendBudgetTest {
    private final SendBudget budget = new SendBudget(100);
    private final ArrayList<String> called = new ArrayList<>();

    @Test
    void givenRoom_thenGranted() {
        assertThat(budget.acquire(60, () -> called.add("a"))).isTrue();
        assertThat(budget.acquire(40, () -> called.add("b"))).isTrue();
        assertThat(called).isEmpty();
    }

    @Test
    void givenNoRoom_thenCalledInOrderWhenThereIs() {
        assertThat(budget.acquire(60, () -> called.add("a"))).isTrue();
        assertThat(budget.acquire(60, () -> called.add("b"))).isFalse();
        assertThat(budget.acquire(10, () -> called.add("c"))).isFalse();
        budget.release(60);
        assertThat(called).containsExactly("b", "c");
    }

    @Test
    void givenMoreThanTheLimit_thenGrantedAlone() {
        assertThat(budget.acquire(500, () -> called.add("a"))).isTrue();
        assertThat(budget.acquire(1, () -> called.add("b"))).isFalse();
        budget.release(500);
        assertThat(called).containsExactly("b");
    }
}
